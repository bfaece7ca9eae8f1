"""Flows for one prediction: one ladder for whoever asks, and what was decided is said.

A trained policy's flows where there is one and no exact ones are asked for. Else all connected subgraphs around the
start node are listed, and flows are exact. Where they are too many, those of somewhat fewer nodes are listed, or those
among the nodes that matter most to the GNN: exact flows on these tell more than a policy can learn in the same time.
Where even they are too many, a policy is trained on this one prediction, and compared with exact flows on subgraphs so
small that they can be listed; if it is far from them, these are what is shown. A deadline bounds all of it: how fast
the GNN answers is measured first, and only what fits is listed.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from time import monotonic

import numpy as np
import torch

from gfx_core.config import FlowSource
from gfx_core.datasets.instance import Instance
from gfx_core.device import to_explain
from gfx_core.exact.enumeration import ENUMERATION_CAP, StateDag, TooManyStates, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.exact.tabular import can_be_tabulated
from gfx_core.explanation.finetune import FEWEST, TRAJECTORIES, Watch, finetuned_policy, policy_from_scratch
from gfx_core.explanation.fragments import through_student
from gfx_core.explanation.locate import CHUNK, LOCATING, Located, listed_in_time, locate
from gfx_core.explanation.question import tuning_plan
from gfx_core.explanation.samplers import (
    ExactSampler,
    SubgraphSampler,
    SubgraphSource,
)
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import changed_config, changed_policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import Deadline, JobContext
from gfx_core.text.answers import note
from gfx_core.trace.schema import TUNED
from gfx_core.user_models.predictor import WINDOW, ModelInstance, ModelPredictor, growth, window
from gfx_core.user_models.student import StudentPredictor

LISTED = 150_000
"""The most subgraphs that are listed for one prediction."""
AT_ONCE = 20_000
"""As many are listed within a second, the answer included."""
_SMALLEST = 5  # down to so many nodes of a subgraph all nodes of the instance are looked at
_WINDOWS = (WINDOW, 90, 60, 40, 25)  # then so many nodes, where all of them are too many
_ASKING = 0.5  # share of the time left in which the GNN is evaluated; the rest is for flows, samples and the record
_PROBED = (16, 16, 64, 256, 2048)  # subgraphs of calls that show how fast the GNN answers; the first one loads things
_SLOW = 2000  # a GNN that answers less than this in a second gets fewer in one call
_LONG = 50_000  # states whose list takes seconds, so that no one should wait behind it
_CHECKED = 10_000  # states of small subgraphs on which a policy that was trained just now is compared with exact flows
_CHECKING_S = 2.0  # seconds that this may take
_FAR = 0.3  # a total variation on these from which on the policy is not believed


@dataclass(frozen=True, eq=False)
class ReadyFlows:
    """Flows that are ready to be drawn from.

    Attributes:
        source: The flows, on the instance or on the part of it that was looked at.
        start: Where to start; ``None`` leaves that to the flows.
        notes: What was left out, in words.
    """

    source: SubgraphSource
    start: int | None = None
    notes: tuple[str, ...] = ()


def flows_for(loaded: Subject, job: JobContext, watch: Watch | None = None) -> ReadyFlows:
    """The flows that a question asks for, or the next best.

    Args:
        loaded: The question.
        job: Told how far it is; it also says where to compute.
        watch: Called with the session in which a policy is trained on this prediction, after each of its steps.
    """
    loaded, notes = through_student(loaded, job)
    return replace(found := _flows(loaded, job, watch), notes=(*notes, *found.notes))


def _flows(loaded: Subject, job: JobContext, watch: Watch | None) -> ReadyFlows:
    question, instance = loaded.question, loaded.instance
    trains = loaded.policy is None and loaded.flows is FlowSource.LEARNED
    device = job.device if trains else to_explain(job.device, instance.num_nodes)
    predictor = loaded.predictor(device)
    config, policy = changed_config(loaded.config, **question.changes), loaded.policy
    ladder = Ladder(config, predictor, instance, job, question.explained, Deadline(question.seconds), question.start)
    if policy is None:
        if loaded.flows is FlowSource.EXACT:
            return ladder.listed(lambda: ladder.trained(loaded, watch))
        return ladder.trained(loaded, watch)
    learned = SubgraphSampler(changed_policy(policy, **question.changes), predictor, instance, question.explained)
    if question.tuned:
        epochs, start = tuning_plan(instance.num_nodes)[0], learned.locate()
        tuned = finetuned_policy(job, learned, loaded.model, loaded.folder, epochs, watch)
        learned = SubgraphSampler(tuned, predictor, instance, question.explained)
        if loaded.flows is FlowSource.LEARNED and question.start is None:
            return ReadyFlows(learned, start)  # it was trained further from there alone
    if loaded.flows is FlowSource.LEARNED:
        return ReadyFlows(learned, question.start)
    ladder = replace(ladder, beside=learned)
    if question.flows is None:  # an edited instance: a visitor waits for the next answer
        return ladder.listed_at_once() or ReadyFlows(learned, question.start, (note("learned_after_edits"),))
    return ladder.listed(lambda: ReadyFlows(learned, question.start, (note("learned_instead"),)))


@dataclass(frozen=True, eq=False)
class Ladder:
    """The rungs that need no policy from before.

    Attributes:
        config: K_M, the reward, and how a policy would be trained.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        job: Told how far it is.
        explained: The class that is explained; the GNN's own answer by default.
        deadline: When it is to be there.
        start: Where to start; by default the explained node, or the one from which most reward can be reached.
        beside: A trained policy on the same instance, to compare exact flows with.
    """

    config: GFNConfig
    predictor: Predictor
    instance: Instance
    job: JobContext
    explained: int | None = None
    deadline: Deadline = Deadline()  # noqa: RUF009
    start: int | None = None
    beside: SubgraphSampler | None = None

    @cached_property
    def _asking(self) -> Deadline:
        """When the GNN has been asked all."""
        return self.deadline.sooner(_ASKING)

    @cached_property
    def _part(self) -> "_Region":
        """What is looked at: of a huge graph that others' GNN is asked about, the part that matters most to it."""
        part = _Region(self.instance, self.predictor)
        if self.start is None and self.instance.target is None and isinstance(self.instance, ModelInstance):
            return part.to(window(self.instance))  # all its nodes are tried as a start
        return part

    @cached_property
    def _reward(self) -> Reward:
        return Reward(self._part.predictor, self.config.reward, self.explained)

    @cached_property
    def _rate(self) -> float:
        """How many subgraphs the GNN answers in a second; as many as one likes where nobody waits."""
        if self._asking.left == inf:
            return inf
        return answers_per_second(self._reward, self._part.instance, self.start, self.config.max_nodes, self._asking)

    @property
    def _answers(self) -> float:
        """Answers of the GNN for which there is time."""
        return inf if self._asking.left == inf else self._rate * max(0.0, self._asking.left)

    @property
    def _quick(self) -> bool:
        """Whether one of our GNNs answers, or a student: so fast that few subgraphs need no plan."""
        return not self._part.can_be_cut or isinstance(self._part.predictor, StudentPredictor)

    @property
    def first_node(self) -> int:
        """Where to start: as asked for, the explained node, or the one with most reward in reach."""
        return self._first.node

    @cached_property
    def _first(self) -> "Located":
        """Where to start, and the subgraphs there as far as they were listed to find that out."""
        known = self._part.instance.target if self.start is None else self.start
        if known is not None:
            return Located(known)
        most = min(LOCATING, LISTED // 2)
        if not self._quick:
            most = int(min(most, self._answers // 2))
        found = locate(self.config, self._part.instance, self._reward, most, self._asking)
        if found.listing is None and self.beside is not None:
            return Located(self.beside.locate())
        return found

    def listed(self, otherwise: Callable[[], ReadyFlows]) -> ReadyFlows:
        """Exact flows on all subgraphs, or on those of fewer nodes; where none can be listed, something else."""
        self.job.report(0.3, "listing subgraphs")
        part, most, start, known = self._part, self.config.max_nodes, self._first.node, self._first.listing
        if known is not None and known.dag.max_nodes == most and can_be_tabulated(known.dag):
            return self._exact(part, known)
        every = self._first.every
        if every is not None and known is not None and every.dag.max_nodes >= _SMALLEST and can_be_tabulated(every.dag):
            return self._exact(part, known)  # any start node with fewer nodes tells more than one with more of them
        if self._quick:
            with suppress(TooManyStates):
                few = min(ENUMERATION_CAP, LISTED)
                return self._exact(part, self._rewarded(part, enumerate_states(part.instance, start, most, cap=few)))
        room = int(min(LISTED, self._answers))
        shown, begin, fits = plan(part.instance, start, most, room, part.can_be_cut)
        if fits is None:
            if self._answers >= min(self.config.epochs, FEWEST) * TRAJECTORIES * most:
                return otherwise()
            fits = most_listable(shown, begin, most, room, least=1) or 1
        dag = enumerate_states(shown, begin, max(2, fits), cap=max(LISTED, shown.num_nodes))
        if dag.num_states > _LONG:
            self.job.take_long()
        part = part.to(shown)
        return self._exact(part, self._rewarded(part, dag), hurried=room < LISTED)

    def listed_at_once(self) -> ReadyFlows | None:
        """Exact flows on all subgraphs, where so few can be listed that nobody need wait."""
        self.job.report(0.3, "listing subgraphs")
        try:
            dag = enumerate_states(self.instance, self.first_node, self.config.max_nodes, cap=AT_ONCE)
        except TooManyStates:
            return None
        return self._exact(self._part, self._rewarded(self._part, dag))

    def _reward_on(self, part: "_Region") -> Reward:
        return self._reward if part is self._part else Reward(part.predictor, self.config.reward, self.explained)

    def _rewarded(self, part: "_Region", dag: StateDag) -> StateSpace:
        """Listed states with their rewards, as many of them as there is time for."""
        few = self._quick and dag.num_states <= ENUMERATION_CAP
        chunk = CHUNK if few or self._rate > _SLOW else max(16, int(self._rate))
        return listed_in_time(self._reward_on(part), dag, self._asking, chunk)

    def _exact(self, part: "_Region", listing: StateSpace, hurried: bool = False) -> ReadyFlows:
        """Exact flows on listed states."""
        most = listing.dag.max_nodes
        start: int | None = listing.dag.start
        whole = most == self.config.max_nodes and part.instance is self.instance
        exact = ExactSampler(
            replace(self.config, max_nodes=most),
            part.predictor,
            part.instance,
            reward=self._reward_on(part),
            learned=self.beside if whole else None,
            listings={listing.dag.start: listing},
        )
        exact.cap = max(exact.cap, listing.dag.num_states)
        every = self._first.every
        if listing is self._first.listing and every is not None and can_be_tabulated(every.dag):
            exact.every, start = every, None
        if most == self.config.max_nodes:
            return ReadyFlows(exact, start)
        hurried = hurried or self._asking.over
        why = "only_fewer_in_time" if hurried else "only_fewer"
        return ReadyFlows(exact, start, (note(why, most=most, seconds=self.deadline.seconds),))

    def trained(self, loaded: Subject, watch: Watch | None = None) -> ReadyFlows:
        """Those of a policy that is trained on this prediction alone.

        Where it is far from exact flows on subgraphs that can be listed, these are given instead, unless learned flows
        are what was asked for.
        """
        part, start = self._part, self.first_node
        trained = policy_from_scratch(
            self.job,
            replace(loaded, instance=part.instance, config=self.config),
            self._reward,
            start,
            self._asking,
            watch,
        )
        learned = SubgraphSampler(trained, part.predictor, part.instance, self.explained)
        done, epochs = trained.made[TUNED]["epochs"], trained.config.epochs
        cut = note("training_cut", done=done, epochs=epochs, seconds=self.deadline.seconds)
        notes = (cut,) if done < epochs else ()
        few = int(min(_CHECKED, LISTED, _CHECKING_S * self._rate))
        small = most_listable(part.instance, start, self.config.max_nodes, few, least=2)
        if small is None:
            return ReadyFlows(learned, start, notes)
        apart = distance_on_small(learned, start, small)
        if apart > _FAR and loaded.question.flows is not FlowSource.LEARNED:
            dag = enumerate_states(part.instance, start, small, cap=_CHECKED)
            small_ones = self._exact(part, self._rewarded(part, dag))
            too_far = note("too_far_from_exact", distance=apart, most=small)
            return replace(small_ones, notes=(note("only_fewer", most=small), too_far))
        return ReadyFlows(learned, start, (*notes, note("distance_of_policy", distance=apart, most=small)))


@dataclass(frozen=True, eq=False)
class _Region:
    """A part of an instance, or all of it, and the GNN on it."""

    instance: Instance
    predictor: Predictor

    @property
    def can_be_cut(self) -> bool:
        """Others' GNNs can be asked about a part; ours are asked about an instance as it is."""
        return isinstance(self.instance, ModelInstance)

    def to(self, part: Instance) -> "_Region":
        if part is self.instance or not isinstance(self.predictor, ModelPredictor | StudentPredictor):
            return self
        return _Region(part, self.predictor.on(part))


@torch.no_grad()
def distance_on_small(learned: SubgraphSampler, start: int, most: int) -> float:
    """The total variation of a policy from R/Z where no subgraph has more than so many nodes, all of them listed."""
    trained = changed_policy(learned.trained, max_nodes=most)
    small = SubgraphSampler(trained, learned.predictor, learned.instance, learned.explained)
    small.cap = _CHECKED
    listing = small.listing(start)
    return listing.total_variation(small.terminal_distribution(listing))


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


def most_listable(instance: Instance, start: int, most: int, cap: int, least: int) -> int | None:
    """With how many nodes, from ``least`` to ``most``, all subgraphs around a node can be listed, if any."""
    smallest = min(least, most)
    while most >= smallest:
        try:
            dag = enumerate_states(instance, start, most, cap=cap)
        except TooManyStates as error:
            most = error.fits
            continue
        if can_be_tabulated(dag):
            return most
        most -= 1
    return None
