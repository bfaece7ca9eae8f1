"""The locator: an MLP on embeddings, trained by a divergence that is computed by hand here."""

import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.gfn.policy import StartLocator, locator_loss
from gfx_core.gnn.predict import SubgraphPredictor


@pytest.fixture(scope="module")
def predictor() -> SubgraphPredictor:
    dataset = load_dataset("ba_2motifs")
    return SubgraphPredictor(load_model("ba_2motifs"), [dataset.instance(i) for i in (0, 3, 700)])


@pytest.fixture
def locator(predictor: SubgraphPredictor) -> StartLocator:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return StartLocator(predictor.whole.embedding.shape[1], predictor.node_embedding.shape[1])


def test_the_divergence_of_many_starts() -> None:
    generator = torch.Generator().manual_seed(0)
    omega, log_reward = torch.randn(2, 6, 4, generator=generator, dtype=torch.float64)
    expected = 0.0
    for row in range(6):
        p = log_reward[row].exp() / log_reward[row].exp().sum()
        q = omega[row].exp() / omega[row].exp().sum()
        expected += float((p * (p.log() - q.log())).sum()) / 6
    assert locator_loss(omega, log_reward).item() == pytest.approx(expected)


def test_the_gradient_is_the_difference_of_the_distributions() -> None:
    generator = torch.Generator().manual_seed(1)
    omega, log_reward = torch.randn(2, 3, 4, generator=generator, dtype=torch.float64)
    omega.requires_grad_()
    locator_loss(omega, log_reward).backward()
    assert torch.allclose(omega.grad, (omega.softmax(1) - log_reward.softmax(1)) / 3)


def test_influence_comes_from_both_embeddings(predictor: SubgraphPredictor, locator: StartLocator) -> None:
    instance, node = torch.tensor([0, 1, 2, 2]), torch.tensor([4, 0, 24, 3])
    omega = locator(predictor, instance, node)
    assert omega.shape == (4,)
    for row, (i, v) in enumerate(zip(instance.tolist(), node.tolist(), strict=True)):
        x = predictor.graphs.x[25 * i : 25 * (i + 1)]
        edges = predictor.graphs.edge_index[:, predictor.graphs.owner[predictor.graphs.edge_index[0]] == i] - 25 * i
        nodes = predictor.model.embed(x, edges)
        graph = torch.cat([nodes.max(0).values, nodes.mean(0)])
        expected = locator.mlp(torch.cat([graph, nodes[v]]))[0]
        assert torch.allclose(omega[row], expected, atol=1e-5)


def test_the_layers_are_the_papers(locator: StartLocator) -> None:
    linear = [layer for layer in locator.mlp if isinstance(layer, torch.nn.Linear)]
    assert [layer.out_features for layer in linear] == [64, 8, 1]
    assert linear[0].in_features == sum(locator.widths)


def test_probabilities_of_graphs_of_different_sizes(locator: StartLocator) -> None:
    whole, sizes = load_dataset("ba_2motifs").instance(0), (1, 7, 25)
    predictor = SubgraphPredictor(load_model("ba_2motifs"), [whole.part(np.arange(25) < size) for size in sizes])
    for number, size in enumerate(sizes):
        probabilities, nodes = locator.probabilities(predictor, number), torch.arange(size)
        assert not probabilities.requires_grad
        omega = locator(predictor, torch.full_like(nodes, number), nodes)
        assert torch.allclose(probabilities, omega.softmax(0))


def test_it_learns_where_the_reward_is(predictor: SubgraphPredictor, locator: StartLocator) -> None:
    """Gradients reach every layer, and following them moves the mass to the best start."""
    instance, node = torch.zeros(4, dtype=torch.long), torch.tensor([0, 9, 20, 24])
    log_reward = torch.tensor([[-4.0, -4.0, 0.0, -4.0]])
    optimizer = torch.optim.Adam(locator.parameters(), lr=1e-2)
    losses = []
    for _ in range(100):
        loss = locator_loss(locator(predictor, instance, node)[None], log_reward)
        optimizer.zero_grad()
        loss.backward()
        if not losses:
            assert all(p.grad.isfinite().all() and p.grad.abs().max() > 0 for p in list(locator.parameters())[:-1])
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
    assert locator(predictor, instance, node).argmax() == 2
