"""Many subgraphs at once give what PyG's layers give for each alone."""

from typing import Any

import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.gnn import predict as batch_module
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import InstanceBatch, SubgraphPredictor, Subgraphs, predict_all, predict_instance
from tests.toys.subsets import one_by_one, random_subsets


def predictor(name: str, kind: str, count: int = 8) -> SubgraphPredictor:
    dataset = load_dataset(name)
    model = GNN(dataset.task, kind, dataset.x.shape[1], dataset.num_classes).eval()
    return SubgraphPredictor(model, [dataset.instance(int(i), hops=model.hops) for i in dataset.explainable[:count]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "largest"), [("ba_community", 64), ("tree_grid", 1), ("ba_2motifs", 64)])
def test_equal_to_one_by_one(name: str, kind: str, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    predict, dataset = predictor(name, kind, 16), load_dataset(name)
    model = predict.model
    instances = [dataset.instance(int(i), hops=model.hops) for i in dataset.explainable[:16]]
    subsets, owner = random_subsets(instances, 200, largest, seed=1)
    predictions = predict(subsets, owner)
    expected = torch.stack(
        [one_by_one(model, instances[i], s[s >= 0].numpy()) for i, s in zip(owner, subsets, strict=True)]
    )
    assert (predictions.logits - expected).abs().max() < 1e-5
    whole = predict(torch.arange(25)[None]).probabilities[0] if name == "ba_2motifs" else None
    if whole is not None:
        assert np.allclose(whole, predict_instance(model, instances[0]), atol=1e-5)
        assert np.allclose(whole, predict_all(model, dataset)[instances[0].index], atol=1e-5)
    order = torch.rand(subsets.shape, generator=torch.Generator().manual_seed(0)).argsort(1)  # nor does padding matter
    shuffled = predict(subsets.gather(1, order), owner)
    assert torch.allclose(shuffled.logits, predictions.logits, atol=1e-5)
    evaluate = SubgraphPredictor.evaluate

    def small_device(self: SubgraphPredictor, subgraphs: Subgraphs) -> Any:
        if len(subgraphs.mask) > 100:
            raise torch.OutOfMemoryError("no room")
        return evaluate(self, subgraphs)

    monkeypatch.setattr(SubgraphPredictor, "evaluate", small_device)
    assert torch.allclose(predict(subsets, owner).logits, predictions.logits, atol=1e-6)  # in smaller parts


def test_both_ways_to_look_an_edge_up_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load_dataset("ba_shapes")
    instances = [dataset.instance(int(i)) for i in dataset.explainable[:5]]
    table = InstanceBatch(instances)
    monkeypatch.setattr(batch_module, "DENSE_CELLS", 0)
    search = InstanceBatch(instances)
    for number, instance in enumerate(instances):
        nodes = torch.arange(instance.num_nodes)
        which = torch.tensor(number)
        dense = table.joined(which, nodes[:, None], nodes[None, :])
        assert (dense == search.joined(which, nodes[:, None], nodes[None, :])).all()
        expected = np.zeros((instance.num_nodes, instance.num_nodes), dtype=bool)
        expected[instance.edge_index[0], instance.edge_index[1]] = True
        assert (dense.numpy() == expected).all()
