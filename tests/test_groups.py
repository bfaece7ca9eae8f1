"""Tests that share something expensive are run by one process, and the longest groups first."""

from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.groups import _FILES, APP, FILES, FIRST, group_of, place


def test_which_tests_are_a_group_and_the_order_of_groups() -> None:
    files = ("tests/js/test_f.py", "tests/a/test_b.py", "tests/browser/test_d.py", "tests/browser/test_e.py")
    tests = [f"{file}::test_{odd}" for file in files for odd in ("1[x@y]", "2[a::b]", "3[/]")]
    groups = list(dict.fromkeys(group_of(test) for test in sorted(tests, key=place)))
    assert groups == [APP, files[1], FILES]
    assert groups[0] == FIRST[0]


def test_those_that_are_named_exist() -> None:
    assert all((ROOT / name).is_file() for name in FIRST if name != APP)
    assert all(list(ROOT.glob(f"{name}*")) for name in _FILES)


def test_this_run_has_groups(pytestconfig: Any) -> None:
    """The hook is heard, whatever the versions of pytest and its plugins."""
    found = pytestconfig.hook.pytest_xdist_make_scheduler.get_hookimpls()
    assert any(Path(each.plugin_name).name == "conftest.py" for each in found)
