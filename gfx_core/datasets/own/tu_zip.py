"""A zip of text files as the TU Dortmund collection has them: many graphs, each with a class."""

import io
import zipfile
from pathlib import PurePosixPath

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.datasets import tu_files
from gfx_core.datasets.own import limits
from gfx_core.datasets.own.draft import Draft
from gfx_core.errors import UserError

_PARTS = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes", "edge_labels")
_NEEDED = _PARTS[:3]


def read_zip(name: str, data: bytes, clock: limits.Clock) -> Draft:
    """Read what is needed of an archive; how large a file really is is found out while it is unpacked."""
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
        raise UserError(f"{name} holds more than {limits.MAX_MEMBERS} files: zip the text files of one data set.")
    room, texts, others = limits.MAX_UNPACKED, {}, 0
    for member in members:
        stem = PurePosixPath(member.filename).name
        part = next((part for part in _PARTS if stem.endswith(f"_{part}.txt")), None)
        if part is None or stem.startswith("._"):
            others += 1
            continue
        if part in texts:
            raise UserError(f"{name} holds two files that end in _{part}.txt: zip one data set at a time.")
        with archive.open(member) as file:
            content = file.read(room + 1)
        room -= len(content)
        if room < 0:
            raise UserError(f"{name} unpacks to more than {limits.MAX_UNPACKED // 2**20} MB: bring a part of it.")
        clock.check()
        try:
            texts[part] = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"{stem} in {name} is not text.") from error
    return texts, others


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
        limits.check_count(sum(map(texts[part].count, ", \n")), 3 * limits.MAX_CELLS, f"numbers in _{part}.txt")
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
    limits.check_count(sum(map(text.count, ", \n")), 3 * most, f"numbers in _{part}.txt")  # before they are split
    try:
        return tu_files.numbers(text)
    except (ValueError, OverflowError) as error:
        raise UserError(f"The file _{part}.txt holds something that is no whole number.") from error
