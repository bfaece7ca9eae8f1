"""The study of fragments: what it records, what it says, and what it draws."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.bench.gnns import PLAIN, TRAINED, Calibration
from gfx_core.bench.measures.gnn_answers import NODES, answers, fragment_answers, held_out
from gfx_core.bench.study import Cell
from gfx_core.gnn import checkpoint
from gfx_core.gnn.checkpoint import ModelHeader, model_path, save_model
from gfx_core.gnn.training import FragmentSource, TrainingConfig, split, train
from tests.toys.gnns import random_gnn

STUDY = Calibration()


def header(name: str, **config: Any) -> ModelHeader:
    dataset = load_dataset(name)
    sizes = {"in_channels": dataset.x.shape[1], "num_classes": dataset.num_classes, "hidden": 8}
    return ModelHeader(name, dataset.task, "sum", **sizes, accuracy={"test": 0.5}, training={"config": config})


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_answers_are_those_of_single_fragments(name: str) -> None:
    dataset = load_dataset(name)
    model = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), std=0.7)
    indices = np.array([3, 700, 510])
    confidence, right, size = answers(dataset, model, indices, count=40, seed=2)
    source, which = FragmentSource(dataset), np.tile(indices, 14)
    fragments = source.around(which, NODES[dataset.task], torch.Generator().manual_seed(2))
    assert len(confidence) == len(right) == len(size) == 42
    for i, nodes in enumerate(fragments.nodes):
        real = nodes[nodes >= 0]
        assert size[i] == len(real)
        inside = np.isin(dataset.edge_index, real.numpy()).all(0)
        place = {int(node): number for number, node in enumerate(real)}
        edges = [[place[int(node)] for node in end[inside]] for end in dataset.edge_index]
        x, edge_index = torch.from_numpy(dataset.x)[real], torch.tensor(edges, dtype=torch.long)
        logits = model(x, edge_index, torch.zeros(len(real), dtype=torch.long)) if name == "ba_2motifs" else None
        answer = (model(x, edge_index)[0] if logits is None else logits[0]).softmax(-1)
        assert confidence[i] == pytest.approx(float(answer.detach().max()), abs=1e-5)
        assert right[i] == (int(answer.argmax()) == dataset.y[which[i]])


def test_the_test_part_is_that_of_the_training() -> None:
    dataset = load_dataset("tree_cycles")
    both = [header("tree_cycles", seed=4, split_seed=1), header("tree_cycles", seed=1)]  # headers once had one seed
    assert all((held_out(each, dataset) == split(len(dataset.y), 1)[2]).all() for each in both)
    config = TrainingConfig(epochs=1, fragments=16, split_seed=3, hidden=4)
    _, made = train(dataset, config)
    assert (held_out(made, dataset) == split(len(dataset.y), 3)[2]).all()


@pytest.fixture
def two_gnns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain and a fragment-trained GNN of Tree-Cycles, of random weights, in place of the shipped ones."""
    monkeypatch.setattr(checkpoint, "MODELS", tmp_path)
    about = header("tree_cycles", seed=0)
    for seed, gnn in enumerate(("sum", "sum-plain")):
        model = random_gnn(about.task, "sum", (about.in_channels, about.num_classes), std=1.0, seed=seed)
        save_model(model, about, model_path("tree_cycles", gnn))
    assert asdict(about)["training"]


def record(method: str, values: dict[str, Any], dataset: str = "tree_cycles") -> dict[str, Any]:
    cell = Cell("calibration", dataset, method, 0)
    base = {"key": cell.key, "dataset": dataset, "method": method, "seed": 0, "variant": "", "options": {}}
    return base | {"status": "done", "values": values}


@pytest.mark.usefixtures("two_gnns")
def test_what_is_recorded_and_drawn() -> None:
    found = [
        record(method, fragment_answers(Cell("calibration", "tree_cycles", method, 0, options={"fragments": 200})))
        for method in STUDY.methods
    ]
    for each in (one["values"] for one in found):
        assert each["fragments"] >= 200
        assert 0 <= each["error"] <= 1
        assert sum(each["bins"]["count"]) == sum(each["sizes"]["count"]) == each["fragments"]
        assert each["sizes"]["nodes"] == sorted(each["sizes"]["nodes"])
        assert np.average(each["bins"]["accuracy"], weights=each["bins"]["count"]) == pytest.approx(
            each["accuracy"], abs=1e-4
        )
        assert np.average(each["sizes"]["confidence"], weights=each["sizes"]["count"]) == pytest.approx(
            each["confidence"], abs=1e-4
        )
    assert found[0]["values"]["confidence"] != found[1]["values"]["confidence"]  # two GNNs
    assert found[0]["values"]["sizes"]["count"] == found[1]["values"]["sizes"]["count"]  # the same fragments
    figure = STUDY.figure(found)
    assert len(figure.data) == 1 + 2 * 3
    assert [line.name for line in figure.data if line.showlegend is not False] == list(STUDY.methods.values())
    assert len(STUDY.tables(found)[0].rows) == 2


def values(error: float, accuracy: float = 0.5, confidence: float = 0.9) -> dict[str, Any]:
    return {"error": error, "accuracy": accuracy, "confidence": confidence}


def test_what_it_says() -> None:
    records = [
        record(PLAIN, values(0.4)),
        record(TRAINED, values(0.02, 0.7, 0.71)),
        record(PLAIN, values(0.1), "ba_2motifs"),
        record(TRAINED, values(0.095), "ba_2motifs"),
        record(PLAIN, values(0.3), "tree_grid"),
    ]
    assert "better calibrated on fragments on 1 of 2 data sets" in STUDY.finding(records)
    assert STUDY.finding([]) == ""
