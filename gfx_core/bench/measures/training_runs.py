"""One training of the policy, followed to its end: the cell of the convergence study."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import spread
from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import subject_of
from gfx_core.bench.measures.listed import listed
from gfx_core.bench.protocol import TRAININGS
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.draw_many import draw_many
from gfx_core.explainers.edge_scores import expected_marginals
from gfx_core.gfn.exact import log_partition
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.losses import log_out_flow
from gfx_core.gfn.objectives import TrajectoryBalance
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.reports import EpochReport, NotANumberError
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, parent_nodes, sample
from gfx_core.gfn.settings import GFNConfig, Parents, PolicyConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gfn.visited import Visited
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc

POINTS = 100
"""Points of a curve."""
SAMPLES = 64
WATCHED = 64
"""Instances on which the residual is measured."""
EXACT, CANDIDATES, CAP = 10, 40, 20_000
"""At most so many instances are enumerated, found among so many candidates; each has at most so many states."""


def config_of(cell: Cell) -> GFNConfig:
    """How a cell is trained, from samples alone: losses and parents are compared, not exact targets.

    The paper's way: its network, a STOP head, no δ, batches of 64, about as many steps.
    """
    config = replace(policy_config(cell.dataset).sampled, policy=PolicyConfig(), lr=1e-2, epochs=1000)
    if cell.variant == "paper":
        network = PolicyConfig(context=False)
        config = replace(config, policy=network, stop=Stop.LEARNED, delta=None, batch_size=64, epochs=200)
    _, loss, parents = TRAININGS[cell.method]
    return config.with_options(loss=loss, parents=parents, seed=cell.seed, epochs=cell.options.get("epochs"))


def train(cell: Cell) -> dict[str, Any]:
    """Train one policy, follow it, and judge what came of it.

    Options: ``device``; ``limit``, only so many instances, evenly spread; ``epochs``, another length of training.
    """
    (_, model, instances), config = subject_of(cell), config_of(cell)
    predictor = SubgraphPredictor(model, instances, cell.device)
    trainer = Trainer(predictor, config)
    curve = Curve(trainer, instances)
    stopped = None
    try:
        trainer.fit(curve.add)
    except NotANumberError as error:  # a training that breaks is a result too: the last good weights are judged
        stopped = str(error)
    trained = TrainedPolicy.of(trainer, cell.dataset, str(model.kind))
    drawn = draw_many(trained, predictor, SAMPLES, cell.seed)
    scores = [expected_marginals(*each) for each in zip(instances, drawn.grown, drawn.reach, strict=True)]
    values = {
        "instances": len(instances),
        "samples": SAMPLES,
        "auc_own": pooled_auc(instances, scores),
        "auc_all": pooled_auc(instances, scores, "all"),
        "log_reward": float(drawn.log_reward.mean()),
        "residual": curve.residual(),
        "fit_s": sum(report.seconds for report in trainer.curve),
        "stopped": stopped,
        "config": config.as_dict(),
        "curve": curve.points,
    }
    return values | exactness(trainer, trained, model, instances)


class Curve:
    """Loss, residual and mean log R along a training, thinned.

    Losses and rewards are means over the epochs since the last point, of trajectories that explore. The residual is
    measured at each point in the same way for all trainings, whatever their loss: on trajectories that the policy
    draws from the same instances without exploring, against all valid parents.

    Args:
        trainer: The training.
        instances: What it trains on.
    """

    def __init__(self, trainer: Trainer, instances: Sequence[Instance]) -> None:
        self.trainer = trainer
        chosen = spread(np.arange(len(instances)), WATCHED)
        starts = np.array([start_of(instances[i]) for i in chosen], dtype=np.int64)
        self.episodes = Episodes.of(trainer.graphs, chosen, starts)
        self._looks = set(np.linspace(1, trainer.config.epochs, POINTS).round().astype(int).tolist())
        self._since: list[EpochReport] = []
        self.points: dict[str, list[float]] = {"epoch": [], "loss": [], "residual": [], "log_reward": []}

    def add(self, report: EpochReport) -> None:
        """An epoch has ended."""
        self._since.append(report)
        if report.epoch in self._looks:
            self.points["epoch"].append(report.epoch)
            self.points["residual"].append(self.residual())
            for name in ("loss", "log_reward"):
                self.points[name].append(float(np.mean([getattr(one, name) for one in self._since])))
            self._since = []

    def residual(self) -> float:
        """Mean |log in-flow − log out-flow| of the policy as it is now."""
        trainer, device = self.trainer, self.trainer.device
        generator = torch.Generator(device).manual_seed(trainer.config.seed)
        each = torch.arange(len(self.episodes), device=device)
        drawn = sample(trainer.policy, self.episodes, each, trainer.reward, generator=generator)
        return flow_residual(trainer.policy, drawn, trainer.reward)


@torch.no_grad()
def flow_residual(policy: FlowPolicy, trajectories: Trajectories, reward: Reward) -> float:
    """Mean |log in-flow − log out-flow| over the visited states but the first, all valid parents counted.

    STOP's flow is R(s), also where a policy has a head for it. (Trajectory balance leaves the scale of the flows of
    such a policy open; there the residual says nothing of its probabilities.)
    """
    visited = Visited.by(policy, trajectories, parent_nodes(trajectories, Parents.VALID), reward)
    apart = (visited.log_in - log_out_flow(visited.flows.log_out, visited.log_reward)).abs()  # [N]
    later = visited.size > 1
    return float(apart[later].mean()) if bool(later.any()) else 0.0


def start_of(instance: Instance) -> int:
    """The explained node; in a graph task the first node of the motif, the same for all trainings."""
    if instance.target is not None:
        return instance.target
    return int(np.argmax(instance.own_nodes))


def exactness(trainer: Trainer, trained: TrainedPolicy, model: GNN, instances: Sequence[Instance]) -> dict[str, Any]:
    """Total variation from R/Z where all subgraphs can be listed, and there the learned log Z beside the true one."""
    found, distances, true, learned = [], [], [], []
    candidates = (instances[i] for i in spread(np.arange(len(instances)), CANDIDATES))
    known = listed(trained, model, candidates, lambda generator: start_of(generator.instance), CAP, trainer.device)
    for each in islice(known, EXACT):
        found.append(each.instance.index)
        distances.append(each.distance(each.log_policy()))
        true.append(log_partition(each.log_reward))
        if isinstance(trainer.objective, TrajectoryBalance):
            with torch.no_grad():
                learned.append(float(trainer.objective.log_z(each.generator.graphs.features[[each.dag.start]])))
    values: dict[str, Any] = {"enumerated": found}
    if found:
        values |= {"distance": float(np.mean(distances)), "distances": distances, "log_z_true": true}
    if learned:
        values |= {"log_z": learned, "log_z_error": float(np.abs(np.subtract(learned, true)).mean())}
    return values
