"""Trace: everything that is shown of one explanation, as plain immutable data.

Nodes are named by their *local index*, the position in `Trace.nodes`; edges by their position in `Trace.edges`. What a
value may be is in its type hint, and `gfx_core.trace.serialize` checks it when a file is read.
Texts are plain text, never HTML. Every log value is a natural logarithm; −inf is legal where the type is `LogValue` or
`LogProbability`.
"""

import math
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, TypeAlias, TypeVar

from msgspec import Meta, Struct

from gfx_core.config import Drawing, FlowSource, Task

SCHEMA = 7
"""Version of the data below, to be raised with every change of a field: a file of another version is refused."""

TUNED = "tuned_on_this_instance"
"""Where ``made["policy"]`` has how the policy was trained on the explained instance alone."""
STUDENT = "student"
"""Where ``made`` has the student that a GNN was explained through, and what the GNN itself predicts for the answer."""
GNN_PRINT = "gnn"
"""Where ``made`` has the explained GNN's fingerprint (`gfx_core.files.fingerprint`); older ones do not."""
NAME = "name"
"""Where ``made`` has what the explained instance is called, such as a molecule that was typed; one that has a number
of its own, and older ones, do not."""
COLLAPSED = "collapsed"
"""Among a mask's metrics where it has collapsed, and the order of its edges means nothing."""

MAX_NODES = 2048  # as many as an instance holds
MAX_EDGES = 50_000
MAX_MEMBERS = 64  # of a subgraph, and so the steps of a trace
MOST_REASONS = 3
SAME = 0.05
"""Probabilities that differ by less count as equal."""

T = TypeVar("T")

Label = Annotated[str, Meta(max_length=60)]
Line = Annotated[str, Meta(max_length=200)]
Sentence = Annotated[str, Meta(min_length=1, max_length=600)]
Count = Annotated[int, Meta(ge=0, le=2**53)]  # JavaScript counts no further; numbers of nodes: `serialize`
Items: TypeAlias = Annotated[tuple[T, ...], Meta(max_length=MAX_EDGES)]
NodeSet = Annotated[tuple[Count, ...], Meta(max_length=MAX_MEMBERS)]
Number = Annotated[float, Meta(ge=-sys.float_info.max)]  # JSON has no other infinity than −∞
Free = Annotated[dict[Label, Any], Meta(max_length=200)]
Coordinate = Annotated[float, Meta(ge=-1e6, le=1e6)]
Amount = Annotated[float, Meta(ge=0)]
Probability = Annotated[float, Meta(ge=0, le=1)]
LogValue: TypeAlias = float
LogProbability = Annotated[float, Meta(le=1e-3)]  # rounding may lift log 1 above 0


class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """Immutable data whose fields are checked when it is read."""


class TraceNode(Record):
    """A node as it is drawn.

    Attributes:
        id: Its id in the data set (in a graph task: its number within the graph).
        label: What is written on it.
        position: Where it is drawn: x, and y upwards. It never moves.
        features: Names and values for the tooltip.
        element: Chemical symbol of an atom.
    """

    id: Count
    label: Label
    position: tuple[Coordinate, Coordinate]
    features: Items[tuple[Label, Line]] = ()
    element: Label | None = None


class TraceEdge(Record):
    """An undirected edge, ``source < target``.

    Attributes:
        source: One end.
        target: The other end.
        order: Bond order.
        in_motif: Whether the explanation should hold it: ground truth `own`; ``None`` if unknown.
        in_any_motif: Whether it belongs to any motif: ground truth `all`; ``None`` if unknown.
    """

    source: Count
    target: Count
    order: Annotated[int, Meta(ge=0, le=6)] = 1
    in_motif: bool | None = None
    in_any_motif: bool | None = None


class Prediction(Record):
    """The GNN's prediction for the whole instance.

    Attributes:
        predicted: The class that is explained.
        probabilities: One for each class.
        true: The true class, ``None`` if unknown.
    """

    predicted: Count
    probabilities: Items[Probability]
    true: Count | None = None

    @property
    def probability(self) -> float:
        """Of the explained class."""
        return self.probabilities[self.predicted]

    @property
    def chance(self) -> float:
        """One share among all classes."""
        return 1 / len(self.probabilities)

    @property
    def halfway(self) -> float:
        """The middle between the two."""
        return (self.probability + (self.chance if self.probability > self.chance else 0.0)) / 2

    @property
    def least_enough(self) -> float:
        """What a part alone must give at least to be enough: half as far from chance, and clearly above it."""
        return max(self.halfway, self.chance + SAME)

    def is_enough(self, alone: Sequence[float]) -> bool:
        """Whether those of a part alone make the same prediction, at least half as far from chance."""
        return self._keeps_class(alone) and alone[self.predicted] >= self.least_enough

    def falls(self, without: Sequence[float]) -> bool:
        """Whether those without a part make another prediction, or lose half of what lies above chance."""
        return not self._keeps_class(without) or without[self.predicted] <= self.halfway

    def _keeps_class(self, probabilities: Sequence[float]) -> bool:
        return likeliest(probabilities) == self.predicted or likeliest(self.probabilities) != self.predicted


def likeliest(probabilities: Sequence[float]) -> int:
    """The class of the largest probability."""
    return max(range(len(probabilities)), key=probabilities.__getitem__)


class TermWords(Record):
    """What to call a term of the reward.

    Attributes:
        name: By which the steps name it.
        symbol: In a table.
        title: What it means, in a sentence.
    """

    name: Label
    symbol: Label
    title: Line


class FrontierAction(Record):
    """Adding one node: log F(s → s ∪ {node}) and π(node│s)."""

    node: Count
    log_flow: LogValue
    probability: Probability = 0.0


class StopAction(Record):
    """Stopping: log F(s → STOP) and π(STOP│s), and whether nothing else was possible."""

    log_flow: LogValue
    probability: Probability = 0.0
    forced: bool = False


class OtherPolicy(Record):
    """What the other kind of flows would do in a state: exact ones beside learned ones, learned ones beside exact.

    Attributes:
        frontier: π of each action, in the order of `Step.frontier`.
        stop: π(STOP│s).
    """

    frontier: Items[Probability]
    stop: Probability


class ChildGroups(Record):
    """The pieces that would be left if a cut vertex were taken away."""

    cut_vertex: Count
    groups: Items[NodeSet]


class ParentFlow(Record):
    """The parent s∖{removed} of a state s: log F(s∖{removed} → s)."""

    removed: Count
    log_flow: LogValue


class TermValue(Record):
    """A term of one set's reward.

    Attributes:
        name: One of `Trace.reward_terms`.
        value: What was measured.
        price: What each unit of it costs.
        contribution: `price` · `value`.
    """

    name: Label
    value: Number
    price: Number
    contribution: Number = 0.0


class RewardTerms(Record, kw_only=True):
    """log R(s) = −β · Σ contributions.

    Attributes:
        log_reward: The result.
        beta: The reward exponent β.
        terms: What it is made of, in the order of `Trace.reward_terms`.
        probability: What the GNN gives the explained class when it sees the subgraph only.
    """

    log_reward: Number = 0.0
    beta: Amount
    terms: Items[TermValue]
    probability: Probability


class Step(Record, kw_only=True):
    """One state of the trajectory, and the action taken in it.

    Attributes:
        members: The set s, in the order in which its nodes were added; the first is the start node.
        added: The last of them, ``None`` at s₀.
        frontier: The nodes that could be added. A node that must not be added any more has log-flow −inf, or is left
            out.
        stop: The other action.
        cut_vertices: The members that hold the subgraph together.
        matrix: 𝒵, with rows and columns in the order of `members`.
        theorem_case: What the last addition was to Theorem 1: 1 for eq. 16, 2 for eq. 17, 0 below three nodes.
        child_groups: For each cut vertex, what its removal would leave.
        parents: The parents that count, none at s₀.
        log_in_flow: Log of the sum of the parents' flows, ``None`` at s₀.
        log_out_flow: Log of the sum of the flows of frontier and STOP.
        residual: `log_in_flow` − `log_out_flow`; ``None`` at s₀ and where one of them is −inf.
        reward: R(s) and what it is made of.
        chosen: The node that comes next, ``None`` for STOP.
        other: What the other kind of flows would do here, ``None`` where that is not known.
    """

    members: NodeSet
    added: Count | None = None
    frontier: Items[FrontierAction]
    stop: StopAction
    cut_vertices: NodeSet = ()
    matrix: Items[Items[Count]]
    theorem_case: Count = 0
    child_groups: Items[ChildGroups] = ()
    parents: Items[ParentFlow]
    log_in_flow: LogValue | None = None
    log_out_flow: LogValue = 0.0
    residual: Number | None = None
    reward: RewardTerms
    chosen: Count | None = None
    other: OtherPolicy | None = None

    @property
    def size(self) -> int:
        return len(self.members)

    @property
    def action(self) -> FrontierAction | StopAction:
        """What is chosen."""
        return next((action for action in self.frontier if action.node == self.chosen), self.stop)


class FinalSubgraph(Record):
    """Where the trajectory ends.

    Attributes:
        nodes: Its nodes, ascending.
        edges: All edges between them, ascending.
        log_reward: log R of it.
        log_trajectory_probability: Log-probability of exactly these actions in this order.
        log_probability: Log-probability that the policy stops at this set, by any order; ``None`` if unknown.
    """

    nodes: NodeSet = ()
    edges: Items[Count] = ()
    log_reward: Number = 0.0
    log_trajectory_probability: LogProbability = 0.0
    log_probability: LogProbability | None = None


class SampledSubgraph(Record):
    """A subgraph that the policy was seen to stop at.

    Attributes:
        nodes: Its nodes, ascending.
        order: The same nodes in one of the orders in which they were sampled.
        edges: All edges between them, ascending.
        count: How often it was sampled.
        log_reward: log R of it.
        log_probability: Log-probability under the policy, ``None`` if unknown.
        log_probability_exact: The same under P ∝ R, ``None`` where the sets are too many to be listed.
    """

    nodes: NodeSet
    order: NodeSet
    edges: Items[Count]
    count: Count
    log_reward: Number
    log_probability: LogProbability | None = None
    log_probability_exact: LogProbability | None = None


class Reason(Record, kw_only=True):
    """One part of the instance that samples gather around: a mode (`gfx_core.exact.modes`), and what the GNN predicts.

    Attributes:
        nodes: Those of the subgraph that represents it, in the order in which a trajectory adds them, the start first.
        edges: All edges between them, ascending.
        share: The probability of all subgraphs that overlap it; the share of the samples that do, where that is not
            known.
        probability: The exact probability to end exactly there, ``None`` if unknown.
        drawn: How many of the samples end exactly there.
        alone: The class probabilities of this subgraph and nothing else; a student's, where one explains the GNN.
        without: The GNN's for all nodes with all edges but these, as in fidelity+ (`gfx_core.metrics.summary`).
        name: What it is, for people: "the ring 595–600", "the nitro group on the benzene ring".
        steps: A trajectory that ends there; empty for the one that the trace shows.
    """

    nodes: NodeSet
    edges: Items[Count] = ()
    share: Probability
    probability: Probability | None
    drawn: Count = 0
    alone: Items[Probability]
    without: Items[Probability]
    name: Line
    steps: Items[Step] = ()


class Verdict(StrEnum):
    """What the listed reasons come to together.

    NEEDED: the prediction falls without them, and one of them alone is enough for it. ENOUGH: one alone is enough, but
    the prediction does not fall without them. PART: it falls without them, but none alone is enough. OWN: the explained
    node alone, without any edge, is enough. WHOLE: the first is everything that the GNN can see. UNDECIDED: it would be
    another one if nodes that lose all their edges with the reasons stayed, see `gfx_core.gnn.predict`. NONE: none of
    these, so that there is no explanation.
    """

    NEEDED = "needed"
    ENOUGH = "enough"
    PART = "part"
    OWN = "own"
    WHOLE = "whole"
    UNDECIDED = "undecided"
    NONE = "none"


class Answer(Record, kw_only=True):
    """Why the GNN predicts what it predicts: at most three reasons, the one with the largest share first.

    Attributes:
        reasons: Those that are listed. One with at least 80 % stands alone; each other has a tenth at least.
        exact: Whether shares are exact, of all subgraphs, or counted from samples.
        without_all: The GNN's class probabilities for all edges but those of all reasons.
        verdict: What these numbers come to.
        sentence: The answer in a few sentences, plain text.
    """

    reasons: Annotated[tuple[Reason, ...], Meta(min_length=1, max_length=MOST_REASONS)]
    exact: bool
    without_all: Items[Probability]
    verdict: Verdict
    sentence: Sentence

    @property
    def first(self) -> Reason:
        """The reason with the largest share."""
        return self.reasons[0]

    @property
    def explains(self) -> bool:
        """Whether it counts as an explanation."""
        return self.verdict is not Verdict.NONE

    @property
    def other(self) -> float:
        """The share of all that overlaps none of the reasons."""
        return max(0.0, 1.0 - math.fsum(reason.share for reason in self.reasons))

    @property
    def edges(self) -> tuple[int, ...]:
        """The edges of all reasons together."""
        return tuple(sorted({edge for reason in self.reasons for edge in reason.edges}))


class MethodMask(Record):
    """One explainer's score of each edge.

    Attributes:
        method: Its name.
        scores: One for each edge, higher is more important.
        seconds: Time taken.
        metrics: AUC, fidelity and the like, by name; what is undefined is left out.
        plus: Fidelity+ of the 1, 2, … highest-scored edges.
        minus: Fidelity− of the same.
    """

    method: Label
    scores: Items[Number]
    seconds: Amount
    metrics: Annotated[dict[Label, Number], Meta(max_length=200)] = {}
    plus: Items[Number] = ()
    minus: Items[Number] = ()


class Trace(Record, kw_only=True):
    """One explanation, step by step.

    Attributes:
        schema: Version of this format.
        dataset: Registry name of the data set.
        dataset_title: Its name for people.
        task: Node or graph classification.
        drawing: How it is drawn: as a network, or as a sentence whose words are the nodes, in reading order.
        model: The GNN's kind or name.
        index: The explained node or graph, by its id in the data set.
        nodes: The drawn graph's nodes.
        edges: Its edges.
        left_out: How many nodes within reach are not drawn because the neighbourhood was too large.
        classes: Names of the classes.
        prediction: What is explained.
        flows: Where the flows come from: a trained policy, or the list of all states.
        start: The start node v₀ of the trajectory that is shown; in a graph task samples start elsewhere too.
        target: The explained node, ``None`` in a graph task.
        reward_terms: What the reward is made of, in the order of tables.
        steps: The states from s₀ to the one in which STOP was taken.
        final: That last state's subgraph.
        answer: Why the GNN predicts that, ``None`` in a trace that was steered from another start node.
        samples: Subgraphs that the policy sampled besides.
        edge_marginals: For each edge the probability that a sample contains it: exact where all of them are listed,
            else the share of the samples that contain it; empty if there are no samples.
        masks: Edge scores by method.
        log_z_exact: Log of the sum of R over all states from the start node, ``None`` where they are too many.
        num_states_exact: How many states that are.
        total_variation: Between the distribution of where the policy stops and R/Z, from that start node; ``None``
            where it is not known.
        made: How it was made (configuration, seed, device, versions, date, seconds): JSON values by name.
    """

    schema: int = SCHEMA
    dataset: Label
    dataset_title: Line
    task: Task
    drawing: Drawing = Drawing.NETWORK
    model: Line
    index: Count
    nodes: Annotated[tuple[TraceNode, ...], Meta(min_length=1, max_length=MAX_NODES)]
    edges: Items[TraceEdge]
    left_out: Count = 0
    classes: Items[Line]
    prediction: Prediction
    flows: FlowSource = FlowSource.LEARNED
    start: Count
    target: Count | None
    reward_terms: Items[TermWords]
    steps: Annotated[tuple[Step, ...], Meta(min_length=1)]
    final: FinalSubgraph
    answer: Answer | None = None
    samples: Items[SampledSubgraph] = ()
    edge_marginals: Items[Probability] = ()
    masks: Items[MethodMask] = ()
    log_z_exact: LogValue | None = None
    num_states_exact: Count | None = None
    total_variation: Probability | None = None
    made: Free = {}

    @property
    def name(self) -> str:
        """What the explained instance is called: the name that was given, else its number."""
        return str(self.made.get(NAME) or self.index)

    @property
    def is_sentence(self) -> bool:
        """Whether its nodes are words, drawn in reading order."""
        return self.drawing is Drawing.SENTENCE

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Those of its answer; none where it has no answer."""
        return self.answer.reasons if self.answer else ()

    @property
    def residuals(self) -> list[float]:
        """│residual│ on the way: what is known of the flows' error where states cannot be listed."""
        return [abs(step.residual) for step in self.steps if step.residual is not None]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be read before it is believed, in sentences."""
        notes = self.made.get("notes")
        return tuple(map(str, notes)) if isinstance(notes, list) else ()

    @property
    def num_drawn(self) -> int:
        """How many subgraphs were drawn."""
        return sum(sample.count for sample in self.samples)

    @property
    def has_truth(self) -> bool:
        """Whether it is known which edges the explanation should hold; else nothing is found, extra or missed."""
        return any(edge.in_motif for edge in self.edges)
