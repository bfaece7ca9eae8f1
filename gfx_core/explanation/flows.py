"""Which flows explain a prediction: this is decided once, before anything is recorded. Needs torch.

A trained policy's flows where there is one and no exact ones are named. Else all connected subgraphs around the start
node are listed, and flows are exact. Where they are too many, those of somewhat fewer nodes are listed, or those among
the nodes that matter most to the GNN: exact flows on these tell more than a policy can learn in the same time. Where
even they are too many, a policy is trained on this one prediction, and compared with exact flows on subgraphs so small
that they can be listed; if it is far from them, these are used.

A deadline bounds all of it: how fast the GNN answers is measured first, and only what fits is listed. A shipped policy
that is far from R/Z on this instance gives way to exact flows, if all subgraphs can be listed, or to those of small
ones if one of these has as much reward as all that it samples.
"""

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
from gfx_core.exact.enumeration import ENUMERATION_CAP, TooManyStates, enumerate_states
from gfx_core.exact.paths import can_be_tabulated
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.finetune import FEWEST, TRAJECTORIES, Watch, finetuned_policy, policy_from_scratch
from gfx_core.explanation.fragments import through_student
from gfx_core.explanation.listing import (
    AT_ONCE,
    CHUNK,
    LISTED,
    LOCATING,
    SMALLEST,
    Start,
    listed_in_time,
    locate,
    most_listable,
    plan,
)
from gfx_core.explanation.policy_check import FAR, SAMPLES, doubt_of, small_distance
from gfx_core.explanation.question import tuning_plan
from gfx_core.explanation.samplers import ExactSampler, Flows, SubgraphSampler
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import changed_config, changed_policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import Deadline, JobContext
from gfx_core.text.answers import note
from gfx_core.trace.schema import TUNED
from gfx_core.user_models.predictor import ModelInstance, ModelPredictor, window
from gfx_core.user_models.student import StudentPredictor

ALMOST = 1e-3
"""Rewards that differ by less in log R are the same."""
_EVALUATING = 0.5  # share of the time in which the GNN is evaluated; the rest is for flows, samples and the record
_PROBED = (16, 16, 64, 256, 2048)  # subgraphs of calls that show how fast the GNN answers; the first one loads things
_SLOW = 2000  # a GNN that answers less than this in a second gets fewer in one call
_LONG = 50_000  # states whose list takes seconds, so that no one should wait behind it
_CHECKED = 10_000  # states of small subgraphs on which a policy that was trained just now is compared with exact flows
_CHECKING_S = 2.0  # seconds that this may take


def choose_flows(subject: Subject, job: JobContext, watch: Watch | None = None) -> Flows:
    """The flows that a question names, or the next best.

    Args:
        subject: What is explained.
        job: Receives progress; it also says where to compute.
        watch: Called with the session in which a policy is trained on this prediction, after each of its steps.
    """
    question = subject.question
    taught, notes = through_student(subject, job)
    flows = _chosen(taught, job, watch)
    flows.notes = (*notes, *flows.notes)
    if isinstance(flows, SubgraphSampler) and question.flows is None and question.user is None and not question.tuned:
        return _instead_if_far(flows, subject, job)
    return flows


def _chosen(subject: Subject, job: JobContext, watch: Watch | None) -> Flows:
    question, instance, learned = subject.question, subject.instance, None
    trains = subject.policy is None and subject.flows is FlowSource.LEARNED
    predictor = subject.predictor(job.device if trains else to_explain(job.device, instance.num_nodes))
    if subject.policy is not None:
        learned = _policy_flows(subject, predictor, job, watch)
        if subject.flows is FlowSource.LEARNED:
            return learned
    region = Region.of(subject, predictor, Deadline(question.seconds), learned)
    if trains:
        return trained_flows(region, subject, job, watch)
    job.report(0.3, "listing subgraphs")
    if learned is None:
        return exact_flows(region, job) or trained_flows(region, subject, job, watch)
    if question.flows is None:  # an edited instance: a visitor waits for the next answer
        exact, why = exact_flows_at_once(region), note("learned_after_edits")
    else:
        exact, why = exact_flows(region, job), note("learned_instead")
    if exact is None:
        learned.notes = (why,)
    return exact or learned


def _policy_flows(subject: Subject, predictor: Predictor, job: JobContext, watch: Watch | None) -> SubgraphSampler:
    """Those of the policy that is there, perhaps trained further."""
    question, instance, start = subject.question, subject.instance, subject.question.start
    assert subject.policy is not None
    policy = changed_policy(subject.policy, **question.changes)
    if question.tuned:
        learned = SubgraphSampler(policy, predictor, instance, question.explained)
        epochs, _ = tuning_plan(instance.num_nodes)
        policy = finetuned_policy(job, learned, subject.model, subject.folder, epochs, watch)
        if start is None and subject.flows is FlowSource.LEARNED:
            start = learned.locate()  # it was trained further from there alone
    return SubgraphSampler(policy, predictor, instance, question.explained, start)


def _instead_if_far(learned: SubgraphSampler, subject: Subject, job: JobContext) -> Flows:
    """Exact flows in place of a policy that is far from R/Z, where there can be any."""
    doubt = doubt_of(learned, learned.sample(SAMPLES))
    if doubt is None:
        return learned
    question = replace(subject.question, flows=FlowSource.EXACT)
    if doubt.can_be_exact:
        exact = choose_flows(replace(subject, question=question), job)
        exact.doubt = note("exact_instead", distance=doubt.words)
        return exact
    if doubt.most is not None:
        small = choose_flows(replace(subject, question=replace(question, max_nodes=doubt.most)), job)
        if _most_reward(small) >= _most_reward(learned) - ALMOST:
            small.doubt = note("small_exact_instead", distance=doubt.words, most=doubt.most)
            return small
    learned.doubt = note("far_without_list", distance=doubt.words)
    return learned


def _most_reward(flows: Flows) -> float:
    return float(flows.draw(SAMPLES, seed=0).log_reward.max())


@dataclass(frozen=True, eq=False)
class Region:
    """What is looked at: an instance, or of a huge graph the part that matters most to the GNN.

    Attributes:
        config: K_M, the reward, and how a policy would be trained.
        whole: The instance.
        instance: The instance, or the part.
        reward: What the part's subgraphs are worth to the GNN.
        start: Where to start, where that is named.
        deadline: When the explanation is to be there.
        evaluating: When all evaluations of the GNN are to be over.
        learned: A trained policy on the same instance.
    """

    config: GFNConfig
    whole: Instance
    instance: Instance
    reward: Reward
    start: int | None
    deadline: Deadline
    evaluating: Deadline
    learned: SubgraphSampler | None

    @classmethod
    def of(
        cls, subject: Subject, predictor: Predictor, deadline: Deadline, learned: SubgraphSampler | None = None
    ) -> "Region":
        question, whole = subject.question, subject.instance
        config = changed_config(subject.config, **question.changes)
        instance, start = whole, whole.target if question.start is None else question.start
        if start is None and isinstance(whole, ModelInstance):
            instance = window(whole)  # all its nodes are tried as a start
        reward = Reward(predictor, config.reward, question.explained)
        region = cls(config, whole, whole, reward, start, deadline, deadline.sooner(_EVALUATING), learned)
        return replace(region, instance=instance, reward=region.reward_on(instance))

    def reward_on(self, part: Instance) -> Reward:
        """What subgraphs of a part of the region are worth."""
        if part is self.instance:
            return self.reward
        predictor = self.reward.predictor
        assert isinstance(predictor, ModelPredictor | StudentPredictor)  # instances of our GNNs are never cut
        return Reward(predictor.on(part), self.config.reward, int(self.reward.explained_class[0]))

    @property
    def is_quick(self) -> bool:
        """Whether one of our GNNs answers, or a student: so fast that few subgraphs need no plan."""
        return not isinstance(self.instance, ModelInstance) or isinstance(self.reward.predictor, StudentPredictor)

    @cached_property
    def rate(self) -> float:
        """Subgraphs that the GNN answers in a second."""
        return inf if self.evaluating.left == inf else answers_per_second(self)

    @property
    def answers(self) -> float:
        """Answers of the GNN for which there is time."""
        return inf if self.evaluating.left == inf else self.rate * max(0.0, self.evaluating.left)

    @cached_property
    def first(self) -> Start:
        """Where to start: as named, the explained node, or the one with most reward in reach."""
        if self.start is not None:
            return Start(self.start)
        most = min(LOCATING, LISTED // 2)
        if not self.is_quick:
            most = int(min(most, self.answers // 2))
        first = locate(self.instance, self.reward, self.config.max_nodes, most, self.evaluating)
        if first.listing is None and self.learned is not None:
            return Start(self.learned.locate())
        return first


def exact_flows(region: Region, job: JobContext) -> ExactSampler | None:
    """Exact flows on all connected subgraphs, on those of fewer nodes, or on those of a part of the instance.

    ``None`` where even these are too many, and there is time to train a policy.
    """
    most, (start, listing, every) = region.config.max_nodes, region.first
    if every is not None and not can_be_tabulated(every.dag):
        every = None
    if listing is not None and can_be_tabulated(listing.dag):
        enough = SMALLEST if every is not None else most  # any start with fewer nodes tells more than one with more
        if listing.dag.max_nodes >= min(most, enough):
            return _exact(region, region.instance, listing, every)
    if region.is_quick:
        with suppress(TooManyStates):
            dag = enumerate_states(region.instance, start, most, cap=min(ENUMERATION_CAP, LISTED))
            return _exact(region, region.instance, listed_in_time(region.reward, dag, region.evaluating))
    room = int(min(LISTED, region.answers))
    part, at, fits = plan(region.instance, start, most, room)
    if fits is None:
        if region.answers >= min(region.config.epochs, FEWEST) * TRAJECTORIES * most:
            return None
        fits = most_listable(part, at, most, room, least=1) or 1
    dag = enumerate_states(part, at, max(2, fits), cap=max(LISTED, part.num_nodes))
    if dag.num_states > _LONG:
        job.take_long()
    chunk = CHUNK if region.rate > _SLOW else max(16, int(region.rate))
    listing = listed_in_time(region.reward_on(part), dag, region.evaluating, chunk)
    return _exact(region, part, listing, hurried=room < LISTED)


def exact_flows_at_once(region: Region) -> ExactSampler | None:
    """Exact flows on all connected subgraphs, where so few can be listed that nobody need wait."""
    try:
        dag = enumerate_states(region.instance, region.first.node, region.config.max_nodes, cap=AT_ONCE)
    except TooManyStates:
        return None
    return _exact(region, region.instance, listed_in_time(region.reward, dag, region.evaluating))


def _exact(
    region: Region, part: Instance, listing: StateSpace, every: StateSpace | None = None, hurried: bool = False
) -> ExactSampler:
    """Exact flows on listed states of a part of a region."""
    most, start, config = listing.dag.max_nodes, listing.dag.start, region.config
    reward = region.reward_on(part)
    exact = ExactSampler(
        replace(config, max_nodes=most),
        reward.predictor,
        part,
        reward,
        start if every is None else None,
        {start: listing},
        learned=region.learned if most == config.max_nodes and part is region.whole else None,
        every=every,
    )
    exact.cap = max(exact.cap, listing.dag.num_states)
    if most < config.max_nodes:
        why = "only_fewer_in_time" if hurried or region.evaluating.over else "only_fewer"
        exact.notes = (note(why, most=most, seconds=region.deadline.seconds),)
    return exact


def trained_flows(region: Region, subject: Subject, job: JobContext, watch: Watch | None = None) -> Flows:
    """Those of a policy that is trained on this prediction alone.

    Where it is far from exact flows on subgraphs that can be listed, these are given instead, unless learned flows were
    named.
    """
    part, config, start = region.instance, region.config, region.first.node
    alone = replace(subject, instance=part, config=config)
    trained = policy_from_scratch(job, alone, region.reward, start, region.evaluating, watch)
    learned = SubgraphSampler(trained, region.reward.predictor, part, subject.question.explained, start)
    done, epochs = trained.made[TUNED]["epochs"], trained.config.epochs
    if done < epochs:
        learned.notes = (note("training_cut", done=done, epochs=epochs, seconds=region.deadline.seconds),)
    few = int(min(_CHECKED, LISTED, _CHECKING_S * region.rate))
    most = most_listable(part, start, config.max_nodes, few, least=2)
    if most is None:
        return learned
    listing, distance = small_distance(learned, start, most)
    if distance > FAR and subject.question.flows is not FlowSource.LEARNED:
        exact = _exact(region, part, listing)
        exact.notes = (note("only_fewer", most=most), note("too_far_from_exact", distance=distance, most=most))
        return exact
    learned.notes += (note("distance_of_policy", distance=distance, most=most),)
    return learned


def answers_per_second(region: Region) -> float:
    """Measured on a few subgraphs around a node, in a tenth of the time left."""
    instance, reward, start = region.instance, region.reward, region.start
    if start is None:
        start = int(np.bincount(instance.edge_index[0], minlength=instance.num_nodes).argmax())
    most = region.config.max_nodes
    try:
        dag = enumerate_states(instance, start, most, cap=_PROBED[-1])
    except TooManyStates as error:
        dag = enumerate_states(instance, start, max(1, error.fits), cap=_PROBED[-1])
    rate, allowed = inf, 0.1 * region.evaluating.left
    for count in _PROBED:
        if rate < inf and count / rate > allowed:
            break
        states = np.linspace(0, dag.num_states - 1, count).astype(np.int64)  # small and large ones
        subsets = torch.from_numpy(dag.subsets[states]).to(reward.predictor.device)
        began = monotonic()
        float(reward(subsets, torch.zeros_like(subsets[:, 0])).sum())
        rate = count / max(monotonic() - began, 1e-9)
    return rate
