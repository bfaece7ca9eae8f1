"""Subgraphs by their names: shapes whatever their nodes are called, and chemists' words for parts of molecules."""

import re
import sys
from collections.abc import Sequence

import networkx as nx
import pytest

from gfx_core.datasets.info import HOUSE
from gfx_core.datasets.molecules import COMPOUNDS, groups_of, molecule
from gfx_core.text.names import Name, shape_name, subgraph_name


def grid(rows: int, columns: int) -> nx.Graph:
    return nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, columns))


def extended(graph: nx.Graph, *edges: tuple[int, int]) -> nx.Graph:
    more = graph.copy()
    more.add_edges_from(edges)
    return more


HOUSE_GRAPH = nx.convert_node_labels_to_integers(nx.Graph(HOUSE.edges), ordering="sorted")
ZIGZAG = extended(nx.empty_graph(4), (0, 2), (2, 1), (1, 3))
CROWD = extended(nx.complete_bipartite_graph(5, 5), *((node, 10 + node % 5) for node in range(10)), (10, 11))


@pytest.mark.parametrize(
    ("graph", "name", "kind"),
    [
        (nx.path_graph(1), "node 500", "a single node"),
        (nx.path_graph(5), "the path through 500, 501, 502, 503 and 504", "a path of five"),
        (ZIGZAG, "the path through 500, 502, 501 and 503", "a path of four"),
        (nx.cycle_graph(3), "the triangle 500–502", "a triangle"),
        (nx.cycle_graph(13), "the ring 500–512", "a ring of 13"),
        (nx.star_graph(4), "the star around 500 with 501–504", "a star with four arms"),
        (nx.balanced_tree(2, 2), "the tree of nodes 500–506", "a tree of seven nodes"),
        (nx.complete_graph(4), "the complete graph 500–503", "a complete graph of four"),
        (HOUSE_GRAPH, "the house 500–504", "a house"),
        (grid(2, 3), "the 2×3 grid 500–505", "a 2×3 grid"),
        (extended(nx.cycle_graph(6), (0, 6)), "the ring 500–505 with node 506", "a ring of six with one more node"),
        (
            extended(HOUSE_GRAPH, (2, 5), (5, 6)),
            "the house 500–504 with nodes 505 and 506",
            "a house with two more nodes",
        ),
        (extended(nx.cycle_graph(4), (3, 4), (4, 5), (5, 3)), None, "a ring of four and a triangle"),
        (nx.petersen_graph(), "the subgraph of nodes 500–509", "a subgraph of ten nodes"),
        (CROWD, "the subgraph of nodes 500–514", "a subgraph of 15 nodes"),  # no small part of it names it
    ],
)
def test_shapes(graph: nx.Graph, name: str | None, kind: str) -> None:
    labels = {node: str(500 + at) for at, node in enumerate(graph)}
    assert name is None or shape_name(graph, labels) == Name(name)
    assert shape_name(graph).text == kind
    assert shape_name(nx.relabel_nodes(graph, {node: 99 - at for at, node in enumerate(graph)})).text == kind


def test_labels_with_gaps_and_words() -> None:
    for graph, labels, name in (
        (nx.cycle_graph(4), ["700", "701", "703", "704"], "the ring 700, 701, 703 and 704"),
        (nx.cycle_graph(4), "cbda", "the ring a, c, b and d"),  # as one walks round
        (nx.path_graph(20), range(0, 60, 3), "the path of 20 nodes from 0 to 57"),
        (nx.balanced_tree(3, 3), range(0, 80, 2), "the tree of nodes 0, 2, 4, 6, 8, 10, 12 and 33 others"),
    ):
        assert shape_name(graph, dict(enumerate(map(str, labels)))).text == name
    rings = extended(nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(4)), (0, 9), (9, 5))
    several = shape_name(rings, {node: str(node) for node in rings})
    assert several == Name("the ring 0–4 and the ring 5–8 with node 9", several=True)


# Molecules

NITROBENZENE = COMPOUNDS["Nitrobenzene"]  # O N O, then the ring
DINITROBENZENE = "O=[N+]([O-])c1cccc([N+](=O)[O-])c1"
AZO = "c1ccccc1N=Nc1ccc(N(C)C)cc1"


@pytest.mark.parametrize(
    ("smiles", "groups"),
    [
        (NITROBENZENE, "benzene ring, nitro group"),
        ("Nc1ccccc1", "benzene ring, amino group"),
        ("CN(C)N=O", "nitrosamine group, methyl group"),
        (AZO, "benzene ring, azo group, dimethylamino group"),
        ("[N-]=[N+]=NCc1ccccc1", "benzene ring, azide group"),
        ("C1OC1c1ccccc1", "epoxide ring, benzene ring"),
        ("O=Cc1ccco1", "furan ring, aldehyde group"),
        ("CC(=O)Oc1ccccc1C(=O)O", "benzene ring, ester group, carboxyl group, methyl group"),
        ("CC(=O)Nc1ccc(O)cc1", "benzene ring, amide group, hydroxyl group, methyl group"),
        ("N#CCBr", "nitrile group, bromine atom"),
        ("FC(Cl)I", "fluorine atom, chlorine atom, iodine atom"),
        ("Cn1cnc2c1c(=O)n(C)c(=O)n2C", "purine, carbonyl oxygen, methyl group"),
        ("c1ccc2c(c1)ccc1ccccc21", "phenanthrene"),
        (COMPOUNDS["Benzo[a]pyrene"], "benzo[a]pyrene"),
        ("C1CCCCCC1", "seven-membered ring"),
        ("O=C1c2ccccc2C(=O)c2ccccc12", "system of 3 fused rings, carbonyl oxygen"),
        ("[Na+].[O-]C(=O)C", "carboxylate group, methyl group"),
    ],
)
def test_groups(smiles: str, groups: str) -> None:
    instance = molecule(smiles)
    found = groups_of(instance)
    assert found is not None
    assert {group.name for group in found} == set(groups.split(", "))
    atoms = [atom for group in found for atom in group.atoms]
    assert len(atoms) == len(set(atoms))
    assert "H" not in {instance.node_label(atom) for atom in atoms}


@pytest.mark.parametrize(
    ("smiles", "atoms", "name", "several"),
    [
        (NITROBENZENE, range(14), "the nitro group on the benzene ring", False),  # with its hydrogens
        (NITROBENZENE, (0, 1, 2), "the nitro group", False),
        (NITROBENZENE, (0, 1), "part of the nitro group (N and one O)", False),
        (NITROBENZENE, (0, 1, 2, 3), "the nitro group with one carbon atom of the benzene ring", False),
        (NITROBENZENE, (3, 4, 5), "3 carbon atoms of the benzene ring", True),
        (NITROBENZENE, (9,), "one hydrogen atom", False),
        (COMPOUNDS["TNT"], range(1, 10), "one of the 3 nitro groups on the benzene ring", False),
        (COMPOUNDS["TNT"], range(1, 16), "the 3 nitro groups on the benzene ring", True),
        (COMPOUNDS["Benzidine"], range(14), "both amino groups on both benzene rings", True),
        (COMPOUNDS["Caffeine"], (1, 2, 3, 4, 5, 6, 8), "7 atoms of the purine", True),
        (COMPOUNDS["Aspirin"], range(10), "the ester group on the benzene ring, with the methyl group", False),
        (COMPOUNDS["Aspirin"], (10, 12, 20), "part of the carboxyl group (C, one O and H)", False),
        (COMPOUNDS["Ethanol"], range(3), "the hydroxyl group and the methyl group with one more carbon atom", True),
        ("CCCCCCC", (1, 2, 3, 10, 11), "the C₃H₂ fragment", False),
    ],
)
def test_parts(smiles: str, atoms: Sequence[int], name: str, several: bool) -> None:
    assert subgraph_name(molecule(smiles), atoms) == Name(name, several)


@pytest.mark.parametrize(
    ("smiles", "atoms", "kind"),
    [
        (NITROBENZENE, range(9), "a nitro group on a benzene ring"),
        (DINITROBENZENE, range(3), "a nitro group"),  # one of two
        (DINITROBENZENE, range(12), "2 nitro groups on a benzene ring"),
        ("Nc1ccccc1", range(2), "an amino group with one carbon atom of a benzene ring"),
        ("CCCCCC", range(1, 4), "a C₃ fragment"),
    ],
)
def test_kinds_of_parts_are_named_alike_in_every_molecule(smiles: str, atoms: Sequence[int], kind: str) -> None:
    assert subgraph_name(molecule(smiles), atoms, kind=True).text == kind


@pytest.mark.parametrize("compound", ["Aspirin", "Caffeine", "Glucose"])
def test_a_name_has_a_hydrogen_where_the_picture_outlines_one(compound: str) -> None:
    instance = molecule(COMPOUNDS[compound])
    for pair in instance.edge_index[:, instance.undirected].T.tolist():
        name = subgraph_name(instance, pair).text
        if "part of" in name or "atom" in name:
            outlined = "H" in map(instance.node_label, pair)
            assert bool(re.search(r"\bH\b|hydrogen", name)) == outlined, name


def test_without_rdkit_there_is_a_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = molecule(NITROBENZENE)
    monkeypatch.setitem(sys.modules, "rdkit", None)
    assert groups_of(instance) is None
    assert subgraph_name(instance, range(9)) == Name("the C₆NO₂ fragment")
