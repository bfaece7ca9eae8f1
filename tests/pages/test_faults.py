"""Files that are missing, cut off or something else: pages say so in a sentence, and none breaks."""

from pathlib import Path

import pytest

from gfx_core.gfn import own_policies
from tests.pages.page_reading import Open, read
from tests.toys.trainings import policy_of


@pytest.mark.parametrize("page", ["explain", "compare"])
def test_without_a_gnn(page: str, model_folder: Path, open_page: Open) -> None:
    at = open_page(page, dataset="tree_cycles", index="612")
    assert "python -m gfx_core train gnn" in read(at.info[0].value)


@pytest.mark.parametrize("page", ["explain", "compare"])
def test_a_damaged_policy_is_not_a_missing_one(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open
) -> None:
    whole = policy_of("tree_cycles")
    monkeypatch.setattr(own_policies, "POLICIES", tmp_path)
    for length in (0, 5000):
        (tmp_path / whole.name).write_bytes(whole.read_bytes()[:length])
        at = open_page(page, dataset="tree_cycles", index="600")
        (sentence,) = (read(each.value) for each in at.error)
        assert sentence.startswith(f"{whole.name} is not ")
        assert at.button(key="use-exact-flows")
