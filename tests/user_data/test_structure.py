"""Classes that come from the graph itself: what they are, and that they are told as such."""

import networkx as nx
import numpy as np
import pytest

from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation.record import _nodes as node_marks
from gfx_core.layout.instances import instance_layout
from gfx_core.text.instance_words import shared_note
from gfx_core.user_data.build import (
    FROM_GRAPH,
    LANDMARKS,
    MAX_LINKS,
    ColumnRoles,
    preview,
    structural_classes,
    telling_features,
)
from gfx_core.user_data.draft import DataFile, files_of
from gfx_core.user_data.read import read


def test_communities_are_louvains_with_landmarks() -> None:
    graph = nx.relaxed_caveman_graph(4, 8, 0.1, seed=0)
    classes = structural_classes("communities", np.array(graph.edges), [f"n{node}" for node in graph])
    parts = {frozenset(part) for part in nx.community.louvain_communities(graph, seed=0)}
    ours = {frozenset(np.flatnonzero(classes.y == at).tolist()) for at in range(len(classes.names))}
    assert ours == parts
    assert (classes.x.sum(axis=0) == LANDMARKS).all()
    for at, name in enumerate(classes.names):
        landmarks = np.flatnonzero(classes.x[:, at])
        assert (classes.y[landmarks] == at).all()
        within = graph.subgraph(np.flatnonzero(classes.y == at).tolist()).degree
        assert sorted(within[node] for node in landmarks) == sorted(dict(within).values())[-LANDMARKS:]
        assert int(name.removeprefix("community of n")) in landmarks
    assert FROM_GRAPH in " ".join(classes.words)


def test_roles_are_core_between_and_end() -> None:
    graph = nx.complete_graph(5)
    nx.add_path(graph, [4, 5, 6, 7])
    classes = structural_classes("roles", np.array([*graph.edges, (3, 3)]), list(map(str, graph)))
    assert [classes.names[at] for at in classes.y] == ["core"] * 5 + ["between"] * 2 + ["end"]
    assert "the 4-core" in classes.words[0]


@pytest.mark.parametrize(
    ("kind", "graph", "word"),
    [
        ("roles", nx.cycle_graph(12), "same role"),
        ("communities", nx.complete_graph(12), "two communities"),
        ("communities", nx.circulant_graph(MAX_LINKS // 2, [1, 2, 3]), f"{MAX_LINKS:,}"),
    ],
)
def test_where_there_are_none_a_sentence_says_so(kind: str, graph: "nx.Graph[int]", word: str) -> None:
    classes = structural_classes(kind, np.array(graph.edges), list(map(str, graph)))
    assert classes.names == ()
    assert word in classes.words[0]


def test_a_plain_edge_list_gets_communities_unless_it_says_otherwise(visit: str) -> None:
    files = files_of("novel")
    guess = preview(files, visit)
    assert guess.meaning.structure == "communities"
    assert FROM_GRAPH in load_dataset(guess.name).info.description
    assert (load_dataset(guess.name).y >= 0).sum() == 77
    assert not any("looks the same" in sentence for sentence in guess.understood)  # the landmarks do not
    nothing = preview(files, visit, ColumnRoles())
    assert (load_dataset(nothing.name).y < 0).all()
    assert load_dataset(nothing.name).info.classes == ("class not known",)
    assert "cannot" not in preview(files, visit, ColumnRoles(structure="roles")).problem
    assert preview(files_of("karate"), visit).meaning.structure == ""


def table(**columns: str) -> tuple[DataFile, DataFile]:
    """A ring of twelve with columns of one letter for each node."""
    edges = "\n".join(f"{node},{(node + 1) % 12}" for node in range(12))
    rows = [",".join(["id", *columns]), *(",".join([str(n), *(c[n] for c in columns.values())]) for n in range(12))]
    return DataFile("edges.csv", f"source,target\n{edges}".encode()), DataFile("nodes.csv", "\n".join(rows).encode())


def test_features_that_tell_the_class() -> None:
    columns = {"same": "xyxyxyxyxzxz", "part": "xxxxxxxxyyyy", "one": "abcdefghijkl"}
    draft = read(table(**{"class": "ababababacac"}, **columns))
    meaning = ColumnRoles(label="class", features=tuple(columns))
    assert telling_features(draft, meaning) == ("same",)  # names of nodes tell it too, and nobody means these
    assert telling_features(draft, ColumnRoles(features=("same",))) == ()


def test_attributes_are_told_of_an_answer(visit: str) -> None:
    name = preview(table(**{"class": "ab" * 6, "kind": "xxxyyyyyyyyy", "part": "zzzzzzzzzzzw"}), visit).name
    instance = load_dataset(name).instance(1, hops=6)
    assert ("kind", "x") in node_marks(instance, instance_layout(instance))[0].features  # in the tip of a node
    places = [instance.nodes.tolist().index(node) for node in (0, 1, 2)]
    assert shared_note(instance, places) == "All its 3 nodes have kind “x” (none of the other nodes)."
    assert shared_note(instance, [*places, instance.nodes.tolist().index(3)]) == ""  # most others are z, too
    assert shared_note(instance, places[:1]) == ""
