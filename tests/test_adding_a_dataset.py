"""A data set is added as the recipe says: then it is trained on, drawn, explained, compared, linked to and shown."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gfx_core import GFlowExplainer, load_dataset, load_model
from gfx_core.__main__ import main
from gfx_core.datasets import registry
from gfx_core.explanation import method_masks, run
from gfx_core.explanation.question import Question
from gfx_core.gfn import own_policies
from gfx_core.gnn import checkpoint
from gfx_core.job_context import JobContext
from gfx_core.layout import instance_layout
from pages.ui import jobs
from tests.pages.page_reading import bars_of, opened, texts
from tests.recipes import added_line, added_module, recipe

RECIPE = recipe("A data set")


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file, the line in the registry and the two commands, with hardly any training."""
    folder = tmp_path_factory.mktemp("added")
    with pytest.MonkeyPatch.context() as patch:
        module = added_module(RECIPE, folder, patch)
        line = added_line(RECIPE, "gfx_core/datasets/registry.py")
        eval(line, {**vars(module), "register": registry.register, "Numbered": registry.Numbered})
        patch.setattr(checkpoint, "MODELS", folder / "models")
        patch.setattr(own_policies, "POLICIES", folder / "policies")
        for command in ("train gnn --dataset rings", "train policy --dataset rings"):
            assert f"`python -m gfx_core {command}`" in RECIPE
            few = ("--epochs", "10", "--seeds", "1") if "gnn" in command else ("--epochs", "2")
            assert main([*command.split(), *few]) == 0
        yield folder
    del registry.DATASETS["rings"], registry._SOURCES["rings"]


def test_it_is_what_it_says() -> None:
    dataset = load_dataset("Rings")
    assert (dataset.num_nodes, dataset.num_classes, len(dataset.explainable)) == (80, 2, 40)
    assert dataset.instance(42).own_edges.sum() == 10
    assert not np.array_equal(registry.source_of("rings", "index").make(seed=1).edge_index, dataset.edge_index)


def test_it_is_laid_out_with_its_motif() -> None:
    instance = load_dataset("rings").instance(42)
    points = instance_layout(instance)[instance.own_nodes]
    sides = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    assert np.isfinite(points).all()
    assert sides.min() > 0.3


def test_it_is_explained_and_compared_by_its_name() -> None:
    question = Question("rings", "42", samples=8)
    trace = run.explain(question)
    assert (trace.dataset_title, trace.classes) == ("Rings", ("path", "ring"))
    assert any(edge.in_motif for edge in trace.edges)
    assert len(method_masks.score_edges(question, "degree").scores) == len(trace.edges)
    explainer = GFlowExplainer.load(own_policies.policy_path("rings"), samples=8)
    assert explainer.trace(load_model("rings"), load_dataset("rings"), 42).prediction == trace.prediction


def test_it_has_a_card_and_a_page_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # it is in this process's registry only: workers would read the one in the file
    monkeypatch.setattr(jobs, "run_job", lambda _title, request, **_: request.answer(JobContext()))
    assert any("eight rings" in html.proto.body for html in opened("home").get("html"))
    at = opened("datasets", dataset="rings", index="42")
    assert at.title[0].value == "Rings"
    assert "the five-cycle (5 edges, drawn thick)." in texts(at)
    assert [bar["name"] for bar in bars_of(at)] == ["path", "ring"]
