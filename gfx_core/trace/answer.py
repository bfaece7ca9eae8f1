"""What an explanation comes to: where a trajectory ends, what was drawn besides, and what all draws agree on.

Nodes and edges are named as in `gfx_core.trace.schema`.
"""

from dataclasses import dataclass

from gfx_core.trace.hints import (
    Count,
    EdgeSet,
    Line,
    LogProbability,
    NodeSet,
    Probability,
    Sentence,
)


@dataclass(frozen=True)
class FinalSubgraph:
    """Where the trajectory ends.

    Attributes:
        nodes: Its nodes, ascending.
        edges: All edges between them, ascending.
        log_reward: log R of it.
        log_trajectory_probability: Log-probability of exactly these actions in this order.
        log_probability: Log-probability that the policy stops at this set, by any order; ``None`` if unknown.
    """

    nodes: NodeSet
    edges: EdgeSet
    log_reward: float
    log_trajectory_probability: LogProbability
    log_probability: LogProbability | None = None


@dataclass(frozen=True)
class SampledSubgraph:
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
    edges: EdgeSet
    count: Count
    log_reward: float
    log_probability: LogProbability | None = None
    log_probability_exact: LogProbability | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the draws agree on: one subgraph, by a stated rule, and what the GNN says of it.

    The rule: the ends of all edges whose marginal is at least `threshold` and that hang together with the start node,
    with all edges between them; then, while the GNN gives it another class than the explained one, the neighbour that
    the draws hold most often is added. No ground truth has a part in it.

    Attributes:
        nodes: Its nodes, the start node first, then ascending.
        edges: All edges between them, ascending.
        threshold: The least marginal of an edge of the rule.
        grown: How many nodes were added beyond the rule, until the GNN kept its class or nothing drawn was left.
        exact: Whether the marginals are exact ones, of all states, or were counted from draws.
        drawn: How many of the draws end exactly there.
        probability: The exact probability to end exactly there under what is drawn from, ``None`` if unknown.
        alone: The GNN's class probabilities for this subgraph and nothing else.
        without: Those for all nodes with all edges but the answer's, as in fidelity+ (`gfx_core.metrics.fidelity`).
        whole: Whether it is everything that the GNN can see of the instance.
        name: What it is, for people: "the ring 595–600", "the nitro group on the benzene ring".
        sentence: The answer in a sentence or two, plain text.
    """

    nodes: NodeSet
    edges: EdgeSet
    threshold: Probability
    grown: Count
    exact: bool
    drawn: Count
    probability: Probability | None
    alone: tuple[Probability, ...]
    without: tuple[Probability, ...]
    whole: bool
    name: Line
    sentence: Sentence
