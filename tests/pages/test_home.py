"""Home: quick, without torch, and kind where checkpoints are missing."""

import json
import subprocess
import sys
from pathlib import Path

from gfx_core.datasets.registry import DATASETS
from gfx_core.gnn.model_file import model_path, read_header
from tests.pages.page_reading import ROOT, Open, component, read


def test_every_data_set_has_a_card(open_page: Open) -> None:
    at = open_page("home")
    titles = [heading.value for heading in at.subheader]
    assert titles == [info.title for info in DATASETS.values()]
    links = [link.proto.query_string for link in at.get("page_link")]
    first = ["dataset=tree_grid&index=700", "", ""]  # the explanation that plays, the lessons, and the results
    assert links == [*first, *(f"dataset={name}" for name in DATASETS)]
    assert json.loads(component(at, "shown")["trace"])["index"] == 700


def test_cards_show_statistics_and_accuracy(open_page: Open) -> None:
    at = open_page("home")
    assert any("700 nodes · 2,105 edges · 4 classes · 80 motifs" in caption.value for caption in at.caption)
    accuracies = [text.value for text in at.markdown if "GNN test accuracy" in text.value]
    assert len(accuracies) == len(DATASETS)
    for name, text in zip(DATASETS, accuracies, strict=True):
        fragments = read_header(model_path(name)).training["config"].get("fragments", 0) > 0
        assert text.endswith("trained on whole graphs and fragments" if fragments else "trained on whole graphs only")


def test_missing_checkpoints_say_how_to_train(open_page: Open, model_folder: Path) -> None:
    at = open_page("home")
    for name in DATASETS:
        assert any(f"python -m gfx_core train gnn --dataset {name}" in caption.value for caption in at.caption)


def test_a_cut_off_checkpoint_costs_one_sentence(open_page: Open, model_folder: Path) -> None:
    (model_folder / "tree_grid-sum.safetensors").write_bytes(b"\x10\x00")
    at = open_page("home")
    assert any("tree_grid-sum.safetensors is not a whole safetensors file" in read(c.value) for c in at.caption)
    assert len(at.subheader) == len(DATASETS)


def test_home_needs_neither_torch_nor_charts() -> None:
    code = """
import sys
from streamlit.testing.v1 import AppTest
before = set(sys.modules)
at = AppTest.from_file("app.py", default_timeout=60).run()
assert not at.exception and len(at.subheader) == 6
heavy = {"torch", "torch_geometric", "plotly", "scipy", "networkx", "rdkit", "pandas"}
raise SystemExit(", ".join(sorted(heavy & (set(sys.modules) - before))) or 0)
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
