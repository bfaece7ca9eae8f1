"""Which flows explain a prediction: this is decided once, before anything is recorded. Needs torch.

Those of the look-ahead policy, or of a policy that is named. Where all states can be listed they are compared with R/Z:
if they are far from it, exact flows answer, unless learned ones were named. For a user's own GNN flows are exact by
default: all connected subgraphs around the start node are listed, or where they are too many those of fewer nodes. A
policy is trained on one prediction where this is wanted.

A deadline bounds all of it: subgraphs are evaluated by their size, and those for which there is no time are left out.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from gfx_core.config import FlowSource
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.source import Numbered
from gfx_core.device import SMALL
from gfx_core.exact.paths import can_be_tabulated, largest_dag
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.fragments import through_student
from gfx_core.explanation.listing import LISTED, LOCATING, SMALLEST, locate
from gfx_core.explanation.look_ahead import LookAheadSampler
from gfx_core.explanation.one_prediction import policy_for_one
from gfx_core.explanation.question import Question
from gfx_core.explanation.samplers import ExactSampler, Flows, SubgraphSampler, reward_states
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import changed_config, changed_policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import Deadline, JobContext
from gfx_core.look_ahead.sources import MOLECULES
from gfx_core.text.answers import note
from gfx_core.trace.schema import TUNED

FAR = 0.3
"""A total variation from R/Z from which on learned flows are not believed."""
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
    predictor = subject.predictor(job.device if question.tuned or instance.num_nodes > SMALL else "cpu")
    listing = Listing(subject, predictor)
    if question.tuned:
        return _with_distance(listing.trained_flows(job))
    about = predictor, instance, question.explained
    if policy is None:
        learned: SubgraphSampler = LookAheadSampler.shipped(listing.config, *about, question.start)
    else:
        start = question.start if policy.locator is not None else listing.start[0]
        learned = SubgraphSampler(changed_policy(policy, **question.changes), *about, start)
    if subject.flows is FlowSource.EXACT:
        job.report(0.3, "listing subgraphs")
        compared = learned if policy is not None or question.user is None else None
        exact = listing.exact_flows(job, LISTED, 1 if compared is None else SMALLEST, compared)
        if exact is None:
            learned.notes = (note("learned_instead"),)
        return exact or learned
    if policy is None and _never_saw(question, instance, learned.trained.made["molecules"]):
        learned.notes = (note("never_seen"),)
    distance = distance_of(learned)
    if distance <= FAR or question.flows is not None or policy is not None:
        return _with_distance(learned)
    exact = listing.exact_flows(job, LISTED, learned.config.max_nodes, learned)
    assert exact is not None  # its states were listed already
    exact.notes = (note("exact_instead", distance=distance), *exact.notes)
    return exact


def _never_saw(question: Question, instance: Instance, molecules: Sequence[int]) -> bool:
    """Whether the look-ahead policy has surely not learned from an instance: a typed molecule may be one of these."""
    if instance.dataset not in MOLECULES:
        return True
    numbered = question.user is not None or isinstance(question.origin, Numbered)
    return numbered and instance.index not in molecules


def distance_of(learned: SubgraphSampler) -> float:
    """The total variation of learned flows from R/Z from their most probable start; 0 where it cannot be known."""
    tables = learned.tables(learned.locate())
    return 0.0 if tables is None else tables.total_variation


def _with_distance(learned: SubgraphSampler) -> SubgraphSampler:
    """Learned flows, with a warning where they are far from R/Z."""
    if (distance := distance_of(learned)) > FAR:
        learned.notes = (note("far", distance=distance), *learned.notes)
    return learned


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
    """

    def __init__(self, subject: Subject, predictor: Predictor) -> None:
        question, deadline = subject.question, Deadline(subject.question.seconds)
        self.subject, self.config = subject, changed_config(subject.config, **question.changes)
        self.reward = Reward(predictor, self.config.reward, question.explained)
        self.seconds, self.deadline = deadline.seconds, Deadline(_EVALUATING * deadline.left)

    @cached_property
    def start(self) -> tuple[int, StateSpace | None]:
        """The start node: as named, the explained one, or the one with most reward in reach, with its list."""
        instance, named = self.subject.instance, self.subject.question.start
        start = instance.target if named is None else named
        if start is not None:
            return start, None
        return locate(instance, self.reward, self.config.max_nodes, LOCATING, self.deadline)

    def exact_flows(
        self, job: JobContext, cap: int, least: int, learned: SubgraphSampler | None = None
    ) -> ExactSampler | None:
        """Exact flows on all connected subgraphs, or on those of fewer nodes.

        Args:
            job: A short one ends where many subgraphs are to be listed.
            cap: How many subgraphs are listed at most; in a large instance they are fewer.
            least: How many nodes they may have at least; ``None`` is returned if these are too many.
            learned: Flows to compare with.
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
        exact = ExactSampler(config, instance, self.reward, space, None if fewer else learned)
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
