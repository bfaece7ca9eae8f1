"""Tests that share something expensive are run by one process, and the longest groups first."""

from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.groups import _FILES, APP, FILES, FIRST, Groups, group_of, place

ROOT = Path(__file__).resolve().parent.parent


class Process:
    """Takes the tests that it is given, and runs none."""

    shutting_down = False

    def __init__(self) -> None:
        self.given: list[int] = []
        self.gateway = SimpleNamespace(id="a process")

    def send_runtest_some(self, indices: list[int]) -> None:
        self.given += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def run_by(tests: list[str], processes: int) -> list[list[str]]:
    """Which tests each process is given when all is done."""
    option = SimpleNamespace(loadscopereorder=False)
    config: Any = SimpleNamespace(option=option, getvalue=lambda name: ["popen"] * processes)
    groups, nodes = Groups(config), [Process() for _ in range(processes)]
    for node in nodes:
        groups.add_node(node)  # type: ignore[arg-type]
    for node in nodes:
        groups.add_node_collection(node, tests)  # type: ignore[arg-type]
    groups.schedule()
    done = [0] * processes
    while any(done[k] < len(node.given) for k, node in enumerate(nodes)):
        for k, node in enumerate(nodes):
            if done[k] < len(node.given):
                groups.mark_test_complete(node, node.given[done[k]])  # type: ignore[arg-type]
                done[k] += 1
    return [[tests[index] for index in node.given] for node in nodes]


def test_a_group_is_run_by_one_process() -> None:
    files = (
        "tests/a/test_b.py",
        "tests/test_c.py",
        "tests/browser/test_d.py",
        "tests/browser/test_e.py",
        "tests/js/test_f.py",
    )
    tests = [f"{file}::test_{number}[{odd}]" for file in files for number in range(5) for odd in ("x@y", "a::b", "/")]
    runs = run_by(sorted(tests, key=place), 2)
    assert sorted(chain(*runs)) == sorted(tests)
    places = [{group_of(test) for test in run} for run in runs]
    assert not places[0] & places[1]
    assert {group_of(file) for file in files} == {*files[:2], APP, FILES}
    assert group_of(files[2]) == group_of(files[3])
    assert group_of(runs[0][0]) == FIRST[0]
    assert FILES in (group_of(run[-1]) for run in runs)


def test_those_that_are_named_exist() -> None:
    assert all((ROOT / name).is_file() for name in FIRST if name != APP)
    assert all(list(ROOT.glob(f"{name}*")) for name in _FILES)


def test_this_run_has_groups(pytestconfig: Any) -> None:
    """The hook is heard, whatever the versions of pytest and its plugins."""
    found = pytestconfig.hook.pytest_xdist_make_scheduler.get_hookimpls()
    assert any(Path(each.plugin_name).name == "conftest.py" for each in found)
