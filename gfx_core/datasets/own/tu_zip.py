"""A zip of text files as the TU Dortmund collection has them: many graphs, each with a class."""

import io
import zipfile
from pathlib import PurePosixPath

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.datasets import tu_files
from gfx_core.datasets.own import limits
from gfx_core.datasets.own.draft import Draft, shortened
from gfx_core.errors import UserError

_PARTS = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes", "edge_labels")
_NEEDED = _PARTS[:3]
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # bz2 and lzma unpack all they were given at once
_LOCKED = 1  # bit of a member's flags
_ENTRY = b"PK\x01\x02"  # begins each entry of an archive's directory
_LOCAL_HEADER = 30  # bytes before a member's name, at least
_CHUNK = 1 << 20
_BETWEEN = "," + "".join(filter(str.isspace, map(chr, range(0x3001))))  # all that a text is split at


def read_zip(name: str, data: bytes, clock: limits.Clock) -> Draft:
    """Read what is needed of an archive; how large a file really is is found out while it is unpacked."""
    if data.count(_ENTRY) > 10 * limits.MAX_MEMBERS:  # before each becomes an object; folders have entries too
        raise UserError(_crowded(name))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            texts, others = _unpacked(name, archive, clock)
    except UserError:
        raise
    except Exception as error:  # unpacking raises whatever the layer raises that a damaged byte reaches
        raise UserError(f"{name} is not a whole zip archive, or a locked one.") from error
    missing = [part for part in _NEEDED if part not in texts]
    if missing:
        raise UserError(f"{name} holds no file that ends in _{missing[0]}.txt, which the TU format needs.")
    return _draft(name, texts, others, clock)


def _unpacked(name: str, archive: zipfile.ZipFile, clock: limits.Clock) -> tuple[dict[str, str], int]:
    """The texts by part of the format, and how many other files there are."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > limits.MAX_MEMBERS:
        raise UserError(_crowded(name))
    _check_overlap(name, members)
    room, texts, others = limits.MAX_UNPACKED, {}, 0
    for member in members:
        stem = PurePosixPath(member.filename).name
        part = next((part for part in _PARTS if stem.endswith(f"_{part}.txt")), None)
        if part is None or stem.startswith("._"):
            others += 1
            continue
        if part in texts:
            raise UserError(f"{name} holds two files that end in _{part}.txt: zip one data set at a time.")
        content = _content(name, archive, member, room, clock)
        room -= len(content)
        try:
            texts[part] = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"“{shortened(stem)}” in {name} is not text.") from error
    return texts, others


def _crowded(name: str) -> str:
    return f"{name} holds more than {limits.MAX_MEMBERS} files: zip the text files of one data set."


def _check_overlap(name: str, members: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive whose members share bytes: a few of them would become many."""
    end = 0
    for member in sorted(members, key=lambda member: member.header_offset):
        if member.header_offset < end:
            raise UserError(f"{name} holds files that overlap, as no program writes them: zip the text files again.")
        end = member.header_offset + _LOCAL_HEADER + member.compress_size


def _content(name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int, clock: limits.Clock) -> bytearray:
    """What is in a member, of at most so many bytes, whatever the archive says of its size."""
    if member.flag_bits & _LOCKED:
        raise UserError(f"{name} is locked by a password: zip the text files without one.")
    if member.compress_type not in _METHODS:
        raise UserError(f"{name} is packed in a way that is not read: zip the text files with the usual one (deflate).")
    content = bytearray()
    with archive.open(member) as file:
        while chunk := file.read(_CHUNK):
            content += chunk
            if len(content) > room:
                raise UserError(f"{name} unpacks to more than {limits.MAX_UNPACKED // 2**20} MB: bring a part of it.")
            clock.check()
    return content


def _draft(name: str, texts: dict[str, str], others: int, clock: limits.Clock) -> Draft:
    found = {part: _numbers(part, texts[part]) for part in ("A", "graph_indicator", "graph_labels")}
    clock.check()
    if len(found["A"]) % 2:
        raise UserError(f"The file _A.txt in {name} should hold two node numbers in each line.")
    edges, graph = found["A"].reshape(-1, 2) - 1, found["graph_indicator"] - 1
    count = len(graph)
    limits.check_count(count, limits.MAX_ALL_NODES, "nodes")
    limits.check_count(len(edges), 2 * limits.MAX_EDGES, "edges in both directions")
    if not count or graph[0] != 0 or (np.diff(graph) < 0).any() or (np.diff(graph) > 1).any():
        raise UserError(f"The graphs in _graph_indicator.txt of {name} should be numbered 1, 2, 3 … in order.")
    sizes = np.bincount(graph)
    limits.check_count(len(sizes), limits.MAX_GRAPHS, "graphs")
    limits.check_count(int(sizes.max()), limits.MAX_NODES, "nodes in one graph")
    labels = found["graph_labels"]
    if len(labels) != len(sizes):
        raise UserError(f"{name} has {len(sizes):,} graphs but {len(labels):,} classes in _graph_labels.txt.")
    if len(edges) and (edges.min() < 0 or edges.max() >= count):
        raise UserError(f"An edge in _A.txt of {name} names a node outside 1 … {count}.")
    inside = graph[edges[:, 0]] == graph[edges[:, 1]]
    dropped = [f"{int((~inside).sum()):,} edges between nodes of different graphs."] * (not inside.all())
    dropped += [f"{others:,} files of the archive that are not of this format."] * (others > 0)
    dropped += ["Labels of edges: the GNNs here do not read them."] * ("edge_labels" in texts)
    edges = edges[inside]
    once = edges[edges[:, 0] <= edges[:, 1]]  # written in both directions, as the format asks
    return Draft(
        form="zip of TU text files",
        names=tuple(str(number) for size in sizes for number in range(size)),
        columns=_columns(name, texts, count, clock),
        edges=once if 2 * len(once) >= len(edges) else edges,
        graph=graph,
        graph_labels=tuple(map(str, labels.tolist())),
        dropped=tuple(dropped),
    )


def _columns(name: str, texts: dict[str, str], count: int, clock: limits.Clock) -> dict[str, list[str]]:
    """What the files say of nodes: labels, one column for each place of a line, and attributes."""
    columns: dict[str, list[str]] = {}
    for part, title in (("node_labels", "node label"), ("node_attributes", "attribute")):
        if part not in texts:
            continue
        _check_numbers(part, texts[part], limits.MAX_CELLS)
        rows = [line.replace(",", " ").split() for line in texts[part].splitlines() if line.strip()]
        clock.check()
        width = len(rows[0]) if rows else 0
        if len(rows) != count or any(len(row) != width for row in rows):
            raise UserError(f"The file _{part}.txt in {name} should hold a line for each of the {count:,} nodes.")
        limits.check_count(width, limits.MAX_FEATURES, "features")
        limits.check_count(width * count, limits.MAX_CELLS, "cells (nodes times columns)")
        for place in range(width):
            columns[title if width == 1 else f"{title} {place}"] = [row[place] for row in rows]
    return columns


def _numbers(part: str, text: str) -> Ints:
    most = 4 * limits.MAX_EDGES if part == "A" else limits.MAX_ALL_NODES
    _check_numbers(part, text, most)
    try:
        return tu_files.numbers(text)
    except (ValueError, OverflowError) as error:
        raise UserError(f"The file _{part}.txt holds something that is no whole number.") from error


def _check_numbers(part: str, text: str, most: int) -> None:
    """Refuse more numbers than there may be, before a text is split into them; several signs may follow each."""
    limits.check_count(sum(map(text.count, _BETWEEN)), 3 * most, f"numbers in _{part}.txt")
