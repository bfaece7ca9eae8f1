"""A policy that was trained for a moment, shared by the tests of the explainer."""

from pathlib import Path

import pytest

from gfx_core import GFlowExplainer, GFNConfig, load_dataset, load_model
from gfx_core.user_models.student import StudentConfig


@pytest.fixture(autouse=True)
def nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is trained on one prediction is kept in a folder of each test."""
    monkeypatch.setenv("GFX_DATA", str(tmp_path))


@pytest.fixture(autouse=True)
def students_learn_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a student must learn to be of use is tested with it; here it is enough that there is one."""
    short = StudentConfig(steps=10, each=4, fragments=64)
    monkeypatch.setattr(StudentConfig, "of", classmethod(lambda _cls, _task: short))


@pytest.fixture(scope="session")
def tree_explainer() -> GFlowExplainer:
    dataset = load_dataset("tree_cycles")
    config = GFNConfig(max_nodes=7, epochs=3)
    return GFlowExplainer(config, samples=40).fit(load_model("tree_cycles"), dataset, dataset.explainable[:24])


@pytest.fixture(scope="session")
def graph_explainer() -> GFlowExplainer:
    config = GFNConfig(max_nodes=6, epochs=2)
    return GFlowExplainer(config, samples=20).fit(load_model("ba_2motifs"), load_dataset("ba_2motifs"), range(12))
