"""Flows for one prediction without a policy that was trained before: exact ones, or learned on the spot, in time.

Where all connected subgraphs around the start node can be listed, flows are exact and nothing is learnt. Where they are
too many, those of somewhat fewer nodes are listed, or those among the nodes that matter most to the GNN: exact flows on
these tell more than a policy can learn in the same time. Where even they are too many, a policy is trained on this one
prediction. A deadline bounds all of it: how fast the GNN answers is measured first, and only what fits is listed.
"""

from dataclasses import dataclass, replace
from math import inf
from time import monotonic

import numpy as np
import torch

from gfx_core.arrays import Doubles, first_best
from gfx_core.baselines.method import Progress
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.exact_flows import log_partition
from gfx_core.exact.state_dag import EXACT_CAP, StateDag, TooManyStates, enumerate_states
from gfx_core.explanation.samplers import ExactSampler, Listing, SubgraphSampler, SubgraphSource
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Parents
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.gnn.predict import Predictor
from gfx_core.text.answers import only_fewer
from gfx_core.user_models.predictor import WINDOW, ModelInstance, ModelPredictor, growth, window

SECONDS = 30.0
"""How long listing and learning for one prediction may take."""
LISTED = 150_000
"""The most subgraphs that are listed for one prediction."""
LOCATING = 60_000
"""States from all nodes together that are listed to find where to start in a graph."""
_FEWER = (8, 7, 6, 5, 4, 3, 2)  # the most nodes of a subgraph, where there would be too many otherwise

LEAST = 6
"""Down to so many nodes of a subgraph exact flows are preferred to those of a policy that is kept with a data set."""
_SMALLEST = 5  # the same, where nothing is kept and the alternative is to look at fewer of the instance's nodes
_WINDOWS = (WINDOW, 90, 60, 40, 25)  # of so many nodes, where all of them are too many
_ASKING = 0.5  # share of the time left in which the GNN is asked; the rest is for flows, samples and the record
_PROBED = (16, 16, 64, 256, 2048)  # subgraphs of calls that show how fast the GNN answers; the first one loads things
_CHUNK = 8192  # subgraphs of one call; fewer of a GNN that answers less than this in a second:
_SLOW = 2000

EPOCHS, TRAJECTORIES, RATE, EXPLORING = 100, 32, 5e-3, 0.3
LEARNING = LearningConfig(steps_per_batch=4)
"""How a policy learns on the spot: many small steps, each on what was just sampled, nearly a third of it by chance. (On
instances of BA-Shapes that can be listed as well, three of four came within .03 of R/Z; with a tenth by chance or in 40
epochs, one or two.)"""
_LARGE = 400  # nodes: beyond, a step takes so long that fewer are taken
_FEWEST = 40  # epochs of a huge instance


class Deadline:
    """When an explanation is to be there.

    Args:
        seconds: From now on; ``None`` for no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = inf if seconds is None else float(seconds)
        self._end = monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds, below 0 when they are over."""
        return self._end - monotonic()

    @property
    def over(self) -> bool:
        return self.left <= 0

    def sooner(self, share: float) -> "Deadline":
        """The deadline for a part of the work that may take a share of the time left."""
        part = Deadline(max(0.0, share * self.left))
        part.seconds = self.seconds
        return part


@dataclass(frozen=True)
class Ready:
    """Flows that are ready to be drawn from.

    Attributes:
        source: The flows, on the instance or on the part of it that was looked at.
        start: Where to start; ``None`` leaves that to the flows.
        trained: The policy, where one was trained.
        notes: What was left out, in words.
    """

    source: SubgraphSource
    start: int | None
    trained: TrainedPolicy | None = None
    notes: tuple[str, ...] = ()


def flows_on_the_spot(
    config: GFNConfig,
    predictor: Predictor,
    instance: Instance,
    *,
    explained: int | None = None,
    start: int | None = None,
    tell: Progress | None = None,
    known: TrainedPolicy | None = None,
    deadline: Deadline | None = None,
) -> Ready:
    """Exact flows where all states can be listed; else those of a policy that is trained now.

    Args:
        config: K_M, the reward, and how a policy would be trained.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        explained: The class that is explained; the GNN's own answer by default.
        start: Where to start; by default the explained node, or the one from which most reward can be reached.
        tell: Progress how far it is.
        known: A policy that was trained here before.
        deadline: When it is to be there.
    """
    tell, deadline = tell or (lambda _share, _words: None), deadline or Deadline()
    tell(0.0, "listing subgraphs")
    cut = isinstance(predictor, ModelPredictor)  # others are asked about an instance as it is
    if cut and isinstance(instance, ModelInstance) and start is None and instance.target is None:
        instance, predictor = _looked_at(predictor, instance, window(instance))  # all its nodes are tried as a start
    reward = Reward(predictor, config.reward, explained)
    asking = deadline.sooner(_ASKING)
    rate = answers_per_second(reward, instance, start, config.max_nodes, asking) if asking.left < inf else inf
    answers = rate * max(0.0, asking.left) if asking.left < inf else inf  # for which there is time
    room = int(min(LISTED, answers))
    at = start
    if at is None:
        at = locate(config, predictor, instance, reward, most=min(LOCATING, room // 2), deadline=asking)
    part, begin, most = plan(instance, at, config.max_nodes, room, cut)
    if most is None:
        if answers >= min(config.epochs, _FEWEST) * TRAJECTORIES * config.max_nodes:
            trained = known or train_on(config, predictor, reward, at, tell, asking)
            if trained.curve:
                done = len(trained.curve)
                notes = (_stopped(done, trained.config.epochs, deadline),) if done < trained.config.epochs else ()
                return Ready(SubgraphSampler(trained, predictor, instance, explained), at, trained, notes)
        most = most_listable(part, begin, config.max_nodes, room, least=1) or 1
    if part is not instance:
        instance, predictor = _looked_at(predictor, instance, part)
        reward = Reward(predictor, config.reward, explained)
    chunk = _CHUNK if rate > _SLOW else max(16, int(rate))
    dag = enumerate_states(part, begin, max(2, most), cap=max(LISTED, part.num_nodes))
    listing = listed_in_time(reward, dag, part, asking, chunk)
    most = listing.dag.max_nodes
    exact = ExactSampler(replace(config, max_nodes=most), predictor, part, reward=reward, listings={begin: listing})
    exact.cap = max(exact.cap, listing.dag.num_states)
    if most == config.max_nodes:
        return Ready(exact, begin)
    hurried = room < LISTED or asking.over
    return Ready(exact, begin, notes=(_too_slow(most, deadline) if hurried else only_fewer(most),))


def _too_slow(most: int, deadline: Deadline) -> str:
    return (
        f"Only subgraphs of at most {most} nodes were looked at, so that the answer comes within {deadline.seconds:g} "
        "s. More time, seconds=…, allows more."
    )


def _stopped(done: int, epochs: int, deadline: Deadline) -> str:
    return (
        f"The policy was trained for {done} of {epochs} epochs, as long as {deadline.seconds:g} s allow: its samples "
        "may be far from P ∝ R. More time, seconds=…, allows more."
    )


def _looked_at(predictor: Predictor, instance: Instance, part: Instance) -> tuple[Instance, Predictor]:
    """A part of an instance, and the GNN on it."""
    if part is instance:
        return instance, predictor
    assert isinstance(predictor, ModelPredictor)
    return part, ModelPredictor(predictor.adapter, predictor.output, [part])


def answers_per_second(reward: Reward, instance: Instance, start: int | None, most: int, deadline: Deadline) -> float:
    """How many subgraphs the GNN answers in a second, measured on a few around a node, in a tenth of the time left."""
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    at = start if start is not None else instance.target if instance.target is not None else int(degree.argmax())
    try:
        dag = enumerate_states(instance, at, most, cap=_PROBED[-1])
    except TooManyStates as error:
        dag = enumerate_states(instance, at, max(1, error.fits), cap=_PROBED[-1])
    rate, allowed = inf, 0.1 * deadline.left
    for count in _PROBED:
        if rate < inf and count / rate > allowed:
            break
        spread = np.linspace(0, dag.num_states - 1, count).astype(np.int64)  # small and large ones
        some = torch.from_numpy(dag.subsets[spread]).to(reward.predictor.device)
        began = monotonic()
        float(reward(some, torch.zeros_like(some[:, 0])).sum())
        rate = count / max(monotonic() - began, 1e-9)
    return rate


def plan(instance: Instance, start: int, most: int, room: int, cut: bool = True) -> tuple[Instance, int, int | None]:
    """What is listed: all of an instance or the part that matters most, the start node in it, and K_M.

    All nodes with fewer of them in a subgraph come first, then fewer nodes. K_M is ``None`` where even among the
    fewest nodes there are too many subgraphs.

    Args:
        instance: The instance.
        start: The start node.
        most: K_M as it is wanted.
        room: How many subgraphs there is time for.
        cut: Whether a part may be cut out.
    """
    fits = most_listable(instance, start, most, room, _SMALLEST)
    if fits is not None or not (cut and isinstance(instance, ModelInstance)):
        return instance, start, fits
    order, part, at = growth(instance, WINDOW, start), instance, start
    for count in _WINDOWS:
        if count >= instance.num_nodes:
            continue
        part = window(instance, count, order)
        at = int(np.flatnonzero(part.nodes == instance.nodes[start])[0])
        fits = most_listable(part, at, most, room, _SMALLEST)
        if fits is not None:
            break
    return part, at, fits


def listed_in_time(
    reward: Reward, dag: StateDag, instance: Instance, deadline: Deadline, chunk: int = _CHUNK
) -> Listing:
    """All states with log R of each; where time is over before, those of fewer nodes, and of two at least."""
    nodes, found, done = torch.from_numpy(dag.subsets).to(reward.predictor.device), [], 0
    needed = int(dag.level_ptr[min(2, dag.num_levels)])
    for part in nodes.split(chunk):
        if deadline.over and done >= needed:
            break
        found.append(reward(part, torch.zeros_like(part[:, 0])))
        done += len(part)
    log_reward: Doubles = torch.cat(found).double().cpu().numpy()
    if not np.isfinite(log_reward).all():
        raise UserError("The GNN puts out numbers that are too large to be compared: scale its features or outputs.")
    if done < dag.num_states:
        levels = int(np.searchsorted(dag.level_ptr, done, side="right")) - 1
        dag = enumerate_states(instance, dag.start, levels, cap=dag.num_states)
        log_reward = log_reward[: dag.num_states]
    return Listing(dag, log_reward)


def most_listable(
    instance: Instance, start: int, most: int, cap: int = EXACT_CAP, least: int | None = None
) -> int | None:
    """With how many nodes, from ``least`` or `LEAST` to ``most``, all subgraphs around a node can be listed, if any."""
    try:
        enumerate_states(instance, start, most, cap=cap)
    except TooManyStates as error:
        return error.fits if error.fits >= min(LEAST if least is None else least, most) else None
    return most


def locate(
    config: GFNConfig,
    predictor: Predictor,
    instance: Instance,
    reward: Reward | None = None,
    *,
    most: int = LOCATING,
    deadline: Deadline | None = None,
) -> int:
    """The node to start from where no locator has learnt it: the explained one, or the one with most reward in reach.

    In a graph all connected subgraphs from every node are listed; where they are too many, those of fewer nodes.

    Args:
        config: K_M, and the reward.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        reward: What a subgraph is worth; that of the config by default.
        most: States from all nodes together that may be listed.
        deadline: When the node is to be known; else it is the one with the most neighbours.
    """
    if instance.target is not None:
        return instance.target
    reward = reward or Reward(predictor, config.reward)
    deadline = deadline or Deadline()
    for size in (config.max_nodes, *(fewer for fewer in _FEWER if fewer < config.max_nodes)):
        subsets: list[np.ndarray] = []
        try:
            for node in range(instance.num_nodes):
                cap = most - sum(map(len, subsets))
                if cap < instance.num_nodes - node or deadline.over:
                    raise TooManyStates("too many to find a start node by")
                subsets.append(enumerate_states(instance, node, size, cap=cap).subsets)
        except TooManyStates:
            continue
        wide = max(part.shape[1] for part in subsets)
        padded = [np.pad(part, ((0, 0), (0, wide - part.shape[1])), constant_values=-1) for part in subsets]
        nodes = torch.from_numpy(np.concatenate(padded)).to(predictor.device)
        found = [reward(part, torch.zeros_like(part[:, 0])) for part in nodes.split(8192)]
        parts = torch.cat(found).double().cpu().split([len(part) for part in subsets])
        return first_best([log_partition(part.numpy()) for part in parts])
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    return int(degree.argmax())  # a huge graph: where most is near


def quickly(config: GFNConfig, nodes: int) -> GFNConfig:
    """How a policy for one instance of so many nodes is trained while somebody waits: fewer epochs if it is large."""
    epochs = config.epochs
    return replace(
        config,
        policy=replace(config.policy, hidden=min(64, config.policy.hidden)),
        learning=LEARNING,
        epochs=max(min(epochs, _FEWEST), min(epochs, round(epochs * _LARGE / nodes))),
        lr=RATE,
        epsilon=EXPLORING,
    )


def train_on(
    config: GFNConfig, predictor: Predictor, reward: Reward, start: int, tell: Progress, deadline: Deadline
) -> TrainedPolicy:
    """A policy for one instance and start node alone, trained until the deadline."""
    if config.parents is Parents.GRAPH:
        raise UserError("A policy that is trained on the spot needs connected parents: choose parents=valid.")

    def after(report: EpochReport) -> None:
        tell(report.epoch / report.epochs, f"training a policy, log R {report.log_reward:.1f}")

    quick = quickly(config, int(predictor.graphs.sizes[0]))
    with torch.enable_grad():
        trainer = Trainer(predictor, quick, reward=reward, start=start, repeats=TRAJECTORIES)
        trainer.fit(after, lambda: deadline.over)
    return TrainedPolicy.of(trainer)
