"""The small graphs on which lessons train, as instances like any other, with given rewards. Needs no torch."""

import string
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.config import ASSETS, Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.settings import RewardConfig

LESSON = "lesson"
"""The data set and source of the lessons' graphs, where a question names one."""


class Practice(StrEnum):
    """A graph with rewards."""

    TOY = "toy"
    TWO_MODES = "two-modes"


GRAPHS: dict[str, Any] = tomllib.loads((ASSETS / "content" / "lesson_graphs.toml").read_text(encoding="utf-8"))
TITLES: dict[str, str] = {name: graph["title"] for name, graph in GRAPHS.items()}
NEAR, FAR = GRAPHS[Practice.TWO_MODES]["rewards"]
"""The two modes: one node from the start, and three nodes from it on the other side."""

FIRST_FLOW = 0.05
"""Every flow of lesson 4 at the beginning: a learner that believes there is little to find where it has not been."""


def small_instance(edges: Sequence[Sequence[int]], positions: Sequence[Sequence[float]]) -> Instance:
    """A graph without features whose node 0 is explained; nodes are called a, b, c …"""
    info = DatasetInfo("toy", Task.NODE, classes=("given rewards",))
    dataset = GraphDataset.from_edges(
        replace(info, task=Task.GRAPH),  # whose nodes stay in their order
        x=np.eye(len(positions), dtype=np.float32),
        edge_index=np.array(edges, dtype=np.int64).reshape(-1, 2).T,
        y=np.zeros(1, dtype=np.int64),
        node_names=tuple(string.ascii_lowercase[: len(positions)]),
    )
    return replace(dataset.instance(0), info=info, target=0, pos=np.array(positions, dtype=np.float32))


def practice_instance(practice: Practice) -> Instance:
    """A triangle a b c with a tail d e, which has eight states, or a path with its start in between."""
    return small_instance(GRAPHS[practice]["edges"], GRAPHS[practice]["positions"])


def state_name(instance: Instance, dag: StateDag, state: int) -> str:
    """The nodes of a state as one word, e.g. ``acd``."""
    return "".join(instance.node_label(node) for node in np.flatnonzero(dag.members[state]).tolist())


def practice_rewards(practice: Practice, instance: Instance, dag: StateDag) -> Doubles:
    """R of each state. [S]"""
    graph = GRAPHS[practice]
    names = (state_name(instance, dag, state) for state in range(dag.num_states))
    return np.array([graph["rewards"].get(name, graph["others"]) for name in names])


@dataclass(frozen=True)
class LessonGraph:
    """One of the lessons' graphs in place of a question: its rewards are given, there is no GNN."""

    name: str

    dataset = source = LESSON
    gnn = ""
    start = None

    def __post_init__(self) -> None:
        if self.name not in TITLES:
            raise UserError(f"There is no practice graph “{self.name[:60]}”: choose one of {', '.join(TITLES)}.")
        object.__setattr__(self, "name", str(self.name))

    @property
    def title(self) -> str:
        """For people."""
        return TITLES[self.name]

    def instance(self) -> Instance:
        """The graph."""
        return practice_instance(Practice(self.name))

    def space(self, dag: StateDag, reward: RewardConfig) -> StateSpace:
        """Its states with their rewards, the given ones under β and a price per node."""
        log_reward = np.log(practice_rewards(Practice(self.name), self.instance(), dag))
        return StateSpace(dag, reward.beta * (log_reward - reward.price("nodes") * dag.size))
