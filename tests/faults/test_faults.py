"""Everything goes wrong, and nothing is damaged: the faults, one by one."""

import pytest

from tests.faults.faults import FAULTS, empty_folder


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if not fault.slow])
def test_nothing_is_damaged(name: str) -> None:
    with empty_folder() as folder:
        FAULTS[name].make(folder)
