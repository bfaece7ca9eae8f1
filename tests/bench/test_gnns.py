"""The GNNs of studies: trained once, kept and read as they were; and what they predict of motifs and fragments."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.bench import gnns
from gfx_core.bench.gnns import ExplainedGNN, gnn_config, measure, study_gnn
from gfx_core.bench.studies import STUDIES, Cell
from gfx_core.errors import UserError
from gfx_core.gnn.predict import predict_instance
from gfx_core.gnn.training import parts_of, score, step_of
from gfx_core.parallel import Workers
from gfx_core.user_models.predictor import predictor_on


def test_the_first_seed_of_ours_is_shipped_and_no_other_was_tried_for_it() -> None:
    for kind in ("sum", "sum-plain"):
        model, accuracy = study_gnn("tree_cycles", f"{kind}-0")
        shipped = load_model("tree_cycles", kind).state_dict()
        assert all(torch.equal(value, shipped[name]) for name, value in model.state_dict().items())
        assert (model.name, accuracy) == (kind, 1.0)
    assert [gnn_config("tree_cycles", f"sum-{seed}").seed for seed in range(3)] == [0, 3, 4]
    assert gnn_config("tree_cycles", "sum-1").fragments > 0
    assert gnn_config("tree_cycles", "sum-plain-1").fragments == gnn_config("tree_cycles", "gin-1").fragments == 0


@pytest.mark.parametrize(
    ("dataset", "gnn"), [("tree_cycles", "gin-1"), ("tree_cycles", "sum-1"), ("ba_either", "gcn-1")]
)
def test_a_missing_gnn_is_trained_once_and_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dataset: str, gnn: str
) -> None:
    monkeypatch.setattr(gnns, "gnn_config", lambda *name: replace(gnn_config(*name), epochs=1))
    monkeypatch.setattr("gfx_core.bench.studies.GNNS", tmp_path)
    with pytest.raises(UserError, match="bench gnns"):
        study_gnn(dataset, gnn)
    names = [(dataset, "sum-0"), (dataset, gnn)]  # the first is shipped
    (line,) = gnns.train_gnns(names, Workers(1), "cpu")
    assert line.startswith(f"{dataset} {gnn}: ")
    assert list(gnns.train_gnns(names, Workers(1), "cpu")) == []
    (model, accuracy), data = study_gnn(dataset, gnn), load_dataset(dataset)
    assert accuracy == score(model, step_of(data, "cpu"), parts_of(data, 0)["test"])[1]
    assert not model.training


# What they predict


def reasons(dataset: str, gnn: str = "sum-0", **options: Any) -> Cell:
    return Cell("reasons", dataset, gnn.rpartition("-")[0], 0, "", gnn, {**STUDIES["reasons"].options, **options})


@pytest.mark.parametrize("dataset", ["ba_shapes", "ba_2motifs"])
def test_probabilities_of_the_motif_alone_and_of_the_rest(dataset: str) -> None:
    cell = reasons(dataset, limit=6, fragments=3)
    gnn, values = ExplainedGNN(cell), measure(cell)
    assert len(values["right"]) == len(values["owners"]) == 6
    for number, instance in enumerate(gnn.scored()[0]):
        predicted = predict_instance(gnn.model, instance).argmax()  # type: ignore[arg-type]
        motif = predictor_on(gnn.model, [instance.part(instance.own_nodes)]).whole.probabilities[0, predicted]
        assert values["motif_alone"][number] == pytest.approx(float(motif), abs=1e-4)
        kept = ~instance.own_edges[instance.undirected][None]
        rest = predictor_on(gnn.model, [instance]).with_edges(instance, kept).probabilities[0, predicted]
        assert values["without_motif"][number] == pytest.approx(float(rest), abs=1e-4)
        assert values["prior"][number] == pytest.approx((gnn.dataset.y == instance.y).mean(), abs=1e-4)
