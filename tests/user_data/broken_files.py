"""Files that are broken, too large or not what they seem: each with a word that its one sentence must contain."""

import io
import json
import struct
import zipfile
from collections.abc import Callable, Mapping

from gfx_core import limits
from gfx_core.user_data.draft import DataFile

Content = str | bytes | Callable[[], str | bytes]

MB = 2**20
GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'
GEXF = '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">{}</gexf>'
_KEY = '<key id="k" for="node" attr.name="c" attr.type="int"/>'
_TIMES = '<graph><nodes><node id="0" label="x" start="1"/></nodes></graph>'
_HASH_0 = 2**61 - 1  # all multiples have the hash 0: as numbers, each is compared with all that came before


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with some files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


TU = {"A": "1, 2\n2, 1\n3, 4\n4, 3\n", "graph_indicator": "1\n1\n2\n2\n", "graph_labels": "0\n1\n"}
"""The parts of a small TU archive."""


def tu(**parts: str | None) -> bytes:
    """A small TU archive with other parts; ``None`` leaves one out."""
    return zipped({f"T/T_{part}.txt": text for part, text in {**TU, **parts}.items() if text is not None})


def _entities() -> str:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY l0 "ha">{laughs}]><graphml>&l9;</graphml>'


def _changed(data: bytes, member: int, place: int, value: bytes) -> bytes:
    """An archive with other bytes in the directory's entry of a member."""
    changed, entry = bytearray(data), -1
    for _ in range(member + 1):
        entry = changed.find(b"PK\x01\x02", entry + 1)
    changed[entry + place : entry + place + len(value)] = value
    return bytes(changed)


def _bomb() -> bytes:
    """A gigabyte in 5 MB."""
    data = io.BytesIO()
    with (
        zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("T_A.txt", "w") as member,
    ):
        for _ in range(16):
            member.write(bytes(64 * MB))
    return data.getvalue()


def _graphml(nodes: str, keys: str = "") -> str:
    return GRAPHML.format(f'{keys}<graph edgedefault="undirected">{nodes}</graph>')


def _gml(nodes: str) -> str:
    return f"graph [\n{nodes}\n]"


def _json(nodes: object, links: object = ()) -> str:
    return json.dumps({"nodes": nodes, "links": links})


_PAIR = DataFile("edges.csv", b"source,target\na,b\nb,c\n")
_TABLES: dict[str, tuple[Content, str]] = {
    "empty": (b"", "empty"),
    "comments only": ("# one\n# two\n", "cannot be read"),
    "one column": ("a\nb\nc\n", "two"),
    "head only": ("source,target\n", "no lines"),
    "other lines than the head": ("source,target\n\na,b,1\n", "line 3: expected 2 fields, saw 3"),
    "nodes alone": ("node,class\na,left\nb,right\n", "a table of nodes"),
    "open quote": ('source,target\na,b\n"c,d\ne,f\n', "EOF inside"),
    "loops only": ("source,target\na,a\nb,b\n", "no edge"),
    "empty ends": ("source,target\na,\n,b\n", "no edge"),
    "many columns": (lambda: b",".join(b"c%d" % n for n in range(700)) + b"\n" + b"1," * 699, "columns"),
    "a million columns": (lambda: "c," * 1_000_000 + "\n" + "1," * 1_000_000, "columns"),
    "one line of eight million cells": (lambda: "a," * (8 * MB - 10), "columns"),
    "too many lines": (lambda: "1 2\n" * (limits.MAX_EDGES + 2), "lines"),
    "eight million lines": (lambda: "a\n" * (8 * MB - 10), "lines"),
    "too many nodes": (lambda: "\n".join(f"{n} 0" for n in range(limits.MAX_NODES + 2)), "nodes"),
    "binary": (lambda: b"\x00\x01\x02\x03" * 50, "binary"),
    "latin": ("source,target\ncafé,thé\n".encode("latin-1"), "UTF-8"),
    "utf-16": ("source,target\na,b\n".encode("utf-16"), "UTF-8"),
    "too large": (lambda: b"a b\n" * (limits.MAX_BYTES // 4 + 1), "MB"),
}
_XML: dict[str, tuple[Content, str]] = {
    "cut off": (GRAPHML.format("<graph>")[:-15], "unclosed token"),
    "entities": (lambda: _entities(), "entities"),
    "outside entity": ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><gexf/>', "document type"),
    "other XML": ("<svg></svg>", "graphml"),
    "no graph": (GRAPHML.format(""), "graphml"),
    "no nodes": (_graphml(""), "no edge"),
    "deep XML": (lambda: "<graphml>" + "<a>" * 300_000, "no element found"),
    "deep XML, closed": (lambda: "<graphml>" + "<a>" * 300_000 + "</a>" * 300_000 + "</graphml>", "graphml"),
    "tag flood": (lambda: "<graphml>" + "<a>" * (5 * MB), "elements"),
    "node flood": (lambda: _graphml("".join(f'<node id="{n}"/>' for n in range(60_000))), "nodes"),
    "value flood": (lambda: _graphml('<node id="a">' + '<data key="k">1</data>' * 60_000 + "</node>", _KEY), "no edge"),
    "attribute flood": (lambda: "<graphml " + " ".join(f'a{n}="1"' for n in range(100_000)) + "/>", "graphml"),
    "graph flood": (lambda: GRAPHML.format("<graph/>" * 5_000), "no edge"),
    "bad type": (_graphml('<node id="a"><data key="k">x</data></node>', _KEY), "invalid literal"),
    "other encoding": ('<?xml version="1.0" encoding="utf-16"?>' + _graphml(""), "encoding"),
    "old GEXF": ('<gexf xmlns="http://nowhere" version="9"><graph/></gexf>', "GEXF"),
    "GEXF with times of no kind": (GEXF.format(_TIMES), "cannot be read"),
    "GEXF deep": (lambda: GEXF.format("<graph><nodes>" + '<node id="a"><nodes>' * 100_000), "mismatched"),
}
_GML: dict[str, tuple[Content, str]] = {
    "GML cut off": ("graph [ node [ id 0 ", "EOF"),
    "GML without ids": ('graph [ node [ label "a" ] ]', "no 'id'"),
    "GML deep": (lambda: "graph [ " + "a [ " * 60_000, "recursion"),
    "GML bracket flood": (lambda: "graph [ " + "a [ " * (3 * MB), "elements"),
    "GML twice": (_gml("node [ id 0 ] node [ id 0 ]"), "duplicated"),
    "GML nowhere": (_gml("node [ id 0 ] edge [ source 0 target 1 ]"), "undefined target"),
    "GML no value": (_gml("node [ id 0 x ]"), "expected"),
    "GML open quote": ('graph [ node [ id 0 label "a ] ]', "no graph"),
    "GML open quote over lines": (lambda: 'graph [ node [ id 0 label "a\n' + "b\n" * (7 * MB), "no graph"),
    "GML quotes": (lambda: "graph [ node [ id 0 label " + '"' * (15 * MB), "expected"),
    "GML signs": ("graph [ node { id 0 } ]", "tokenize"),
    "GML plus signs": (lambda: "graph [ " + "+" * (15 * MB), "tokenize"),
    "GML node is a number": ("graph [ node 1 ]", "cannot be read"),
    "GML two graphs": ("graph [ node [ id 0 ] ] graph [ node [ id 1 ] ]", "more than one"),
    "GML digits": (lambda: _gml(f"node [ id {'9' * (15 * MB)} ]"), "4300 digits"),
    "GML keys": (lambda: _gml("".join(f"node [ id {n} k{n} 1 ] " for n in range(19_000))), "columns"),
}
_JSON: dict[str, tuple[Content, str]] = {
    "JSON cut off": ('{"nodes": [{"id": 1}', "Expecting"),
    "JSON deep": (lambda: "[" * 200_000, "recursion"),
    "JSON bracket flood": (lambda: "[" + "[]," * (5 * MB) + "[]]", "elements"),
    "JSON without links": ('{"nodes": []}', "edges"),
    "JSON empty": (_json([]), "no edge"),
    "JSON odd link": (_json([{"id": 1}], [{"source": 1}]), "target"),
    "JSON flood": (lambda: _json([{"id": n} for n in range(20_100)]), "nodes"),
    "JSON digits": (lambda: '{"nodes": [{"id": ' + "9" * (15 * MB), "4300 digits"),
    "JSON keys": (lambda: _json([{"id": n, f"k{n}": 1} for n in range(19_000)]), "columns"),
}
_ARCHIVES: dict[str, tuple[Content, str]] = {
    "no archive": (b"PK\x03\x04 and no more", "not a zip file"),
    "text named zip": ("a b\nb c\n", "not a zip file"),
    "locked": (lambda: _changed(tu(), 0, 8, b"\x01"), "encrypted"),
    "bz2": (lambda: zipped({"T_A.txt": bytes(20 * MB)}, zipfile.ZIP_BZIP2), "_graph_indicator.txt"),
    "lzma": (lambda: zipped({"T_A.txt": bytes(2 * MB)}, zipfile.ZIP_LZMA), "_graph_indicator.txt"),
    "overlapping": (lambda: _changed(tu(), 1, 42, bytes(4)), "BadZipFile"),
    "many folders": (lambda: zipped({f"{n}/": "" for n in range(1200)}), "files"),
    "many members": (lambda: zipped({f"{n}.txt": "" for n in range(120)}), "files"),
    "tab bomb": (lambda: tu(A="11\t" * 7_000_000), "columns"),
    "blank bomb": (lambda: tu(node_labels="11\u2003" * 13_000_000), "columns"),
    "archive of others": (lambda: zipped({"readme.md": "hello"}), "_A.txt"),
    "bomb": (_bomb, "unpacks"),
    "bomb in two": (
        lambda: tu(A="1" * (limits.MAX_UNPACKED // 2), graph_labels="1" * (limits.MAX_UNPACKED // 2 + 10)),
        "unpacks",
    ),
    "liar": (lambda: _changed(tu(A="1, 2\n" * 200_000), 0, 24, struct.pack("<I", 10)), "BadZipFile"),
    "four million lines": (lambda: tu(graph_indicator="1\n" * 4_000_000), "fit together"),
    "odd numbers": (lambda: tu(A="1, 2\n3\n"), "invalid literal"),
    "words": (lambda: tu(A="one, two\n"), "invalid literal"),
    "halves": (lambda: tu(A="1, 2.5\n"), "invalid literal"),
    "huge number": (lambda: tu(A="1, 99999999999999999999999\n"), "too large"),
    "outside": (lambda: tu(A="1, 9\n"), "from 1 to 4"),
    "numbered from 0": (lambda: tu(A="0, 1\n"), "from 1 to 4"),
    "disordered": (lambda: tu(graph_indicator="2\n1\n2\n1\n"), "in order"),
    "a gap": (lambda: tu(graph_indicator="1\n1\n2\n9000000000000\n"), "in order"),
    "classes missing": (lambda: tu(graph_labels="0\n"), "line for each graph"),
    "labels missing": (lambda: tu(node_labels="0\n1\n"), "each node"),
    "archive in Latin": (lambda: zipped({"T_A.txt": b"\xe9\xff"}), "utf-8"),
}
_ENDINGS = {"csv": _TABLES, "xml": _XML, "gml": _GML, "json": _JSON, "zip": _ARCHIVES}
_SETS = {
    "two edge lists": ((_PAIR, DataFile("b.csv", b"source,target\nx,y\n")), "do not fit"),
    "no sources and targets": ((DataFile("a", b"a,b\nb,c\n"), DataFile("b", b"a,left\nb,right\n")), "do not fit"),
    "three tables": ((_PAIR, _PAIR, _PAIR), "Two files"),
    "five files": ((_PAIR,) * 5, "more than 4 files"),
    "other nodes": ((_PAIR, DataFile("nodes.csv", b"id,class\nx,1\ny,2\n")), "do not fit"),
    "table and JSON": ((_PAIR, DataFile("n.json", b'{"nodes": []}')), "one at a time"),
}
BROKEN = [*(name for files in _ENDINGS.values() for name in files), *_SETS]
"""The names of all."""


def broken(name: str) -> tuple[tuple[DataFile, ...], str]:
    """The files of that name, and the word."""
    if name in _SETS:
        return _SETS[name]
    ending = next(ending for ending, files in _ENDINGS.items() if name in files)
    content, word = _ENDINGS[ending][name]
    data = content() if callable(content) else content
    return (DataFile(f"a.{ending}", data.encode() if isinstance(data, str) else data),), word


SLOW: dict[str, Callable[[], str]] = {
    "a.gml of entries": lambda: _gml(f"node [ id 0 {'a 1 ' * 3_900_000} ]"),
    "a.gml of nodes": lambda: _gml("".join(f"node [ id {n} ]\n" for n in range(480_000))),
    "a.gml of one hash": lambda: _gml("".join(f"node [ id {n * _HASH_0} ]" for n in range(99_000))),
    "a.json of one hash": lambda: _json([{"id": n * _HASH_0} for n in range(99_000)]),
}
"""Texts that take longer to be read than they may."""
