"""A policy that was trained for a moment, shared by the tests of the explainer."""

from pathlib import Path

import pytest

from gfx_core import GFlowExplainer, GFNConfig, load_dataset, load_model
from gfx_core.explanation import fragments, run
from gfx_core.gfn.settings import RewardConfig


@pytest.fixture(autouse=True)
def nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, students_learn_little: None) -> None:
    """What is trained on one prediction is kept in a folder of each test, and what was explained is forgotten."""
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    for remembered in (fragments.models, run._remembered):
        remembered.clear()


@pytest.fixture(scope="session")
def tree_explainer() -> GFlowExplainer:
    dataset = load_dataset("tree_cycles")
    config = GFNConfig(max_nodes=7, reward=RewardConfig(1.0), epochs=3)
    return GFlowExplainer(config, samples=40).fit(load_model("tree_cycles"), dataset, dataset.explainable[:24])


@pytest.fixture(scope="session")
def graph_explainer() -> GFlowExplainer:
    config = GFNConfig(max_nodes=6, reward=RewardConfig(1.0), epochs=2)
    return GFlowExplainer(config, samples=20).fit(load_model("ba_2motifs"), load_dataset("ba_2motifs"), range(12))
