"""Trace: everything that is shown of one explanation, as plain immutable data.

Nodes are named by their *local index*, the position in `Trace.nodes`; edges by their position in `Trace.edges`. What a
value may be stands in its type hint (`gfx_core.trace.hints`), and `gfx_core.trace.io` checks it when a file is read.
The steps and what they come to are described in `gfx_core.trace.steps` and `gfx_core.trace.answer`.
Texts are plain text, never HTML. Every log value is a natural logarithm; −inf is legal where the type is `LogValue` or
`LogProbability`.
"""

import math
from dataclasses import dataclass, field
from typing import Annotated, Any

from gfx_core.config import Drawing, FlowSource, Task
from gfx_core.trace.answer import (
    Answer,
    FinalSubgraph,
    SampledSubgraph,
)
from gfx_core.trace.hints import (
    MAX_EDGES,
    MAX_MASKS,
    MAX_MEMBERS,
    MAX_NODES,
    MAX_SAMPLES,
    MAX_TERMS,
    Amount,
    ClassIndex,
    Coordinate,
    Count,
    IndexOf,
    Label,
    Limits,
    Line,
    LogValue,
    NodeIndex,
    Probability,
)
from gfx_core.trace.steps import (
    ChildGroups,
    FrontierAction,
    OtherPolicy,
    ParentFlow,
    RewardTerm,
    RewardTerms,
    Step,
    StopAction,
)

__all__ = [
    "COLLAPSED",
    "GNN_PRINT",
    "LISTABLE",
    "MAX_NODES",
    "SCHEMA",
    "TUNED",
    "Answer",
    "ChildGroups",
    "FinalSubgraph",
    "FrontierAction",
    "GraphEdge",
    "GraphNode",
    "IndexOf",
    "Label",
    "Limits",
    "MethodMask",
    "OtherPolicy",
    "ParentFlow",
    "Prediction",
    "RewardTerm",
    "RewardTerms",
    "SampledSubgraph",
    "Step",
    "StopAction",
    "TermWords",
    "Trace",
]

SCHEMA = 6
"""Version of the data below, to be raised with every change of a field: a file of another version is refused."""

TUNED = "tuned_on_this_instance"
"""Where ``made["policy"]`` tells how the policy was trained further on the explained instance alone."""
GNN_PRINT = "gnn"
"""Where ``made`` tells the explained GNN's fingerprint (`gfx_core.files.fingerprint`); older ones do not."""
LISTABLE = "listable_nodes"
"""Where ``made`` tells, of an instance with too many states to be listed, with how many nodes at most they could be."""
COLLAPSED = "collapsed"
"""Among a mask's metrics where it has collapsed, and the order of its edges means nothing."""


@dataclass(frozen=True)
class GraphNode:
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
    features: Annotated[tuple[tuple[Label, Line], ...], Limits(0, 40)] = ()
    element: Label | None = None


@dataclass(frozen=True)
class GraphEdge:
    """An undirected edge, ``source < target``.

    Attributes:
        source: One end.
        target: The other end.
        order: Bond order.
        in_motif: Whether the explanation should hold it: ground truth `own`; ``None`` if unknown.
        in_any_motif: Whether it belongs to any motif: ground truth `all`; ``None`` if unknown.
    """

    source: NodeIndex
    target: NodeIndex
    order: Annotated[int, Limits(0, 6)] = 1
    in_motif: bool | None = None
    in_any_motif: bool | None = None


@dataclass(frozen=True)
class Prediction:
    """What the GNN says about the whole instance.

    Attributes:
        predicted: The class that is explained.
        probabilities: One for each class.
        true: The true class, ``None`` if unknown.
    """

    predicted: ClassIndex
    probabilities: tuple[Probability, ...]
    true: ClassIndex | None = None


@dataclass(frozen=True)
class TermWords:
    """What to call a term of the reward.

    Attributes:
        name: By which the steps name it.
        symbol: What stands for it in a table.
        title: What it means, in a sentence.
    """

    name: Label
    symbol: Label
    title: Line


@dataclass(frozen=True)
class MethodMask:
    """What one explainer says about each edge.

    Attributes:
        method: Its name.
        scores: One for each edge, higher is more important.
        seconds: Time taken.
        metrics: AUC, fidelity and the like, by name; what is undefined is left out.
        plus: Fidelity+ of the 1, 2, … highest-scored edges.
        minus: Fidelity− of the same.
    """

    method: Label
    scores: Annotated[tuple[float, ...], Limits(0, MAX_EDGES)]
    seconds: Amount
    metrics: dict[str, float] = field(default_factory=dict, hash=False)
    plus: Annotated[tuple[float, ...], Limits(0, MAX_EDGES)] = ()
    minus: Annotated[tuple[float, ...], Limits(0, MAX_EDGES)] = ()


@dataclass(frozen=True, kw_only=True)
class Trace:
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
        start: The start node v₀.
        target: The explained node, ``None`` in a graph task.
        reward_terms: What the reward is made of, in the order in which it is told.
        steps: The states from s₀ to the one in which STOP was taken.
        final: That last state's subgraph.
        answer: What the draws agree on, ``None`` in a trace that was steered from another start node.
        samples: Subgraphs that the policy sampled besides.
        edge_marginals: For each edge the probability that what is drawn from the start node holds it: exact where all
            states are listed, else the share of the samples that hold it; empty if there are no samples.
        masks: Edge scores by method.
        log_z_exact: Log of the sum of R over all states, ``None`` where they are too many to be listed.
        num_states_exact: How many states that are.
        total_variation: Between the distribution of where the policy stops and R/Z, ``None`` where it is not known.
        made: How it was made (configuration, seed, device, versions, date, seconds): JSON values by name.
    """

    schema: int = SCHEMA
    dataset: Label
    dataset_title: Line
    task: Task
    drawing: Drawing = Drawing.NETWORK
    model: Line
    index: Count
    nodes: Annotated[tuple[GraphNode, ...], Limits(1, MAX_NODES)]
    edges: Annotated[tuple[GraphEdge, ...], Limits(0, MAX_EDGES)]
    left_out: Count = 0
    classes: Annotated[tuple[Line, ...], Limits(1, 1000)]
    prediction: Prediction
    flows: FlowSource = FlowSource.LEARNED
    start: NodeIndex
    target: NodeIndex | None
    reward_terms: Annotated[tuple[TermWords, ...], Limits(0, MAX_TERMS)]
    steps: Annotated[tuple[Step, ...], Limits(1, MAX_MEMBERS)]
    final: FinalSubgraph
    answer: Answer | None = None
    samples: Annotated[tuple[SampledSubgraph, ...], Limits(0, MAX_SAMPLES)] = ()
    edge_marginals: Annotated[tuple[Probability, ...], Limits(0, MAX_EDGES)] = ()
    masks: Annotated[tuple[MethodMask, ...], Limits(0, MAX_MASKS)] = ()
    log_z_exact: LogValue | None = None
    num_states_exact: Count | None = None
    total_variation: Probability | None = None
    made: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def is_sentence(self) -> bool:
        """Whether its nodes are words, drawn in reading order."""
        return self.drawing is Drawing.SENTENCE

    @property
    def largest_residual(self) -> float | None:
        """The residual that is farthest from zero on the way; ``None`` where no state has one."""
        known = [step.residual for step in self.steps if step.residual is not None]
        return max(known, key=abs) if known else None

    @property
    def mean_residual(self) -> float | None:
        """The mean of │residual│ on the way: what is known of the flows' error where states cannot be listed."""
        known = [abs(step.residual) for step in self.steps if step.residual is not None]
        return math.fsum(known) / len(known) if known else None

    @property
    def num_drawn(self) -> int:
        """How many subgraphs were drawn."""
        return sum(sample.count for sample in self.samples)

    @property
    def has_truth(self) -> bool:
        """Whether it is known which edges the explanation should hold; else nothing is found, extra or missed."""
        return any(edge.in_motif for edge in self.edges)

    @property
    def hits(self) -> tuple[int, ...]:
        """Edges of the final subgraph that belong to the motif."""
        return tuple(edge for edge in self.final.edges if self.edges[edge].in_motif)

    @property
    def extra(self) -> tuple[int, ...]:
        """Edges of the final subgraph that are known not to belong to the motif."""
        return tuple(edge for edge in self.final.edges if self.edges[edge].in_motif is False)

    @property
    def missed(self) -> tuple[int, ...]:
        """Edges of the motif that the final subgraph does not hold."""
        held = set(self.final.edges)
        return tuple(index for index, edge in enumerate(self.edges) if edge.in_motif and index not in held)
