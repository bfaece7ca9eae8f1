"""Files that are broken, too large or not what they seem: each with a word that its one sentence must hold."""

import io
import json
import struct
import zipfile
from collections.abc import Mapping

from gfx_core import limits
from gfx_core.user_data.read import Brought

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


_PAIR = Brought("edges.csv", b"source,target\na,b\nb,c\n")

BROKEN: dict[str, tuple[tuple[Brought, ...], str]] = {
    name: ((content,) if isinstance(content, Brought) else content, word)
    for name, content, word in (
        # tables
        ("empty", Brought("a.csv", b""), "empty"),
        ("blank", Brought("a.csv", b" \n\t\n"), "empty"),
        ("comments only", Brought("a.txt", b"# one\n# two\n"), "empty"),
        ("one column", Brought("a.txt", b"a\nb\nc\n"), "two"),
        ("head only", Brought("a.csv", b"source,target\n"), "no lines"),
        ("open quote", Brought("a.csv", b'source,target\n"a,b\nc,d\n'), "quotation"),
        ("loops only", Brought("a.csv", b"source,target\na,a\nb,b\n"), "no edge"),
        ("empty ends", Brought("a.csv", b"source,target\na,\n,b\n"), "no"),
        ("long cell", Brought("a.csv", b"source,target\n" + b"x" * 200_000 + b",b\n"), "cell"),
        (
            "many columns",
            Brought("a.csv", b",".join(b"c%d" % n for n in range(700)) + b"\n" + b"1," * 699),
            "col",
        ),
        ("too many lines", Brought("a.txt", b"1 2\n" * (limits.MAX_EDGES + 2)), "lines"),
        ("too many nodes", Brought("a.txt", b"\n".join(b"%d 0" % n for n in range(limits.MAX_NODES + 2))), "nodes"),
        ("binary", Brought("a.csv", b"\x00\x01\x02\x03" * 50), "binary"),
        ("latin", Brought("a.csv", "source,target\ncafé,thé\n".encode("latin-1")), "UTF-8"),
        ("utf-16", Brought("a.csv", "source,target\na,b\n".encode("utf-16")), "UTF-16"),
        ("pickle", Brought("a.pkl", b"\x80\x04\x95\x10\x00\x00\x00.\x00"), "binary"),
        ("picture", Brought("a.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), "binary"),
        ("too large", Brought("a.csv", b"a b\n" * (limits.MAX_BYTES // 4 + 1)), "MB"),
        ("two edge lists", (_PAIR, Brought("b.csv", b"source,target\nx,y\n")), "Which"),
        ("three tables", (_PAIR, _PAIR, _PAIR), "two files"),
        ("five files", (_PAIR,) * 5, "At most"),
        ("other nodes", (_PAIR, Brought("nodes.csv", b"id,class\nx,1\ny,2\n")), "No node"),
        ("table and JSON", (_PAIR, Brought("n.json", b'{"nodes": []}')), "alone"),
        ("nothing", (), "nothing"),
        # XML
        ("cut off", Brought("a.graphml", GRAPHML.format("<graph>")[:-15].encode()), "whole XML"),
        ("entities", Brought("a.graphml", _entities().encode()), "entities"),
        ("outside entity", Brought("a.gexf", b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><gexf/>'), "document type"),
        ("other XML", Brought("a.xml", b"<svg></svg>"), "neither"),
        ("HTML", Brought("a.html", b"<html><body>hello</body></html>"), "neither"),
        ("no graph", Brought("a.graphml", GRAPHML.format("").encode()), "GraphML"),
        ("no nodes", Brought("a.graphml", GRAPHML.format('<graph edgedefault="directed"/>').encode()), "no nodes"),
        ("deep XML", Brought("a.graphml", ("<graphml>" + "<a>" * 100_000).encode()), "within"),
        ("node flood", Brought("a.graphml", GRAPHML.format(f"<graph>{_nodes(20_100)}</graph>").encode()), "nodes"),
        (
            "bad type",
            Brought(
                "a.graphml",
                GRAPHML.format(
                    '<key id="k" for="node" attr.name="c" attr.type="int"/>'
                    '<graph edgedefault="undirected"><node id="a"><data key="k">x</data></node></graph>'
                ).encode(),
            ),
            "GraphML",
        ),
        ("old GEXF", Brought("a.gexf", b'<gexf xmlns="http://nowhere" version="9"><graph/></gexf>'), "GEXF"),
        ("GEXF with times of no kind", Brought("a.gexf", GEXF.format(_TIMES).encode()), "GEXF: save it again"),
        ("GEXF without a graph", Brought("a.gexf", GEXF.format("").encode()), "GEXF"),
        ("many graphs", Brought("a.graphml", GRAPHML.format("<graph/>" * 200_000).encode()), "graphs in one file"),
        # GML
        ("GML cut off", Brought("a.gml", b"graph [ node [ id 0 "), "GML"),
        ("GML without ids", Brought("a.gml", b'graph [ node [ label "a" ] ]'), "GML"),
        ("GML deep", Brought("a.gml", b"graph [ " + b"a [ " * 60_000), "brackets"),
        ("GML twice", Brought("a.gml", b"graph [ node [ id 0 ] node [ id 0 ] ]"), "GML"),
        ("GML nowhere", Brought("a.gml", b"graph [ node [ id 0 ] edge [ source 0 target 1 ] ]"), "GML"),
        ("GML half an edge", Brought("a.gml", b"graph [ node [ id 0 ] edge [ source 0 ] ]"), "GML"),
        ("GML no value", Brought("a.gml", b"graph [ node [ id 0 x ] ]"), "GML"),
        ("GML open quote", Brought("a.gml", b'graph [ node [ id 0 label "a ] ]'), "GML"),
        ("GML signs", Brought("a.gml", b"graph [ node { id 0 } ]"), "GML"),
        ("GML node is a number", Brought("a.gml", b"graph [ node 1 ]"), "GML"),
        ("GML two graphs", Brought("a.gml", b"graph [ node [ id 0 ] ] graph [ node [ id 1 ] ]"), "GML"),
        ("GML no graph", Brought("a.gml", b'Creator "graph ["'), "GML"),
        ("GML flood", Brought("a.gml", b"graph [ node [ id 0 " + b"a 1 " * 2_100_000 + b"] ]"), "entries"),
        ("GML digits", Brought("a.gml", b"graph [ node [ id 0 x " + b"1" * 5000 + b" ] ]"), "GML"),
        # JSON
        ("JSON cut off", Brought("a.json", b'{"nodes": [{"id": 1}'), "whole JSON"),
        ("JSON deep", Brought("a.json", b"[" * 200_000), "brackets"),
        ("JSON list", Brought("a.json", b"[1, 2, 3]"), "not a graph"),
        ("JSON without links", Brought("a.json", b'{"nodes": []}'), "links"),
        ("JSON empty", Brought("a.json", _json([])), "no nodes"),
        ("JSON no id", Brought("a.json", _json([{"name": "a"}])), "id"),
        ("JSON odd node", Brought("a.json", _json([1, 2])), "id"),
        ("JSON odd link", Brought("a.json", _json([{"id": 1}], [{"source": 1}])), "target"),
        ("JSON link of lists", Brought("a.json", _json([{"id": 1}], [{"source": [1], "target": 1}])), "two nodes"),
        ("JSON not a number", Brought("a.json", b'{"nodes": [{"id": NaN}], "links": []}'), "NaN"),
        ("JSON one and “1”", Brought("a.json", _json([{"id": 1}, {"id": "1"}])), "same name"),
        ("JSON flood", Brought("a.json", _json([{"id": n} for n in range(20_100)])), "nodes"),
        ("JSON long vector", Brought("a.json", _json([{"id": 1, "x": [0] * 600}])), "features"),
        # archives
        ("no archive", Brought("a.zip", b"PK\x03\x04 and no more"), "archive"),
        ("text named zip", Brought("a.zip", b"a b\nb c\n"), "archive"),
        ("locked", Brought("a.zip", _locked()), "password"),
        ("bz2", Brought("a.zip", zipped({"T_A.txt": b"1" * 10**8}, zipfile.ZIP_BZIP2)), "deflate"),
        ("lzma", Brought("a.zip", zipped({"T_A.txt": b"1" * 10**7}, zipfile.ZIP_LZMA)), "deflate"),
        ("overlapping", Brought("a.zip", _overlapping()), "overlap"),
        ("many folders", Brought("a.zip", zipped({f"{n}/": "" for n in range(1200)})), "files"),
        ("tab bomb", Brought("a.zip", tu(A="11\t" * 7_000_000)), "numbers"),
        ("blank bomb", Brought("a.zip", tu(node_labels="11\u2003" * 13_000_000)), "numbers"),
        ("archive of others", Brought("a.zip", zipped({"readme.md": "hello"})), "_A.txt"),
        ("no indicator", Brought("a.zip", tu(graph_indicator=None)), "graph_indicator"),
        ("bomb", Brought("a.zip", zipped({"T_A.txt": b"1" * (limits.MAX_UNPACKED + 10)})), "unpacks"),
        ("number bomb", Brought("a.zip", tu(A="1 " * 7_000_000)), "numbers"),
        ("liar", Brought("a.zip", _liar()), "archive"),
        ("many members", Brought("a.zip", zipped({f"{n}.txt": "" for n in range(120)})), "files"),
        ("two data sets", Brought("a.zip", zipped({"A_A.txt": "1, 2", "B_A.txt": "1, 2"})), "two files"),
        ("odd numbers", Brought("a.zip", tu(A="1, 2\n3\n")), "two node numbers"),
        ("words", Brought("a.zip", tu(A="one, two\n")), "whole number"),
        ("huge number", Brought("a.zip", tu(A="1, 99999999999999999999999\n")), "whole number"),
        ("outside", Brought("a.zip", tu(A="1, 9\n")), "outside"),
        ("disordered", Brought("a.zip", tu(graph_indicator="2\n1\n2\n1\n")), "in order"),
        ("classes missing", Brought("a.zip", tu(graph_labels="0\n")), "classes"),
        ("labels missing", Brought("a.zip", tu(node_labels="0\n1\n")), "each of the 4 nodes"),
        ("archive in Latin", Brought("a.zip", zipped({"T_A.txt": b"\xe9\xff"})), "not text"),
    )
}
"""By name, the files and the word."""
