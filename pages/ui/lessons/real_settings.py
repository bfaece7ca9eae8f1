"""What lesson 6 keeps in the URL: the instance, the node set, and the settings of the reward."""

from dataclasses import dataclass

from gfx_core.gfn.config import RewardConfig
from gfx_core.teaching.real import INDICES, MAX_NODES, real_instance
from pages.ui.lessons.frame import keep, preset

BETAS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
EDGE_PRICES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1)
DISTANCE_PRICES = (0.0, 0.1, 0.3, 1.0)
PARTS = ("Try one", "Weigh all", "Other GNN")
FEWEST = 2  # the smallest K_M of the slider


@dataclass(frozen=True)
class Settings:
    """Everything the lesson shows depends on this.

    Attributes:
        index: The explained node, by its id in the data set.
        chosen: The student's node set, local ids, the explained node among them.
        part: Which of `PARTS` is open.
        prices: Of the reward.
        max_nodes: K_M.
        best: Whether the best subgraph was asked for.
    """

    index: int
    chosen: frozenset[int]
    part: int
    prices: RewardConfig
    max_nodes: int
    best: bool


def read_settings() -> Settings:
    """From the URL; what makes no sense there is left at its default."""
    index = preset("index", INDICES[0], lambda text: INDICES[INDICES.index(int(text))])
    instance = real_instance(index)
    assert instance.target is not None
    start = frozenset({instance.target})
    return Settings(
        index=index,
        chosen=preset("set", start, lambda text: _node_set(text, instance.num_nodes) | start),
        part=preset("part", 0, lambda text: range(len(PARTS))[int(text) - 1] if int(text) > 0 else 0),
        prices=RewardConfig(
            beta=preset("beta", 1.0, lambda text: _one_of(text, BETAS)),
            prices={
                "size": preset("edges", 0.0, lambda text: _one_of(text, EDGE_PRICES)),
                "similarity": preset("distance", 0.0, lambda text: _one_of(text, DISTANCE_PRICES)),
            },
        ),
        max_nodes=preset("k", MAX_NODES, lambda text: range(MAX_NODES + 1)[max(FEWEST, int(text))]),
        best=preset("best", False, lambda text: text == "1"),
    )


def keep_set(nodes: frozenset[int], start: int) -> None:
    """Write the student's set into the URL, without the explained node."""
    keep(set=".".join(str(node) for node in sorted(nodes - {start})) or None)


def _node_set(text: str, num_nodes: int) -> frozenset[int]:
    return frozenset(range(num_nodes)[int(part)] for part in text.split(".") if int(part) >= 0)


def _one_of(text: str, values: tuple[float, ...]) -> float:
    return values[values.index(float(text))]
