"""Files that are broken, too large or not what they seem: each with a word that its one sentence must hold."""

import io
import json
import struct
import zipfile
from collections.abc import Mapping

from gfx_core import limits
from gfx_core.user_data.read import DataFile

GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'
_TIMES = '<graph><nodes><node id="0" label="x" start="1"/></nodes></graph>'
GEXF = '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">{}</gexf>'


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with some files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


TU = {"A": "1, 2\n2, 1\n3, 4\n4, 3\n", "graph_indicator": "1\n1\n2\n2\n", "graph_labels": "0\n1\n"}
"""The parts of a small TU archive."""


def tu(**parts: str | None) -> bytes:
    """A small TU archive with some parts put otherwise; ``None`` leaves one out."""
    return zipped({f"T/T_{part}.txt": text for part, text in {**TU, **parts}.items() if text is not None})


def _entities() -> str:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY l0 "ha">{laughs}]><graphml>&l9;</graphml>'


def _nodes(count: int) -> str:
    return "".join(f'<node id="{n}"/>' for n in range(count))


def _locked() -> bytes:
    """An archive whose files are marked as locked with a password."""
    data = bytearray(tu())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(mark)
        while place >= 0:
            data[place + at] |= 1
            place = data.find(mark, place + 4)
    return bytes(data)


def _overlapping() -> bytes:
    """An archive whose second file begins where its first one does."""
    data = bytearray(tu())
    second = data.find(b"PK\x01\x02", data.find(b"PK\x01\x02") + 4)
    data[second + 42 : second + 46] = struct.pack("<I", 0)
    return bytes(data)


def _liar() -> bytes:
    """An archive that says of a file that it is small."""
    data = bytearray(tu(A="1, 2\n" * 200_000))
    place = data.find(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    return bytes(data)


def _json(nodes: object, links: object = ()) -> bytes:
    return json.dumps({"nodes": nodes, "links": list(links) if isinstance(links, tuple) else links}).encode()


_PAIR = DataFile("edges.csv", b"source,target\na,b\nb,c\n")

BROKEN: dict[str, tuple[tuple[DataFile, ...], str]] = {
    name: ((content,) if isinstance(content, DataFile) else content, word)
    for name, content, word in (
        # tables
        ("empty", DataFile("a.csv", b""), "empty"),
        ("comments only", DataFile("a.txt", b"# one\n# two\n"), "empty"),
        ("one column", DataFile("a.txt", b"a\nb\nc\n"), "two"),
        ("head only", DataFile("a.csv", b"source,target\n"), "no lines"),
        (
            "other lines than the head",
            DataFile("a.csv", b"source,target\n\na,b,1\n"),
            "of its head: line 3 has 3",
        ),
        (
            "nodes alone",
            DataFile("a.csv", b"node,class\na,left\nb,right\n"),
            "a table of nodes (it has",
        ),
        (
            "nodes alone, by their cells",
            DataFile("a.csv", b"person,team\nann,left\nbo,right\ncy,left\ndi,right\n"),
            "a table of nodes (no name comes twice",
        ),
        ("open quote", DataFile("a.csv", b'source,target\na,b\n"c,d\ne,f\n'), "in line 3 a quotation mark"),
        ("loops only", DataFile("a.csv", b"source,target\na,a\nb,b\n"), "no edge"),
        (
            "empty ends",
            DataFile("a.csv", b"source,target\na,\n,b\n"),
            "no edge. 2 lines of “a.csv” without two nodes",
        ),
        ("a long line", DataFile("a.csv", b"# x\nsource,target\na,\n\nb,c,d,e\n"), "line 5 has 4. 1 comment line"),
        ("long cell", DataFile("a.csv", b"source,target\n" + b"x" * 200_000 + b",b\n"), "cell"),
        (
            "many columns",
            DataFile("a.csv", b",".join(b"c%d" % n for n in range(700)) + b"\n" + b"1," * 699),
            "col",
        ),
        ("too many lines", DataFile("a.txt", b"1 2\n" * (limits.MAX_EDGES + 2)), "lines"),
        ("too many nodes", DataFile("a.txt", b"\n".join(b"%d 0" % n for n in range(limits.MAX_NODES + 2))), "nodes"),
        ("binary", DataFile("a.csv", b"\x00\x01\x02\x03" * 50), "binary"),
        ("latin", DataFile("a.csv", "source,target\ncafé,thé\n".encode("latin-1")), "UTF-8"),
        ("utf-16", DataFile("a.csv", "source,target\na,b\n".encode("utf-16")), "UTF-16"),
        ("too large", DataFile("a.csv", b"a b\n" * (limits.MAX_BYTES // 4 + 1)), "MB"),
        ("two edge lists", (_PAIR, DataFile("b.csv", b"source,target\nx,y\n")), "Which"),
        ("three tables", (_PAIR, _PAIR, _PAIR), "two files"),
        ("five files", (_PAIR,) * 5, "At most"),
        ("other nodes", (_PAIR, DataFile("nodes.csv", b"id,class\nx,1\ny,2\n")), "No node"),
        ("table and JSON", (_PAIR, DataFile("n.json", b'{"nodes": []}')), "alone"),
        ("nothing", (), "nothing"),
        # XML
        ("cut off", DataFile("a.graphml", GRAPHML.format("<graph>")[:-15].encode()), "whole XML"),
        ("entities", DataFile("a.graphml", _entities().encode()), "entities"),
        ("outside entity", DataFile("a.gexf", b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><gexf/>'), "document type"),
        ("other XML", DataFile("a.xml", b"<svg></svg>"), "neither"),
        ("no graph", DataFile("a.graphml", GRAPHML.format("").encode()), "GraphML"),
        ("no nodes", DataFile("a.graphml", GRAPHML.format('<graph edgedefault="directed"/>').encode()), "no nodes"),
        ("deep XML", DataFile("a.graphml", ("<graphml>" + "<a>" * 100_000).encode()), "within"),
        ("node flood", DataFile("a.graphml", GRAPHML.format(f"<graph>{_nodes(20_100)}</graph>").encode()), "nodes"),
        (
            "bad type",
            DataFile(
                "a.graphml",
                GRAPHML.format(
                    '<key id="k" for="node" attr.name="c" attr.type="int"/>'
                    '<graph edgedefault="undirected"><node id="a"><data key="k">x</data></node></graph>'
                ).encode(),
            ),
            "GraphML",
        ),
        ("old GEXF", DataFile("a.gexf", b'<gexf xmlns="http://nowhere" version="9"><graph/></gexf>'), "GEXF"),
        ("GEXF with times of no kind", DataFile("a.gexf", GEXF.format(_TIMES).encode()), "GEXF: save it again"),
        ("many graphs", DataFile("a.graphml", GRAPHML.format("<graph/>" * 200_000).encode()), "graphs in one file"),
        # GML
        ("GML cut off", DataFile("a.gml", b"graph [ node [ id 0 "), "GML"),
        ("GML without ids", DataFile("a.gml", b'graph [ node [ label "a" ] ]'), "GML"),
        ("GML deep", DataFile("a.gml", b"graph [ " + b"a [ " * 60_000), "brackets"),
        ("GML twice", DataFile("a.gml", b"graph [ node [ id 0 ] node [ id 0 ] ]"), "GML"),
        ("GML nowhere", DataFile("a.gml", b"graph [ node [ id 0 ] edge [ source 0 target 1 ] ]"), "GML"),
        ("GML no value", DataFile("a.gml", b"graph [ node [ id 0 x ] ]"), "GML"),
        ("GML open quote", DataFile("a.gml", b'graph [ node [ id 0 label "a ] ]'), "GML"),
        ("GML signs", DataFile("a.gml", b"graph [ node { id 0 } ]"), "GML"),
        ("GML node is a number", DataFile("a.gml", b"graph [ node 1 ]"), "GML"),
        ("GML two graphs", DataFile("a.gml", b"graph [ node [ id 0 ] ] graph [ node [ id 1 ] ]"), "GML"),
        ("GML no graph", DataFile("a.gml", b'Creator "graph ["'), "GML"),
        ("GML digits", DataFile("a.gml", b"graph [ node [ id 0 x " + b"1" * 5000 + b" ] ]"), "GML"),
        # JSON
        ("JSON cut off", DataFile("a.json", b'{"nodes": [{"id": 1}'), "whole JSON"),
        ("JSON deep", DataFile("a.json", b"[" * 200_000), "brackets"),
        ("JSON without links", DataFile("a.json", b'{"nodes": []}'), "links"),
        ("JSON empty", DataFile("a.json", _json([])), "no nodes"),
        ("JSON no id", DataFile("a.json", _json([{"name": "a"}])), "id"),
        ("JSON odd link", DataFile("a.json", _json([{"id": 1}], [{"source": 1}])), "target"),
        ("JSON link of lists", DataFile("a.json", _json([{"id": 1}], [{"source": [1], "target": 1}])), "two nodes"),
        ("JSON not a number", DataFile("a.json", b'{"nodes": [{"id": NaN}], "links": []}'), "NaN"),
        ("JSON one and “1”", DataFile("a.json", _json([{"id": 1}, {"id": "1"}])), "same name"),
        ("JSON flood", DataFile("a.json", _json([{"id": n} for n in range(20_100)])), "nodes"),
        ("JSON long vector", DataFile("a.json", _json([{"id": 1, "x": [0] * 600}])), "features"),
        # archives
        ("no archive", DataFile("a.zip", b"PK\x03\x04 and no more"), "archive"),
        ("text named zip", DataFile("a.zip", b"a b\nb c\n"), "archive"),
        ("locked", DataFile("a.zip", _locked()), "password"),
        ("bz2", DataFile("a.zip", zipped({"T_A.txt": b"1" * 10**7}, zipfile.ZIP_BZIP2)), "deflate"),
        ("lzma", DataFile("a.zip", zipped({"T_A.txt": b"1" * 10**6}, zipfile.ZIP_LZMA)), "deflate"),
        ("overlapping", DataFile("a.zip", _overlapping()), "overlap"),
        ("many folders", DataFile("a.zip", zipped({f"{n}/": "" for n in range(1200)})), "files"),
        ("tab bomb", DataFile("a.zip", tu(A="11\t" * 7_000_000)), "numbers"),
        ("blank bomb", DataFile("a.zip", tu(node_labels="11\u2003" * 13_000_000)), "numbers"),
        ("archive of others", DataFile("a.zip", zipped({"readme.md": "hello"})), "_A.txt"),
        ("bomb", DataFile("a.zip", zipped({"T_A.txt": b"1" * (limits.MAX_UNPACKED + 10)})), "unpacks"),
        ("liar", DataFile("a.zip", _liar()), "archive"),
        ("many members", DataFile("a.zip", zipped({f"{n}.txt": "" for n in range(120)})), "files"),
        ("two data sets", DataFile("a.zip", zipped({"A_A.txt": "1, 2", "B_A.txt": "1, 2"})), "two files"),
        ("odd numbers", DataFile("a.zip", tu(A="1, 2\n3\n")), "two node numbers"),
        ("words", DataFile("a.zip", tu(A="one, two\n")), "whole number"),
        ("huge number", DataFile("a.zip", tu(A="1, 99999999999999999999999\n")), "whole number"),
        ("outside", DataFile("a.zip", tu(A="1, 9\n")), "outside"),
        ("disordered", DataFile("a.zip", tu(graph_indicator="2\n1\n2\n1\n")), "in order"),
        ("classes missing", DataFile("a.zip", tu(graph_labels="0\n")), "2 graphs but 1 class"),
        ("labels missing", DataFile("a.zip", tu(node_labels="0\n1\n")), "each of the 4 nodes"),
        ("archive in Latin", DataFile("a.zip", zipped({"T_A.txt": b"\xe9\xff"})), "not text"),
    )
}
"""By name, the files and the word."""
