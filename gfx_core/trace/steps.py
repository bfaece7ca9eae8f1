"""The steps of a trace: states with their actions, flows, parents and rewards.

Nodes are named as in `gfx_core.trace.schema`.
"""

from dataclasses import dataclass
from typing import Annotated

from gfx_core.trace.hints import (
    MAX_MEMBERS,
    MAX_NODES,
    MAX_TERMS,
    Amount,
    Label,
    Limits,
    LogValue,
    MatrixRow,
    NodeIndex,
    NodeSet,
    Probability,
)


@dataclass(frozen=True)
class FrontierAction:
    """Adding one node: log F(s → s ∪ {node}) and π(node│s)."""

    node: NodeIndex
    log_flow: LogValue
    probability: Probability


@dataclass(frozen=True)
class StopAction:
    """Stopping: log F(s → STOP) and π(STOP│s), and whether nothing else was possible."""

    log_flow: LogValue
    probability: Probability
    forced: bool = False


@dataclass(frozen=True)
class OtherPolicy:
    """What the other kind of flows would do in a state: exact ones beside learned ones, learned ones beside exact.

    Attributes:
        frontier: π of each action, in the order of `Step.frontier`.
        stop: π(STOP│s).
    """

    frontier: Annotated[tuple[Probability, ...], Limits(0, MAX_NODES)]
    stop: Probability


@dataclass(frozen=True)
class ChildGroups:
    """The pieces that would be left if a cut vertex were taken away."""

    cut_vertex: NodeIndex
    groups: Annotated[tuple[NodeSet, ...], Limits(2, MAX_MEMBERS)]


@dataclass(frozen=True)
class ParentFlow:
    """The parent s∖{removed} of a state s: log F(s∖{removed} → s)."""

    removed: NodeIndex
    log_flow: LogValue


@dataclass(frozen=True)
class RewardTerm:
    """A term of one set's reward.

    Attributes:
        name: One of `Trace.reward_terms`.
        value: What was measured.
        price: What each unit of it costs.
        contribution: `price` · `value`.
    """

    name: Label
    value: float
    price: float
    contribution: float


@dataclass(frozen=True)
class RewardTerms:
    """log R(s) = −β · Σ contributions.

    Attributes:
        log_reward: The result.
        beta: The reward exponent β.
        terms: What it is made of, in the order of `Trace.reward_terms`.
        probability: What the GNN gives the explained class when it sees the subgraph only.
    """

    log_reward: float
    beta: Amount
    terms: Annotated[tuple[RewardTerm, ...], Limits(0, MAX_TERMS)]
    probability: Probability


@dataclass(frozen=True, kw_only=True)
class Step:
    """One state of the trajectory, and the action taken in it.

    Attributes:
        members: The set s, in the order in which its nodes were added; the first is the start node.
        added: The last of them, ``None`` at s₀.
        frontier: The nodes that could be added. A node that must not be added any more has log-flow −inf, or is left
            out.
        stop: The other action.
        cut_vertices: The members that hold the subgraph together.
        matrix: 𝒵, with rows and columns in the order of `members`.
        theorem_case: What the last addition was to Theorem 1: 1 for eq. 10, 2 for eq. 11, 0 below three nodes.
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
    added: NodeIndex | None
    frontier: Annotated[tuple[FrontierAction, ...], Limits(0, MAX_NODES)]
    stop: StopAction
    cut_vertices: NodeSet
    matrix: Annotated[tuple[MatrixRow, ...], Limits(1, MAX_MEMBERS)]
    theorem_case: Annotated[int, Limits(0, 2)]
    child_groups: Annotated[tuple[ChildGroups, ...], Limits(0, MAX_MEMBERS)]
    parents: Annotated[tuple[ParentFlow, ...], Limits(0, MAX_MEMBERS)]
    log_in_flow: LogValue | None
    log_out_flow: LogValue
    residual: float | None
    reward: RewardTerms
    chosen: NodeIndex | None
    other: OtherPolicy | None = None

    @property
    def size(self) -> int:
        return len(self.members)
