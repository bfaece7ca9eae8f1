"""What lesson 6 keeps in the link: the instance, the student's node set, and how subgraphs are weighed."""

from gfx_core.gfn.settings import RewardConfig
from gfx_core.teaching.fragment_words import SHIPPED
from gfx_core.teaching.known_subgraphs import INDICES, MAX_NODES, Weighing, real_instance
from pages.ui.address import flag, nodes, one_of, spell_flag, spell_nodes, spell_number, whole
from pages.ui.lessons.frame import part_of
from pages.ui.lessons.progress import LessonAddress


def _with_shipped(name: str, *prices: float) -> tuple[float, ...]:
    """Prices to choose from; that of the shipped policies is always among them."""
    return tuple(sorted({*prices, SHIPPED.price(name)}))


BETAS = tuple(sorted({0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, SHIPPED.beta}))
NODE_PRICES = _with_shipped("nodes", 0.0, 0.01, 0.03, 0.1, 0.3)
EDGE_PRICES = _with_shipped("size", 0.0, 0.001, 0.003, 0.01, 0.03, 0.1)
DISTANCE_PRICES = _with_shipped("similarity", 0.0, 0.1, 0.3, 1.0)
PARTS = ("Try one", "Weigh all", "Other GNN", "Fragments")
FEWEST = 2  # the smallest K_M of the slider


def _node_set(text: str) -> frozenset[int]:
    found = frozenset(nodes(text))
    if not found <= set(range(real_instance(INDEX.read()).num_nodes)):
        raise ValueError(text)
    return found


ADDRESS = LessonAddress(6)
PART = part_of(ADDRESS, PARTS)
INDEX = ADDRESS.parameter("index", INDICES[0], one_of(INDICES))
"""The explained node, by its id in the data set."""
OTHERS = ADDRESS.parameter(
    "set", frozenset(), _node_set, spell=lambda found: spell_nodes(sorted(found)), under=(INDEX,)
)
"""The student's node set, local ids, without the explained node."""
BEST = ADDRESS.parameter("best", False, flag, spell=spell_flag, under=(INDEX,))
"""Whether the best subgraph was asked for."""
_SPELT = {"plain": "whole", "sum": "fragments"}
GNN = ADDRESS.parameter(
    "trained", "sum", {text: name for name, text in _SPELT.items()}.__getitem__, spell=_SPELT.__getitem__
)
"""Which of the two GNNs that add up is asked; links tell what it was trained on."""
BETA = ADDRESS.parameter("beta", 1.0, one_of(BETAS), spell=spell_number)
NODE_PRICE = ADDRESS.parameter("nodes", 0.0, one_of(NODE_PRICES), spell=spell_number)
EDGE_PRICE = ADDRESS.parameter("edges", 0.0, one_of(EDGE_PRICES), spell=spell_number)
DISTANCE_PRICE = ADDRESS.parameter("distance", 0.0, one_of(DISTANCE_PRICES), spell=spell_number)
LARGEST = ADDRESS.parameter("k", MAX_NODES, whole(FEWEST, MAX_NODES))


def weighing() -> Weighing:
    """The instance and the reward that the link describes."""
    prices = {"nodes": NODE_PRICE.read(), "size": EDGE_PRICE.read(), "similarity": DISTANCE_PRICE.read()}
    return Weighing(INDEX.read(), RewardConfig(BETA.read(), prices), LARGEST.read())


def weigh_as_shipped() -> None:
    """Set the reward of the shipped policies."""
    ADDRESS.change(
        {
            BETA: SHIPPED.beta,
            NODE_PRICE: SHIPPED.price("nodes") or None,
            EDGE_PRICE: SHIPPED.price("size") or None,
            DISTANCE_PRICE: SHIPPED.price("similarity") or None,
        }
    )


def chosen() -> frozenset[int]:
    """The student's node set, the explained node among them."""
    return OTHERS.read() | {Weighing(INDEX.read()).start}


def take(node: int) -> None:
    """Take a node into the student's set, or out of it."""
    OTHERS.write(OTHERS.read() ^ {node})
