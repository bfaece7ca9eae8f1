"""The same graph in every format is the same data set; what is not used is told."""

import io
import json
import re
import zipfile

import networkx as nx
import numpy as np
import pytest

from gfx_core import limits
from gfx_core.datasets import uploads
from gfx_core.datasets.registry import load_dataset, source_of
from gfx_core.drawing.pictures import instance_picture
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.layout.instances import instance_layout
from gfx_core.text import instance_words
from gfx_core.user_data.build import ColumnRoles, Preview, preview
from gfx_core.user_data.draft import EXAMPLES, DataFile, files_of
from gfx_core.user_data.read import read
from tests.user_data.broken_files import tu


def graph() -> "nx.Graph[str]":
    """Five people, a mark on three of them, an age that one does not tell."""
    made: nx.Graph[str] = nx.Graph()
    people = {"Ada": ("x", 1, 36), "Bo": ("y", 1, 20), "Cy": ("x", 1, 55), "Di": ("y", 0, 41), "Ed": ("y", 0, 29)}
    for name, (label, mark, age) in people.items():
        made.add_node(name, **{"class": label, "motif": mark, "age": age})
    made.add_edges_from([("Ada", "Bo"), ("Bo", "Cy"), ("Cy", "Ada"), ("Cy", "Di"), ("Di", "Ed")], weight=2)
    return made


def written(form: str) -> tuple[DataFile, ...]:
    """The graph in a format."""
    made, text = graph(), io.BytesIO()
    if form == "csv":
        edges = "\n".join(["source,target,weight", *(f"{one},{other},2" for one, other in made.edges)])
        rows = (f"{name},{at['class']},{at['motif']},{at['age']}" for name, at in made.nodes(data=True))
        nodes = "\n".join(["id,class,motif,age", *rows])
        return DataFile("people edges.csv", edges.encode()), DataFile("people.csv", nodes.encode())
    if form == "tsv":
        return tuple(DataFile(one.name, one.data.replace(b",", b"\t")) for one in written("csv"))
    if form == "json":
        return (DataFile("people.json", json.dumps(nx.node_link_data(made, edges="links")).encode()),)
    if form == "d3":
        return (DataFile("people.json", json.dumps(nx.node_link_data(made, edges="edges")).encode()),)
    {"graphml": nx.write_graphml, "gexf": nx.write_gexf, "gml": nx.write_gml}[form](made, text)
    return (DataFile(f"people.{form}", text.getvalue()),)


FORMATS = ("csv", "tsv", "graphml", "gexf", "gml", "json", "d3")


@pytest.mark.parametrize("form", FORMATS)
def test_formats_agree(form: str, visit: str) -> None:
    found = preview(written(form), visit)
    assert found.problem == ""
    data = load_dataset(found.name)
    assert data.node_texts == ("Ada", "Bo", "Cy", "Di", "Ed")
    assert data.info.classes == ("x", "y")
    assert data.y.tolist() == [0, 1, 0, 1, 1]
    assert data.num_edges == 5
    assert data.motif.tolist() == [0, 0, 0, -1, -1]
    assert int((data.edge_motif >= 0).sum()) == 6  # the triangle, in both directions
    age = np.array([36, 20, 55, 41, 29.0])
    np.testing.assert_allclose(data.x[:, 0], (age - age.mean()) / age.std(), rtol=1e-5)
    assert any("weight" in sentence for sentence in found.dropped)


def test_edge_list_without_a_head(visit: str) -> None:
    found = preview([DataFile("e.txt", b"# a comment\n0 1\n1 2\n2 0\n0 1\n1 0\n2 2\n")], visit)
    data = load_dataset(found.name)
    assert (data.num_nodes, data.num_edges) == (3, 3)
    assert [re.findall(r"\d+", sentence)[-1] for sentence in found.dropped] == ["1", "1", "2"]  # comment, loop, twice
    assert (data.y < 0).all()


@pytest.mark.parametrize("text", [b"a;b\nb;c\n", b"a\tb\nb\tc\n", b"a b\nb c\n", b"a, b\nb, c\n", b"u,v\na,b\nb,c\n"])
def test_whatever_stands_between(text: bytes) -> None:
    assert read([DataFile("e", text)]).names == ("a", "b", "c")


@pytest.mark.parametrize(
    "text",
    [
        b"1,11,x\n2,12,y\n3,13,x\n4,14,y\n",
        b"a,p,x\nb,q,y\nc,r,x\nd,s,y\n",
        b"a,b,1\nb,c,2\nc,d,1\nd,e,2\n",
        b"1 0\n2 0\n3 0\n4 0\n",
        b"child,parent\na,x\nb,y\nc,x\nd,y\n",
    ],
)
def test_each_line_is_an_edge(text: bytes) -> None:
    assert len(read([DataFile("e.csv", text)]).edges) == 4


def test_the_table_with_a_source_and_a_target_lists_the_edges() -> None:
    nodes, edges = b"id,class\n0,0\n1,1\n2,1\n", b"source,target\n0,1\n1,0\n1,2\n2,1\n2,3\n3,2\n"
    found = read([DataFile("n.csv", nodes), DataFile("e.csv", edges)])
    assert (found.names, list(found.columns), len(found.edges)) == (("0", "1", "2", "3"), ["class"], 6)


def test_lines_that_are_left_out_are_counted(visit: str) -> None:
    edges = b'source,target\n# a comment\n"a\nb",c\n\nc\nd,e,f\n,c\nc,d\n'
    nodes = b"node;class\nc;x\nd;y\n;x\nc;y\nzzz;x\n"
    found = preview([DataFile("e.csv", edges), DataFile("n.csv", nodes)], visit)
    assert load_dataset(found.name).node_texts == ("c", "d", "zzz", "a b")
    assert [re.findall(r"\d+", sentence) for sentence in found.dropped] == [
        ["6", "2", "3"],  # line 6 has three cells for two
        ["1"],  # the comment
        ["2"],  # lines of the table without a name, or with one twice
        ["2"],  # lines of the edge list without two nodes
    ]
    assert found.understood[:2] == ["1 node that only edges name: a b.", "1 node without an edge: zzz."]
    assert any("without a class: 1" in sentence for sentence in found.understood)


def test_gml_is_read_as_networkx_reads_it() -> None:
    text = """Creator "nobody"
graph [ directed 1
  node [ id a label "A &amp; B" x 1 x 2.5 graphics [ w 1.0 ] ] # a comment [
  node [ id 2 x -3.0e2 x .5 only "_networkx_list_start" only 7 flag NAN ]
  edge [ source a target 2 weight +INF ]
]"""
    found = read([DataFile("g.gml", text.encode())])
    assert found.names == ("a", "2")
    empty = ["", ""]  # more than one value, or none
    assert found.columns.to_dict("list") == dict.fromkeys(("x", "graphics", "only", "flag"), empty) | {
        "label": ["A & B", ""]
    }
    assert found.edges.tolist() == [[0, 1]]
    assert [word in sentence for word, sentence in zip(("Directions", "weight"), found.dropped, strict=True)] == [
        True
    ] * 2


def test_the_first_of_several_graphs_of_a_file_is_read() -> None:
    one = '<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph>'
    text = f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{one}{one}</graphml>'
    found = read([DataFile("g.graphml", text.encode())])
    assert (found.names, found.edges.tolist()) == (("a", "b"), [[0, 1]])
    assert "Further graphs in “g.graphml”: 1." in found.dropped[0]


def test_tu_archive(visit: str) -> None:
    rng, sizes = np.random.RandomState(0), (4, 6, 5)
    indicator = np.repeat(np.arange(3), sizes) + 1
    first = np.concatenate([[0], np.cumsum(sizes)])
    pairs = [(a, a + 1) for n, size in enumerate(sizes) for a in range(first[n], first[n] + size - 1)]
    both = sorted([*pairs, *((b, a) for a, b in pairs)])
    labels = rng.randint(0, 3, len(indicator))
    texts = {
        "A": "\n".join(f"{a + 1}, {b + 1}" for a, b in both),
        "graph_indicator": "\n".join(map(str, indicator)),
        "graph_labels": "-1\n1\n-1",
        "node_labels": "\n".join(map(str, labels)),
        "edge_labels": "\n".join("0" for _ in both),
    }
    made = io.BytesIO(tu(**texts))
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr("__MACOSX/T/._T_A.txt", b"\x00\x05")  # as Macs put it there
    roles = ColumnRoles(features=("node label",))
    found = preview([DataFile("t.zip", made.getvalue())], visit, roles)
    assert any("not read: T/T_edge_labels.txt and __MACOSX/T/._T_A.txt" in sentence for sentence in found.dropped)
    data = load_dataset(found.name)
    np.testing.assert_array_equal(data.edge_index, np.transpose(both))
    np.testing.assert_array_equal(data.y, [0, 1, 0])
    np.testing.assert_array_equal(data.ptr, first)
    np.testing.assert_allclose(data.x[:, 0], (labels - labels.mean()) / labels.std(), rtol=1e-5)
    assert data.node_texts == tuple(map(str, labels))
    usual = preview([DataFile("t.zip", made.getvalue())], visit)  # node labels are names, whatever their numbers
    assert usual.meaning.categories == usual.numeric == ("node label",)
    np.testing.assert_array_equal(load_dataset(usual.name).x, np.eye(3)[labels])
    assert not any("one scale" in sentence for sentence in usual.understood)


def test_attributes_of_a_tu_archive_are_quantities(visit: str) -> None:
    texts = {"node_labels": "0\n1\n2\n1", "node_attributes": "0\n1\n2\n1"}
    found = preview([DataFile("t.zip", tu(**texts))], visit)
    assert found.meaning.features == ("node label", "attribute")
    assert found.meaning.categories == ("node label",)
    assert load_dataset(found.name).x[:, :3].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert load_dataset(found.name).x[:, 3].mean() == pytest.approx(0)
    assert any("one scale" in sentence for sentence in found.understood)


def test_a_column_with_another_role_is_no_feature_any_more() -> None:
    roles = ColumnRoles(label="class", features=("age", "kind"), categories=("kind",))
    assert roles.change(motif="kind") == ColumnRoles(label="class", motif="kind", features=("age",))
    assert roles.change(label="age").features == ("kind",)
    assert roles.change(features=()).categories == ()


def _taken(visit: str, meaning: ColumnRoles, nodes: bytes) -> Preview:
    return preview([DataFile("e.csv", b"source,target\n0,1\n1,2\n2,3\n"), DataFile("nodes.csv", nodes)], visit, meaning)


def test_words_become_features_and_empty_cells_the_mean(visit: str) -> None:
    nodes = b"id,colour,size\n0,red,1\n1,blue,3\n2,red,NaN\n3,?,2\n"
    found = _taken(visit, ColumnRoles(features=("colour", "size")), nodes)
    sizes = (np.array([1, 3, 2, 2]) - 2) / np.std([1, 3, 2])
    colours = [[0, 1], [1, 0], [0, 1], [0, 0]]
    np.testing.assert_allclose(load_dataset(found.name).x, np.column_stack([colours, sizes]), rtol=1e-5)
    assert any("1 empty cell of “size”" in sentence for sentence in found.understood)


def test_a_column_of_names_is_no_class(visit: str) -> None:
    edges = b"source,target\n" + b"\n".join(b"%d,%d" % (n, n + 1) for n in range(40))
    files = [
        DataFile("e.csv", edges),
        DataFile("nodes.csv", b"id,name\n" + b"".join(b"%d,n%d\n" % (n, n) for n in range(41))),
    ]
    assert f"at most {limits.MAX_CLASSES}" in preview(files, visit, ColumnRoles(label="name")).problem
    assert preview(files, visit).meaning == ColumnRoles(name="name", structure="communities")


def test_marks_say_yes_or_count(visit: str) -> None:
    marked = b"id,m\n0,yes\n1,yes\n2,no\n3,no\n"
    some, none = (load_dataset(_taken(visit, roles, marked).name) for roles in (ColumnRoles(motif="m"), ColumnRoles()))
    assert some.motif.tolist() == [0, 0, -1, -1]
    assert instance_words.reason(some.instance(0)) == "the marked motif (1 edge, drawn thick)."
    assert instance_words.reason(some.instance(3)) == "none, this node is in no motif."
    assert instance_words.own_motif(some.instance(0))[0] == "marked motif"
    assert "1 motif" in instance_words.statistics_line(some.info, some.statistics)
    assert "not known" in instance_words.reason(none.instance(0))
    numbered = _taken(visit, ColumnRoles(motif="m"), b"id,m\n0,0\n1,0\n2,5\n3,5\n")
    assert load_dataset(numbered.name).motif.tolist() == [0, 0, 1, 1]
    lone = _taken(visit, ColumnRoles(motif="m"), b"id,m\n0,1\n1,0\n2,1\n3,1\n")
    assert load_dataset(lone.name).motif.tolist() == [-1, -1, 0, 0]
    assert any("1 node" in sentence for sentence in lone.dropped)


def test_examples(visit: str) -> None:
    for name in EXAMPLES:
        found = preview(files_of(name), visit)
        assert (found.problem, found.dropped) == ("", [])
        assert (load_dataset(found.name).y >= 0).sum() >= limits.LEAST_LABELLED


def test_hostile_names_stay_as_they_are_but_short(visit: str) -> None:
    evil = '<img src=x onerror="alert(1)">'
    edges = f'source,target\n"{evil.replace(chr(34), chr(34) * 2)}",b\n'.encode()
    found = preview([DataFile("<b>.csv", edges)], visit)
    assert load_dataset(found.name).node_notes == (evil, "b")
    assert load_dataset(found.name).node_texts == ("<img src=…", "b")
    assert uploads.info(found.name).title == "<b>"
    long = preview([DataFile("e.csv", b"source,target\n" + b"x" * 5000 + b",b\n")], visit)
    instance = load_dataset(long.name).instance(0)
    assert instance.node_label(0) == "xxxxxxxxx…"
    assert instance.node_name(0) == "x" * (limits.MAX_TEXT - 1) + "…"
    picture = instance_picture(instance, instance_layout(instance)).svg()
    assert picture.count(instance.node_name(0)) == picture.count(f"{instance.node_name(0)} · Node 0") > 0


def test_what_cannot_be_seen_is_taken_out_of_names(visit: str) -> None:
    nodes = "id,class,name\n0,\u202eone,a\u202eb\n1,two\u0007,c\u00a0d\n".encode()
    found = preview([DataFile("e.csv", b"source,target\n0,1\n"), DataFile("n.csv", nodes)], visit)
    data = load_dataset(found.name)
    assert data.node_texts == ("ab", "c d")
    assert sorted(data.info.classes) == ["one", "two"]
    nodes_of = [{"id": "x\u2067y", "class": "z\u0000"}, {"id": "w"}]
    text = json.dumps({"nodes": nodes_of, "links": [{"source": "w", "target": "x\u2067y"}]})
    found = preview([DataFile("g.json", text.encode())], visit)
    assert load_dataset(found.name).node_texts == ("xy", "w")


def test_nodes_are_found_by_their_names(visit: str) -> None:
    nodes = b"id,name\n7,Ada\n8,Bo\n9,bo\n10,Ada\n11,3\n"
    edges = b"source,target\n7,8\n8,9\n9,10\n10,11\n"
    found = preview([DataFile("e.csv", edges), DataFile("n.csv", nodes)], visit, ColumnRoles(name="name"))
    source = source_of(found.name, "index")
    assert load_dataset(found.name).names == ("Ada", "Bo", "bo", "Ada", "3")
    assert [source.checked(name) for name in ("Bo", " bo", "2", "3")] == ["1", "2", "2", "3"]  # digits are a number
    for wrong, sentence in {
        "Ada": "2 nodes are called “Ada”: choose one by its number (0, 3).",
        "BO": "2 nodes are called “BO”",
        "Adda": "Did you mean Ada?",
        "": "has no node “”",
    }.items():
        with pytest.raises(UserError, match=re.escape(sentence)):
            source.checked(wrong)
    assert Question(found.name, "Bo") == Question(found.name, "1")
    plain = preview([DataFile("e.csv", b"source,target\n0,1\n1,2\n")], visit)
    with pytest.raises(UserError, match="is not a number of a node"):
        source_of(plain.name, "index").checked("Bo")
