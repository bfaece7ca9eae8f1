"""Small graphs by their names: each shape, with other nodes on it, whatever its nodes are called."""

import networkx as nx
import pytest

from gfx_core.datasets.info import HOUSE
from gfx_core.text.names import Name, shape_name


def named(graph: nx.Graph, first: int = 500) -> str:
    """The name of a graph whose nodes are numbered from some number on, in its own order."""
    return shape_name(graph, {node: str(first + at) for at, node in enumerate(graph)}).text


def grid(rows: int, columns: int) -> nx.Graph:
    return nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, columns))


def hung(graph: nx.Graph, *edges: tuple[int, int]) -> nx.Graph:
    more = graph.copy()
    more.add_edges_from(edges)
    return more


HOUSE_GRAPH = nx.convert_node_labels_to_integers(nx.Graph(HOUSE.edges), ordering="sorted")


@pytest.mark.parametrize(
    ("graph", "name"),
    [
        (nx.path_graph(1), "node 500"),
        (nx.path_graph(2), "the edge between 500 and 501"),
        (nx.path_graph(5), "the path 500–504"),
        (hung(nx.empty_graph(4), (0, 2), (2, 1), (1, 3)), "the path through 500, 502, 501 and 503"),
        (nx.cycle_graph(3), "the triangle 500–502"),
        (nx.cycle_graph(6), "the ring 500–505"),
        (nx.star_graph(4), "the star around 500 with 501–504"),
        (nx.balanced_tree(2, 2), "the tree of nodes 500–506"),
        (nx.complete_graph(4), "the complete graph 500–503"),
        (HOUSE_GRAPH, "the house 500–504"),
        (grid(3, 3), "the 3×3 grid 500–508"),
        (grid(2, 3), "the 2×3 grid 500–505"),
        (hung(nx.cycle_graph(6), (0, 6)), "the ring 500–505 with node 506"),
        (hung(nx.cycle_graph(6), (0, 6), (3, 7)), "the ring 500–505 with nodes 506 and 507"),
        (hung(HOUSE_GRAPH, (2, 5), (5, 6), (6, 7)), "the house 500–504 with nodes 505–507"),
        (hung(HOUSE_GRAPH, (2, 5), (5, 0)), "the house 500–504 with node 505"),  # tied to two nodes of it
        (hung(grid(3, 3), (0, 9), (9, 8)), "the 3×3 grid 500–508 with node 509"),
        (nx.petersen_graph(), "the subgraph of nodes 500–509"),
    ],
)
def test_shapes(graph: nx.Graph, name: str) -> None:
    assert named(graph) == name


@pytest.mark.parametrize(
    ("graph", "kind"),
    [
        (nx.path_graph(1), "a single node"),
        (nx.path_graph(2), "an edge"),
        (nx.path_graph(3), "a path of three"),
        (nx.cycle_graph(3), "a triangle"),
        (nx.cycle_graph(6), "a ring of six"),
        (nx.cycle_graph(13), "a ring of 13"),
        (nx.star_graph(4), "a star with four arms"),
        (nx.balanced_tree(2, 2), "a tree of seven nodes"),
        (nx.complete_graph(4), "a complete graph of four"),
        (HOUSE_GRAPH, "a house"),
        (grid(2, 3), "a 2×3 grid"),
        (hung(nx.cycle_graph(6), (0, 6)), "a ring of six with one more node"),
        (hung(HOUSE_GRAPH, (2, 5), (5, 6)), "a house with two more nodes"),
        (hung(grid(2, 3), (0, 6), (6, 5)), "a 2×3 grid with one more node"),
        (hung(nx.cycle_graph(3), (2, 3), (3, 4), (4, 2)), "two triangles"),
        (hung(nx.cycle_graph(4), (3, 4), (4, 5), (5, 3)), "a ring of four and a triangle"),
        (nx.petersen_graph(), "a subgraph of ten nodes"),
    ],
)
def test_kinds_name_the_shape_whatever_its_nodes_are_called(graph: nx.Graph, kind: str) -> None:
    assert shape_name(graph).text == kind
    assert shape_name(nx.relabel_nodes(graph, {node: 99 - at for at, node in enumerate(graph)})).text == kind


def test_several_shapes_are_in_the_plural() -> None:
    rings = hung(nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(4)), (0, 9), (9, 5))
    labels = {node: str(node) for node in rings}
    assert shape_name(rings, labels) == Name("the ring 0–4 and the ring 5–8 with node 9", several=True)


def test_gaps_and_words_in_labels() -> None:
    ring = nx.cycle_graph(4)
    assert shape_name(ring, dict(enumerate(["700", "701", "703", "704"]))).text == "the ring 700, 701, 703 and 704"
    assert shape_name(ring, dict(enumerate("abcd"))).text == "the ring a, b, c and d"
    assert shape_name(ring, dict(enumerate("cbda"))).text == "the ring a, c, b and d"  # as one walks round
    assert shape_name(hung(ring, (1, 4)), dict(enumerate("cbdae"))).text == "the ring a, c, b and d with node e"
    long = shape_name(nx.path_graph(20), {node: str(3 * node) for node in range(20)}).text
    assert long == "the path of 20 nodes from 0 to 57"
    large = shape_name(nx.balanced_tree(3, 3), {node: str(2 * node) for node in range(40)}).text
    assert large == "the tree of nodes 0, 2, 4, 6, 8, 10, 12 and 33 others"


def test_a_shape_that_is_only_a_small_part_gives_no_name() -> None:
    crowd = hung(nx.complete_bipartite_graph(5, 5), *((node, 10 + node % 5) for node in range(10)), (10, 11))
    assert named(crowd) == "the subgraph of nodes 500–514"
