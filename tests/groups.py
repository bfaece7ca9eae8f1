"""Which tests are run by one process, one after another, and in which order these groups are begun."""

from xdist.scheduler import LoadScopeScheduling

APP = "the app in a browser"
"""One server and one browser for all of them: two at a time would be in each other's way where cores are few."""

FILES = "files in a browser"
"""What is opened without the app: short tests, with which a process ends that has nothing else left to do."""

_FILES = ("tests/browser/test_player.py", "tests/site/", "tests/js/")

FIRST = (APP, "tests/bench/", "tests/baselines/", "tests/explanation/", "tests/pages/")
"""What takes longest: begun last, one process would wait for another that still has one of these groups to do."""


def group_of(test: str) -> str:
    """The group of a test by its node id: its file, whose tests share what they prepare; those in a browser are two."""
    if test.startswith(_FILES):
        return FILES
    return APP if test.startswith("tests/browser/") else test.split("::")[0]


def order(test: str) -> int:
    """Where a test's group stands; those that are not named follow as they were collected."""
    group = group_of(test)
    named = (number for number, start in enumerate(FIRST) if group.startswith(start))
    return next(named, len(FIRST) + (group == FILES))


class Groups(LoadScopeScheduling):
    """Hands out whole groups.

    ``--dist loadgroup`` would do the same by marks, but it hides them in the names of tests, and pytest 9.2 no longer
    lets it: every test was a group of its own.
    """

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
