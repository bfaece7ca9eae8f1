"""A network asked about all states at once says what it says along trajectories, with the same loss and gradients."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from gfx_core.exact.tabular import NetworkFlows, Paths

from gfx_core import load_dataset, load_model
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.gfn.exact_targets import rewarded
from gfx_core.gfn.objectives import FlowObjective
from gfx_core.gfn.sampler import Trajectories, parent_nodes
from gfx_core.gfn.settings import GFNConfig, Loss, Parents, PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor

BATCH = 24
CONFIG = GFNConfig(max_nodes=5, batch_size=BATCH, epsilon=0.5, delta=None, reward=RewardConfig(3.0))


def as_trajectories(trainer: Trainer, dag: StateDag, paths: Paths) -> Trajectories:
    """The same trajectories as a trainer samples them."""
    (episodes,) = trainer.batches
    nodes = np.append(dag.node, -1)[paths.edges.numpy()].T[:, : trainer.config.max_nodes - 1]
    order = np.concatenate([np.full((len(nodes), 1), dag.start), nodes], axis=1)
    zeros = torch.zeros(len(nodes), dtype=torch.long)
    return Trajectories(episodes, zeros, torch.from_numpy(order), None, zeros.float())


CONFIGS = [
    replace(CONFIG, loss=loss, parents=parents, stop=stop, policy=PolicyConfig(context=stop is Stop.REWARD))
    for loss in (Loss.FLOW_MATCHING, Loss.TRAJECTORY_BALANCE_CONDITIONAL)
    for parents, stop in product(Parents, Stop)
]
for number, loss in enumerate((Loss.DETAILED_BALANCE, Loss.MODIFIED_DETAILED_BALANCE, Loss.SUB_TRAJECTORY_BALANCE)):
    for stop, learned in product(Stop, (True, False)):
        looking = (number + learned + (stop is Stop.LEARNED)) % 2 == 0
        network = PolicyConfig(learned_backward=learned, forward_looking=looking)
        CONFIGS.append(replace(CONFIG, loss=loss, stop=stop, policy=network))


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{config.loss}-{config.parents}-{config.stop}")
def test_the_loss_is_the_trainers(config: GFNConfig) -> None:
    model, dataset = load_model("tree_cycles"), load_dataset("tree_cycles")
    instance = dataset.instance(612, hops=model.hops)
    trainer = Trainer(SubgraphPredictor(model, [instance]), config, repeats=BATCH)
    if config.policy.learned_backward:
        torch.nn.init.normal_(trainer.policy.back.weight)
    dag = enumerate_states(instance, max_nodes=5)
    flows = NetworkFlows(trainer.policy, trainer.graphs, rewarded(trainer.reward, [dag]), config)
    paths = flows.sample(BATCH, torch.Generator().manual_seed(0), config.epsilon)
    trajectories = as_trajectories(trainer, dag, paths)
    expected = trainer.loss(trajectories, parent_nodes(trajectories, config.parents))
    assert isinstance(trainer.objective, FlowObjective)
    got = trainer.objective.terms(flows.visited(paths))
    found = []
    for loss in (expected.loss, got.loss):
        trainer.modules.zero_grad(set_to_none=True)
        loss.backward()
        found.append([None if each.grad is None else each.grad.clone() for each in trainer.modules.parameters()])
    assert got.loss.item() == pytest.approx(expected.loss.item(), rel=1e-4)
    if not config.policy.forward_looking:  # else the trainer knows the in-flow along the trajectory alone
        assert float(got.residual) == pytest.approx(float(expected.residual), rel=1e-3)
    assert torch.allclose(got.log_reward.float(), expected.log_reward.float(), atol=1e-4)
    largest = max(float(each.abs().max()) for each in found[0] if each is not None)
    for wanted, mine in zip(*found, strict=True):
        if wanted is not None and mine is not None:
            assert torch.allclose(mine, wanted, rtol=2e-3, atol=2e-3 * largest)
