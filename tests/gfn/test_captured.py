"""What the trainer samples, on every device there is; on a GPU it comes out of a CUDA graph."""

import networkx as nx
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.gfn.sampler import Draws, sample
from gfx_core.gfn.settings import GFNConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor

DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


def trainer(name: str, device: str, stop: Stop) -> Trainer:
    dataset = load_dataset(name)
    instances = [dataset.instance(int(i)) for i in dataset.explainable[:12]]
    predictor = SubgraphPredictor(load_model(name), instances, device)
    return Trainer(predictor, GFNConfig(max_nodes=7, epochs=5, stop=stop))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("name", ["tree_grid", "ba_2motifs"])
def test_what_is_sampled_is_valid_and_follows_the_weights(name: str, stop: Stop, device: str) -> None:
    subject = trainer(name, device, stop)
    generator = torch.Generator(device).manual_seed(0)
    episodes = subject.batches[0]
    for _ in range(3):
        trajectories, parents = subject.sample(episodes, generator)
        for row, (order, start) in enumerate(zip(trajectories.order.tolist(), episodes.start.tolist(), strict=True)):
            nodes = [node for node in order if node >= 0]
            instance = load_dataset(name).instance(int(load_dataset(name).explainable[int(episodes.instance[row])]))
            graph = nx.Graph(instance.edge_index.T.tolist())
            assert nodes[0] == start
            assert len(set(nodes)) == len(nodes) <= 7
            for size in range(1, len(nodes) + 1):
                subgraph = graph.subgraph(nodes[:size])
                assert nx.is_connected(subgraph)
                removable = set(nodes[:size]) - set(nx.articulation_points(subgraph)) - {start}
                assert set(parents[row, size - 1].nonzero()[:, 0].tolist()) == removable
        subject.step(trajectories, parents)  # the next round must see the new weights


@pytest.mark.parametrize("device", DEVICES)
def test_the_same_randomness_gives_the_same_trajectories_as_the_plain_sampler(device: str) -> None:
    subject = trainer("tree_grid", device, Stop.REWARD)
    episodes = subject.batches[0]
    each = torch.arange(len(episodes), device=device)
    for seed in range(3):
        trajectories, _ = subject.sample(episodes, torch.Generator(device).manual_seed(seed))
        order, log_forward = trajectories.order.clone(), trajectories.log_forward.clone()
        draws = Draws.empty(7, len(episodes), episodes.width + 1, torch.device(device))
        draws.fill(torch.Generator(device).manual_seed(seed))
        again = sample(subject.policy, episodes, each, subject.reward, epsilon=subject.config.epsilon, generator=draws)
        assert torch.equal(order, again.order)
        assert torch.allclose(log_forward, again.log_forward, atol=1e-4)
