"""Which flows explain a prediction: this is decided once, before anything is recorded. Needs torch.

A trained policy's flows where there is one and no exact ones are named. Else all connected subgraphs around the start
node are listed, and flows are exact. Where they are too many, those of fewer nodes are listed. A policy is trained on
one prediction where learned flows are named and none is there.

A deadline bounds all of it: subgraphs are evaluated by their size, and those for which there is no time are left out. A
policy that is far from R/Z on this instance gives way to the look-ahead policy, and that one to exact flows where it is
far as well.
"""

from dataclasses import replace
from functools import cached_property

from gfx_core.config import FlowSource
from gfx_core.device import SMALL
from gfx_core.exact.paths import can_be_tabulated, largest_dag
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.finetune import policy_for_one
from gfx_core.explanation.fragments import through_student
from gfx_core.explanation.listing import AT_ONCE, LISTED, LOCATING, SMALLEST, locate
from gfx_core.explanation.look_ahead import LookAheadSampler
from gfx_core.explanation.policy_check import FAR, SAMPLES, distance_words
from gfx_core.explanation.question import tuning_plan
from gfx_core.explanation.samplers import ExactSampler, Flows, SubgraphSampler, reward_states
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import TrainedPolicy, changed_config, changed_policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import Deadline, JobContext
from gfx_core.text.answers import note
from gfx_core.trace.schema import TUNED

ALMOST = 1e-3
"""Rewards that differ by less in log R are the same."""
_EVALUATING = 0.5  # share of the time in which the GNN is evaluated; the rest is for flows, samples and the record
_CELLS = 40_000_000  # subgraphs that are listed, times nodes of the instance: bounds the memory
_LONG = 50_000  # states whose list takes seconds, so that no one should wait behind it


def choose_flows(subject: Subject, job: JobContext) -> Flows:
    """The flows that a question names, or the next best.

    Args:
        subject: What is explained.
        job: Receives progress, and has the device.
    """
    subject, notes = through_student(subject, job)
    flows = _flows(subject, job)
    flows.notes = (*notes, *flows.notes)
    return flows


def _flows(subject: Subject, job: JobContext) -> Flows:
    question, instance, policy = subject.question, subject.instance, subject.policy
    learns = subject.flows is FlowSource.LEARNED
    trains = learns and policy is None
    predictor = subject.predictor(job.device if trains or instance.num_nodes > SMALL else "cpu")
    listing = Listing(subject, predictor)
    if subject.flows is FlowSource.LOOK_AHEAD:
        return LookAheadSampler.shipped(listing.config, predictor, instance, question.explained, question.start)
    if trains:
        return listing.trained_flows(job)
    if policy is not None:
        listing.learned = _policy_flows(subject, policy, listing, job)
    learned = listing.learned
    if not learns:
        job.report(0.3, "listing subgraphs")
        exact = listing.exact_flows(job, LISTED, 1 if learned is None else SMALLEST)
        if exact is not None:
            return exact
    assert learned is not None  # else at least the start node alone is listed
    if not learns:
        learned.notes = (note("learned_instead"),)
    stays = question.flows is FlowSource.LEARNED or question.tuned or question.user is not None
    return learned if stays else _instead_if_far(learned, listing, job)


def _policy_flows(subject: Subject, policy: TrainedPolicy, listing: "Listing", job: JobContext) -> SubgraphSampler:
    """Those of the policy that is there, perhaps trained further."""
    question, instance, start = subject.question, subject.instance, subject.question.start
    policy, predictor = changed_policy(policy, **question.changes), listing.reward.predictor
    if policy.locator is None:  # a node task, or trained from one start node
        start, _ = listing.start
    if question.tuned:
        learned = SubgraphSampler(policy, predictor, instance, question.explained, start)
        epochs, _ = tuning_plan(instance.num_nodes)
        alone = replace(subject, config=replace(policy.config, epochs=epochs))
        policy = policy_for_one(alone, learned.reward, learned.locate(), job, Deadline(), policy)
        if start is None and subject.flows is FlowSource.LEARNED:
            start = learned.locate()  # it was trained further from there alone
    return SubgraphSampler(policy, predictor, instance, question.explained, start)


def _instead_if_far(learned: SubgraphSampler, listing: "Listing", job: JobContext) -> Flows:
    """What replaces a policy that is far from R/Z: the look-ahead policy, or exact flows where it is far as well.

    Where all subgraphs can be listed, the distance decides; else which samples have the most reward.
    """
    distance, most = distance_words(learned), learned.config.max_nodes
    if not distance:
        return learned
    exact = listing.exact_flows(job, LISTED, most) or listing.exact_flows(job, AT_ONCE)
    assert exact is not None
    about = learned.config, learned.predictor, learned.instance, learned.explained, learned.start
    ahead = LookAheadSampler.shipped(*about)
    ahead.notes, exact.notes = (note("look_ahead"),), (note("exact_instead", distance=distance), *exact.notes)
    if exact.config.max_nodes == most:
        space, _ = exact.distribution(ahead.locate())
        return ahead if space.total_variation(space.walk(*ahead.on(space)).stop) <= FAR else exact
    candidates: tuple[Flows, ...] = ahead, exact, learned
    rewards = [float(flows.draw(SAMPLES, seed=0).log_reward.max()) for flows in candidates]
    return next(flows for flows, reward in zip(candidates, rewards, strict=True) if reward >= max(rewards) - ALMOST)


class Listing:
    """The connected subgraphs of an instance that there is time to list and to evaluate.

    Args:
        subject: What is explained.
        predictor: The GNN on the instance.

    Attributes:
        config: K_M, the reward, and how a policy would be trained.
        reward: What a subgraph is worth to the GNN.
        deadline: When all evaluations of the GNN are to be over.
        seconds: How long the explanation may take.
        learned: The flows of a trained policy on the instance, where there is one.
    """

    def __init__(self, subject: Subject, predictor: Predictor) -> None:
        question, deadline = subject.question, Deadline(subject.question.seconds)
        self.subject, self.config = subject, changed_config(subject.config, **question.changes)
        self.reward = Reward(predictor, self.config.reward, question.explained)
        self.seconds, self.deadline = deadline.seconds, Deadline(_EVALUATING * deadline.left)
        self.learned: SubgraphSampler | None = None

    @cached_property
    def start(self) -> tuple[int, StateSpace | None]:
        """The start node: as named, the explained one, or the one with most reward in reach, with its list."""
        instance, named = self.subject.instance, self.subject.question.start
        start = instance.target if named is None else named
        if start is not None:
            return start, None
        start, space = locate(instance, self.reward, self.config.max_nodes, LOCATING, self.deadline)
        if space is None and self.learned is not None:
            start = self.learned.locate()
        return start, space

    def exact_flows(self, job: JobContext, cap: int, least: int = 1) -> ExactSampler | None:
        """Exact flows on all connected subgraphs, or on those of fewer nodes.

        Args:
            job: A short one ends where many subgraphs are to be listed.
            cap: How many subgraphs are listed at most; in a large instance they are fewer.
            least: How many nodes they may have at least; ``None`` is returned if these are too many.
        """
        instance, most, (start, space) = self.subject.instance, self.config.max_nodes, self.start
        enough = space is not None and (space.dag.max_nodes >= min(most, SMALLEST) or self.deadline.over)
        if space is None or not (enough and can_be_tabulated(space.dag)):  # more nodes matter more than any start
            dag = largest_dag(instance, start, most, min(cap, _CELLS // instance.num_nodes), least)
            if dag is None:
                return None
            if dag.num_states > _LONG:
                job.take_long()
            space = reward_states(self.reward, dag, self.deadline)
        config = replace(self.config, max_nodes=space.dag.max_nodes)
        fewer = config.max_nodes < most
        exact = ExactSampler(config, instance, self.reward, space, None if fewer else self.learned)
        if fewer:
            why = "only_fewer_in_time" if self.deadline.over else "only_fewer"
            exact.notes = (note(why, most=config.max_nodes, seconds=self.seconds),)
        return exact

    def trained_flows(self, job: JobContext) -> SubgraphSampler:
        """Those of a policy that is trained on this prediction alone."""
        subject, (start, _) = replace(self.subject, config=self.config), self.start
        trained = policy_for_one(subject, self.reward, start, job, self.deadline)
        explained = subject.question.explained
        learned = SubgraphSampler(trained, self.reward.predictor, subject.instance, explained, start)
        done, epochs = trained.made[TUNED]["epochs"], trained.config.epochs
        if done < epochs:
            learned.notes = (note("training_cut", done=done, epochs=epochs, seconds=self.seconds),)
        return learned
