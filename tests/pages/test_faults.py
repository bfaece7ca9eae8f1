"""Files that are missing, cut off or something else: pages say so in a sentence, and none breaks."""

from pathlib import Path

import pytest

from tests.pages.page_reading import Open, read


@pytest.mark.parametrize("page", ["explain", "compare"])
def test_without_a_gnn(page: str, model_folder: Path, open_page: Open) -> None:
    at = open_page(page, dataset="tree_cycles", index="612")
    assert "python -m gfx_core train gnn" in read(at.info[0].value)
