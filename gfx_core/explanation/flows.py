"""Which flows explain a prediction: this is decided once, before anything is recorded. Needs torch.

A trained policy's flows where there is one and no exact ones are named. Else all connected subgraphs around the start
node are listed, and flows are exact. Where they are too many, those of somewhat fewer nodes are listed, or those among
the nodes that matter most to the GNN: exact flows on these show more than a policy can learn in the same time. Where
even they are too many, a policy is trained on this one prediction, and compared with exact flows on subgraphs so small
that they can be listed; if it is far from them, these are used.

A deadline bounds all of it: how fast the GNN answers is measured first, and only what fits is listed. A shipped policy
that is far from R/Z on this instance gives way to exact flows, if all subgraphs can be listed, or to those of small
ones if one of these has as much reward as all that it samples.
"""

from dataclasses import replace
from functools import cached_property
from math import inf
from time import monotonic

import numpy as np
import torch

from gfx_core.config import FlowSource
from gfx_core.datasets.instance import Instance
from gfx_core.device import SMALL
from gfx_core.exact.paths import can_be_tabulated
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.finetune import FEWEST, TRAJECTORIES, policy_for_one
from gfx_core.explanation.fragments import through_student
from gfx_core.explanation.listing import AT_ONCE, LISTED, LOCATING, SMALLEST, Start, busiest, largest_dag, locate, plan
from gfx_core.explanation.policy_check import FAR, SAMPLES, doubt_of
from gfx_core.explanation.question import tuning_plan
from gfx_core.explanation.samplers import CHUNK, ExactSampler, Flows, SubgraphSampler, reward_states
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import TrainedPolicy, changed_config, changed_policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import Deadline, JobContext
from gfx_core.text.answers import note
from gfx_core.trace.schema import TUNED
from gfx_core.user_models.predictor import ModelInstance, WindowPredictor, window
from gfx_core.user_models.student import StudentPredictor

ALMOST = 1e-3
"""Rewards that differ by less in log R are the same."""
_EVALUATING = 0.5  # share of the time in which the GNN is evaluated; the rest is for flows, samples and the record
_PROBED = (16, 16, 64, 256, 2048)  # subgraphs of calls that show how fast the GNN answers; the first one loads things
_LONG = 50_000  # states whose list takes seconds, so that no one should wait behind it
_CHECKED = 10_000  # states of small subgraphs on which a policy that was trained just now is compared with exact flows
_CHECKING_S = 2.0  # seconds that this may take


def choose_flows(subject: Subject, job: JobContext) -> Flows:
    """The flows that a question names, or the next best.

    Args:
        subject: What is explained.
        job: Receives progress, and has the device.
    """
    question = subject.question
    answered, notes = through_student(subject, job)
    flows = _flows(answered, job)
    flows.notes = (*notes, *flows.notes)
    if isinstance(flows, SubgraphSampler) and question.flows is None and question.user is None and not question.tuned:
        return _instead_if_far(flows, subject, job)
    return flows


def _flows(subject: Subject, job: JobContext) -> Flows:
    question, instance, learned = subject.question, subject.instance, None
    trains = subject.policy is None and subject.flows is FlowSource.LEARNED
    predictor = subject.predictor(job.device if trains or instance.num_nodes > SMALL else "cpu")
    if subject.policy is not None:
        learned = _policy_flows(subject, subject.policy, predictor, job)
        if subject.flows is FlowSource.LEARNED:
            return learned
    region = Region(subject, predictor, Deadline(question.seconds), learned)
    if trains:
        return trained_flows(region, job)
    job.report(0.3, "listing subgraphs")
    edited = learned is not None and question.flows is not FlowSource.EXACT  # a visitor waits for the next answer
    exact = exact_flows(region, job, at_once=edited)
    if exact is None and learned is not None:
        learned.notes = (note("learned_after_edits" if edited else "learned_instead"),)
    return exact or learned or trained_flows(region, job)


def _policy_flows(subject: Subject, policy: TrainedPolicy, predictor: Predictor, job: JobContext) -> SubgraphSampler:
    """Those of the policy that is there, perhaps trained further."""
    question, instance, start = subject.question, subject.instance, subject.question.start
    policy = changed_policy(policy, **question.changes)
    if question.tuned:
        learned = SubgraphSampler(policy, predictor, instance, question.explained)
        epochs, _ = tuning_plan(instance.num_nodes)
        alone = replace(subject, config=replace(policy.config, epochs=epochs))
        policy = policy_for_one(alone, learned.reward, learned.locate(), job, Deadline(), policy)
        if start is None and subject.flows is FlowSource.LEARNED:
            start = learned.locate()  # it was trained further from there alone
    return SubgraphSampler(policy, predictor, instance, question.explained, start)


def _instead_if_far(learned: SubgraphSampler, subject: Subject, job: JobContext) -> Flows:
    """Exact flows in place of a policy that is far from R/Z, where there can be any."""
    doubt = doubt_of(learned, learned.sample(SAMPLES))
    if doubt is None:
        return learned
    question = replace(subject.question, flows=FlowSource.EXACT, max_nodes=doubt.most)
    exact, whole = choose_flows(replace(subject, question=question), job), doubt.most == learned.config.max_nodes
    reward, other = (float(flows.draw(SAMPLES, seed=0).log_reward.max()) for flows in (exact, learned))
    if whole or reward >= other - ALMOST:
        why = "exact_instead" if whole else "small_exact_instead"
        exact.doubt = note(why, distance=doubt.words, most=doubt.most)
        return exact
    learned.doubt = note("far_without_list", distance=doubt.words)
    return learned


class Region:
    """What is looked at: an instance, or of a huge graph the part that matters most to the GNN.

    Args:
        subject: What is explained.
        predictor: The GNN on the instance.
        deadline: When the explanation is to be there.
        learned: A trained policy on the instance.

    Attributes:
        config: K_M, the reward, and how a policy would be trained.
        start: Where to start, where that is named.
        instance: The instance, or the part.
        reward: What the part's subgraphs are worth to the GNN.
        evaluating: When all evaluations of the GNN are to be over.
    """

    def __init__(
        self, subject: Subject, predictor: Predictor, deadline: Deadline, learned: SubgraphSampler | None = None
    ) -> None:
        question, whole = subject.question, subject.instance
        self.subject, self.config = subject, changed_config(subject.config, **question.changes)
        self.start = whole.target if question.start is None else question.start
        self.deadline, self.evaluating, self.learned = deadline, deadline.sooner(_EVALUATING), learned
        self.instance, self.reward = whole, Reward(predictor, self.config.reward, question.explained)
        if self.start is None and isinstance(whole, ModelInstance):  # all its nodes are tried as a start
            part = window(whole)
            self.instance, self.reward = part, self.reward_on(part)

    def reward_on(self, part: Instance) -> Reward:
        """What subgraphs of a part of the region are worth."""
        predictor = self.reward.predictor
        if part is self.instance or not isinstance(predictor, WindowPredictor):
            return self.reward
        return Reward(predictor.on(part), self.config.reward, int(self.reward.explained_class[0]))

    @cached_property
    def rate(self) -> float:
        """Subgraphs that the GNN answers in a second; one of our own, or a student, is always fast enough."""
        quick = not isinstance(self.instance, ModelInstance) or isinstance(self.reward.predictor, StudentPredictor)
        return inf if quick else answers_per_second(self)

    @property
    def answers(self) -> float:
        """Answers of the GNN for which there is time."""
        return self.rate * max(1e-9, self.evaluating.left)

    @cached_property
    def first(self) -> Start:
        """Where to start: as named, the explained node, or the one with most reward in reach."""
        if self.start is not None:
            return Start(self.start)
        most = int(min(LOCATING, LISTED // 2, self.answers // 2))
        first = locate(self.instance, self.reward, self.config.max_nodes, most, self.evaluating)
        if first.space is None and self.learned is not None:
            return Start(self.learned.locate())
        return first


def exact_flows(region: Region, job: JobContext, at_once: bool = False) -> ExactSampler | None:
    """Exact flows on all connected subgraphs, on those of fewer nodes, or on those of a part of the instance.

    Args:
        region: What is looked at.
        job: A short one ends where many subgraphs are to be listed.
        at_once: Whether only all connected subgraphs will do, and only if they are few.

    Returns:
        ``None`` where the subgraphs are too many, and there is time to train a policy.
    """
    most, (start, space) = region.config.max_nodes, region.first
    if at_once:
        dag = largest_dag(region.instance, start, most, AT_ONCE, least=most)
        return None if dag is None else _exact(region, region.instance, reward_states(region.reward, dag))
    if space is not None and can_be_tabulated(space.dag) and space.dag.max_nodes >= min(most, SMALLEST):
        return _exact(region, region.instance, space)  # any start with fewer nodes tells more than one with more
    room = int(min(LISTED, region.answers))
    part, at, dag = plan(region.instance, start, most, room)
    if dag is None:
        if region.answers >= min(region.config.epochs, FEWEST) * TRAJECTORIES * most:
            return None
        dag = largest_dag(part, at, most, max(room, part.num_nodes))
        assert dag is not None
    if dag.num_states > _LONG:
        job.take_long()
    chunk = int(min(CHUNK, max(16, region.rate)))  # a slow GNN gets what it answers in a second
    space = reward_states(region.reward_on(part), dag, region.evaluating, chunk)
    return _exact(region, part, space, hurried=room < LISTED)


def _exact(region: Region, part: Instance, space: StateSpace, hurried: bool = False) -> ExactSampler:
    """Exact flows on listed states of a part of a region."""
    most, reward = space.dag.max_nodes, region.reward_on(part)
    fewer = most < region.config.max_nodes
    learned = None if fewer or part is not region.subject.instance else region.learned
    exact = ExactSampler(replace(region.config, max_nodes=most), part, reward, space, learned)
    if fewer:
        why = "only_fewer_in_time" if hurried or region.evaluating.over else "only_fewer"
        exact.notes = (note(why, most=most, seconds=region.deadline.seconds),)
    return exact


def trained_flows(region: Region, job: JobContext) -> Flows:
    """Those of a policy that is trained on this prediction alone.

    Where it is far from exact flows on subgraphs that can be listed, these are given instead, unless learned flows were
    named.
    """
    part, config, start, question = region.instance, region.config, region.first.node, region.subject.question
    alone = replace(region.subject, instance=part, config=config)
    trained = policy_for_one(alone, region.reward, start, job, region.evaluating)
    learned = SubgraphSampler(trained, region.reward.predictor, part, question.explained, start)
    done, epochs = trained.made[TUNED]["epochs"], trained.config.epochs
    if done < epochs:
        learned.notes = (note("training_cut", done=done, epochs=epochs, seconds=region.deadline.seconds),)
    dag = largest_dag(part, start, config.max_nodes, int(min(_CHECKED, LISTED, _CHECKING_S * region.rate)), least=2)
    if dag is None:
        return learned
    most = dag.max_nodes
    small = SubgraphSampler(changed_policy(trained, max_nodes=most), learned.predictor, part, learned.explained, start)
    space = reward_states(small.reward, dag)
    distance = space.total_variation(space.walk(*small.on(space)).stop)
    if distance > FAR and question.flows is not FlowSource.LEARNED:
        exact = _exact(region, part, space)
        exact.notes = (note("only_fewer", most=most), note("too_far_from_exact", distance=distance, most=most))
        return exact
    learned.notes += (note("distance_of_policy", distance=distance, most=most),)
    return learned


def answers_per_second(region: Region) -> float:
    """Measured on a few subgraphs around a node, in a tenth of the time left."""
    reward, start = region.reward, busiest(region.instance) if region.start is None else region.start
    dag = largest_dag(region.instance, start, region.config.max_nodes, _PROBED[-1])
    assert dag is not None
    rate, allowed = inf, 0.1 * max(0.0, region.evaluating.left)
    for count in _PROBED:
        if count / rate > allowed:
            break
        states = np.linspace(0, dag.num_states - 1, count).astype(np.int64)  # small and large ones
        subsets = torch.from_numpy(dag.subsets[states]).to(reward.predictor.device)
        began = monotonic()
        float(reward(subsets, torch.zeros_like(subsets[:, 0])).sum())
        rate = count / max(monotonic() - began, 1e-9)
    return rate
