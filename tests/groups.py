"""Which tests are run by one process, one after another, and which of these groups are begun first."""

from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser"
"""All that needs a browser: two servers and two browsers at a time would be in each other's way where cores are few."""

FIRST = (BROWSER,)
"""The groups that take longest: begun last, one process would wait for another that still has one of them to do."""


def group_of(test: str) -> str:
    """The group of a test: its file, whose tests share what they prepare; all in a browser are one group.

    Args:
        test: Its node id.
    """
    file = test.split("::")[0]
    return BROWSER if file.startswith((f"{BROWSER}/", "tests/js/")) else file


def place(test: str) -> int:
    """Where a test's group stands in the order; those that are not named follow as they were collected."""
    group = group_of(test)
    return FIRST.index(group) if group in FIRST else len(FIRST)


class Groups(LoadScopeScheduling):
    """Hands out whole groups.

    ``--dist loadgroup`` would do the same by marks, but it hides them in the names of tests, and pytest 9.2 no longer
    lets it: every test was a group of its own.
    """

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
