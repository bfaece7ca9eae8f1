"""A network asked about all states at once says what it says along trajectories."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from gfx_core.gfn.dag_flows import Paths
from gfx_core.gfn.network_flows import NetworkFlows
from gfx_core.gfn.sampler import Trajectories, parent_nodes
from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.gfn.state_dag import StateDag
from gfx_core.gfn.tabular import loss_on
from gfx_core.gfn.trainer import Trainer
from gfx_core.question import Question
from gfx_core.training.dag_lane import DagLane
from gfx_core.training.lane import Environment, tabular_config, trainer_config
from gfx_core.training.setting import LaneSetting, NetworkKind

SETTING = LaneSetting(Question("tree_cycles", "612"), max_nodes=5, batch=24, beta=3.0, epsilon=0.5)


def as_trajectories(trainer: Trainer, dag: StateDag, paths: Paths) -> Trajectories:
    """The same trajectories as a trainer samples them."""
    (episodes,) = trainer.batches
    nodes = np.append(dag.node, -1)[paths.edges.numpy()].T[:, : trainer.config.max_nodes - 1]
    order = np.concatenate([np.full((len(nodes), 1), dag.start), nodes], axis=1)
    zeros = torch.zeros(len(nodes), dtype=torch.long)
    return Trajectories(episodes, zeros, torch.from_numpy(order), None, zeros.float())


@pytest.mark.parametrize("network", list(NetworkKind))
@pytest.mark.parametrize("stop", list(Stop))
@pytest.mark.parametrize("parents", list(Parents))
@pytest.mark.parametrize("loss", [Loss.FLOW_MATCHING, Loss.TRAJECTORY_BALANCE, Loss.TRAJECTORY_BALANCE_CONDITIONAL])
def test_the_loss_is_the_trainers(loss: Loss, parents: Parents, stop: Stop, network: NetworkKind) -> None:
    setting = replace(SETTING, loss=loss, parents=parents, stop=stop, network=network)
    environment = Environment(setting, 1e6)
    lane = DagLane(setting, environment)
    flows = lane.flows
    assert isinstance(flows, NetworkFlows)
    config = replace(trainer_config(setting), delta=None)
    trainer = Trainer(environment.predictor, config, repeats=setting.batch)
    trainer.policy.load_state_dict(flows.policy.state_dict())
    if flows.log_z_of is not None:
        trainer.objective.get_submodule("log_z").load_state_dict(flows.log_z_of.state_dict())
    paths = flows.sample(setting.batch, torch.Generator().manual_seed(0), setting.epsilon)
    trajectories = as_trajectories(trainer, flows.dag, paths)
    expected = trainer.loss(trajectories, parent_nodes(trajectories, parents)).loss
    expected.backward()
    got = loss_on(flows, tabular_config(setting), paths)[0]
    got.backward()
    assert float(got.detach()) == pytest.approx(float(expected.detach()), rel=1e-4)
    for mine, other in zip(flows.policy.parameters(), trainer.policy.parameters(), strict=True):
        if other.grad is not None:
            assert mine.grad is not None
            assert torch.allclose(mine.grad, other.grad, rtol=2e-3, atol=2e-3 * float(other.grad.abs().max() + 1e-3))
