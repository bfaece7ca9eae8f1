"""Which tests are run by one process, one after another, and in which order these groups are begun."""

from xdist.scheduler import LoadScopeScheduling

APP = "the app in a browser"
"""One server and one browser for all of these tests."""

PAGES = "tests/pages/"
"""One pool of workers for all of these tests."""

FIRST = (APP, PAGES, "tests/site/", "tests/test_", "tests/bench/", "tests/baselines/", "tests/explanation/")
"""What takes longest: begun last, one process would wait for another that still has one of these groups to do."""


def group_of(test: str) -> str:
    """The group of a test by its node id: its file, whose tests share what they prepare, the pages, or the app."""
    file = test.split("::")[0]
    if file.startswith("tests/browser/") and file != "tests/browser/test_player.py":
        return APP
    return PAGES if file.startswith(PAGES) else file


def order(test: str) -> int:
    """Where a test's group stands; those that are not named follow as they were collected."""
    group = group_of(test)
    return next((place for place, start in enumerate(FIRST) if group.startswith(start)), len(FIRST))


class Groups(LoadScopeScheduling):
    """Hands out whole groups.

    ``--dist loadgroup`` would do the same by marks, but it hides them in the names of tests, and pytest 9.2 no longer
    lets it: every test was a group of its own.
    """

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
