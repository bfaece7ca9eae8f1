"""The five-node graph that the lessons share, with its states and all orders to build them."""

from functools import lru_cache

from gfx_core.datasets.instance import Instance
from gfx_core.gfn.state_dag import StateDag, enumerate_states
from gfx_core.teaching.sequences import SequenceTree, sequence_tree
from gfx_core.teaching.toy import toy_instance

Order = tuple[int, ...]


@lru_cache(maxsize=1)
def toy() -> tuple[Instance, StateDag, SequenceTree]:
    """The graph, its states, and all orders."""
    instance = toy_instance()
    dag = enumerate_states(instance, max_nodes=instance.num_nodes)
    return instance, dag, sequence_tree(dag)


def word(order: Order) -> str:
    """An order as one word, as the URL has it."""
    return "".join(toy()[0].node_label(node) for node in order)


def arrows(order: Order) -> str:
    """An order for people."""
    return " → ".join(toy()[0].node_label(node) for node in order)


def read_order(text: str) -> Order:
    """An order from its word.

    Raises:
        KeyError: if no set can be built so.
    """
    instance, _, tree = toy()
    nodes = {instance.node_label(node): node for node in range(instance.num_nodes)}
    order = tuple(nodes[letter] for letter in text)
    return tree.orders[tree.number[order]]
