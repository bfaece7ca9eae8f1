"""From a draft and the roles of its columns to a data set, with a sentence for all that was changed or left out."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd

from gfx_core import limits
from gfx_core.arrays import Floats, Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.errors import UserError
from gfx_core.job_context import JobContext
from gfx_core.text.numbers import counted, listed
from gfx_core.user_data import store
from gfx_core.user_data.draft import (
    UNKNOWN,
    WORDS,
    ColumnRoles,
    DataFile,
    Preview,
    check_count,
    column_called,
    shortened,
)
from gfx_core.user_data.read import Draft, numbers_of, read, sorted_words

PLAIN_FEATURES = 10
"""Constant ones where a file has no features: as many as the data sets with planted motifs have."""
_ATTRIBUTES, _ATTRIBUTE_CELLS = 12, 200_000  # columns in the tips of nodes, and cells of them in all
_ON_NODE = 10  # letters that have room on a node; all of a longer name is in its tip

FROM_GRAPH = "These classes come from the graph itself, not from your data."
MAX_COMMUNITIES = 10
LEAST_MEMBERS = 3
"""Smaller communities are no class."""
LANDMARKS = 3
"""Nodes of each community that the GNN can recognise."""
MAX_LINKS = 30_000
"""Of a graph in which communities are looked for: more would take longer than people wait."""


# Classes that come from the graph itself, where a file names none


class StructuralClasses(NamedTuple):
    """Classes of the nodes of a graph.

    Attributes:
        y: The class of each node, -1 for none. [N]
        names: Of the classes; empty if the graph has no two such classes.
        words: A sentence for each thing that people should know of them.
        x: What the GNN reads besides, which differs between them. [N, d]
    """

    y: Ints
    names: tuple[str, ...]
    words: tuple[str, ...]
    x: Floats


def structural_classes(kind: str, edges: Ints, labels: Sequence[str]) -> StructuralClasses:
    """Classes of the nodes of one graph.

    Args:
        kind: ``communities`` or ``roles``.
        edges: Pairs of nodes, in any order and number. [E, 2]
        labels: What people call each node. [N]
    """
    graph: nx.Graph[int] = nx.empty_graph(len(labels))
    graph.add_edges_from(edges[edges[:, 0] != edges[:, 1]].tolist())
    return _roles(graph) if kind == "roles" else _communities(graph, labels)


def _communities(graph: "nx.Graph[int]", labels: Sequence[str]) -> StructuralClasses:
    """Communities by Louvain's method. All nodes look the same to a GNN but a few landmarks in each of them."""
    y = np.full(len(graph), -1)
    few = graph.number_of_edges() <= MAX_LINKS
    communities = nx.community.louvain_communities(graph, seed=0) if few else []
    communities = [nodes for nodes in communities if len(nodes) >= LEAST_MEMBERS]
    communities = sorted(communities, key=lambda nodes: (-len(nodes), min(nodes)))[:MAX_COMMUNITIES]
    if len(communities) < 2:
        why = f"No two communities to learn were found; graphs of more than {MAX_LINKS:,} edges are not searched."
        return StructuralClasses(y, (), (why,), np.zeros((len(graph), 0), dtype=np.float32))
    landmarks = np.zeros((len(graph), len(communities)), dtype=np.float32)
    names: list[str] = []
    for number, nodes in enumerate(communities):
        y[list(nodes)] = number
        within = graph.subgraph(nodes).degree
        best = sorted(nodes, key=lambda node: (-within[node], node))[:LANDMARKS]
        landmarks[best, number] = 1
        name = f"community of {labels[best[0]]}"
        names.append(f"{name} ({number + 1})" if name in names else name)
    words = (
        f"Louvain’s method finds communities: parts with many links inside and few to others. {FROM_GRAPH}",
        f"The GNN recognises {LANDMARKS} landmarks of each community, its best linked nodes. It knows all other nodes "
        "by their links and features alone.",
    )
    return StructuralClasses(y, tuple(names), words, landmarks)


def _roles(graph: "nx.Graph[int]") -> StructuralClasses:
    """Core, between and end: a GNN that sees links alone can learn them."""
    core = nx.core_number(graph)
    most = max(core.values())
    roles = ["end" if graph.degree[node] <= 1 else "core" if core[node] == most else "between" for node in graph]
    names = tuple(name for name in ("core", "between", "end") if name in roles)
    x = np.zeros((len(graph), 0), dtype=np.float32)
    if len(names) < 2:
        why = f"All nodes have the same role here: {roles[0]}."
        return StructuralClasses(np.full(len(graph), -1), (), (why,), x)
    y = np.array([names.index(role) for role in roles])
    words = (
        f"Core nodes form the part in which each has at least {most} links to others (the {most}-core).",
        f"An end has at most one link, and all other nodes are between. {FROM_GRAPH}",
    )
    return StructuralClasses(y, names, words, x)


# What a file holds


def guessed(draft: Draft) -> ColumnRoles:
    """What the columns most likely mean, by what they are called and contain."""
    columns, single = draft.columns, not draft.graph_labels
    different = {name: len(words) for name, words in draft.values.items()}
    few = [name for name in different if 2 <= different[name] <= limits.MAX_WORDS]

    motif = column_called(columns, WORDS["motif"])
    classes = [name for name in few if different[name] <= limits.MAX_CLASSES and name != motif and single]
    label = column_called(classes, WORDS["class"])
    if not label and len(classes) == 1 and classes[0] not in draft.numeric:
        label = classes[0]
    rest = [name for name in different if name not in (label, motif) and different[name] >= 2]
    title = column_called([name for name in rest if different[name] > len(draft.names) / 2], WORDS["name"])
    usable = {*few, *draft.numeric} - {title}
    features = [name for name in rest if name in usable][: limits.MAX_FEATURES]
    kinds = [name for name in features if name in few and not single and name.startswith("node label")]  # atoms, say
    bare = single and not classes and len(draft.names) >= limits.LEAST_LABELLED
    return ColumnRoles(
        label,
        motif,
        title,
        tuple(features),
        structure="communities" if bare else "",
        categories=tuple(kinds),
    )


def telling_features(draft: Draft, meaning: ColumnRoles) -> tuple[str, ...]:
    """The features whose values each occur in one class only, though not on one node each."""
    telling = []
    for name in meaning.features if meaning.label else ():
        pairs = draft.columns[[name, meaning.label]]
        pairs = pairs[(pairs != "").all(axis=1)]
        if 2 <= pairs[name].nunique() == len(pairs.drop_duplicates()) <= len(pairs) / 2:
            telling.append(name)
    return tuple(telling)


def build(draft: Draft, meaning: ColumnRoles, title: str) -> GraphDataset:
    """Make a data set, and put sentences on it into the lists of the draft.

    Args:
        draft: What was read.
        meaning: What its columns mean.
        title: What people call it.

    Returns:
        The data set, to be named by the store.

    Raises:
        UserError: No data set can be made of it; the sentence names why.
    """
    names = _names(draft, meaning)
    x = _features(draft, meaning)
    description = f"Your upload: {draft.form}."
    task = Task.GRAPH if draft.graph_labels else Task.NODE
    if meaning.structure and task is Task.NODE:
        own = structural_classes(meaning.structure, draft.edges, names or draft.names)
        y, classes, x = own.y, own.names or UNKNOWN, np.concatenate([x, own.x], axis=1)
        draft.understood.extend(own.words)
        description += f" {FROM_GRAPH}" * bool(own.names)
    else:
        y, classes = _classes(draft, meaning)
    if classes != UNKNOWN:
        counts = [f"{name} ({(y == at).sum():,})" for at, name in enumerate(classes)]
        draft.understood.append(f"{counted(len(classes), 'class')} of {task.value}s: {listed(counts, 6)}.")
        if (y < 0).any():
            draft.understood.append(f"Kept, but not used to train the GNN, without a class: {(y < 0).sum():,}.")
    motif, edge_motif = _motifs(draft, meaning) if meaning.motif else (None, None)
    pairs = np.sort(draft.edges[draft.edges[:, 0] != draft.edges[:, 1]], axis=1)
    if not len(pairs):
        raise UserError(f"This {draft.form} has no edge between two nodes, so there is nothing to explain.")
    for number, what in (
        (len(draft.edges) - len(pairs), "Edges from a node to itself"),
        (len(pairs) - len(np.unique(pairs, axis=0)), "Edges given twice, perhaps once in each direction"),
    ):
        draft.dropped.extend([f"{what}: {number:,}."] * (number > 0))
    short = tuple(name if len(name) <= _ON_NODE else f"{name[: _ON_NODE - 1]}…" for name in names)
    shown = meaning.features[: min(_ATTRIBUTES, _ATTRIBUTE_CELLS // len(draft.names))]
    tips = [[(name, shortened(cell)) for cell in draft.columns[name]] for name in shown]
    marked = motif is not None and bool((motif >= 0).any())
    return GraphDataset.from_edges(
        DatasetInfo("own", task, title, description, classes=classes, citation="your own data", marked=marked),
        x,
        draft.edges.T,
        y,
        motif=motif,
        edge_motif=edge_motif,
        ptr=np.concatenate([[0], np.cumsum(np.bincount(draft.graph))]),
        node_texts=short,
        node_notes=names if short != names else (),
        node_attributes=tuple(zip(*tips, strict=True)),
    )


def _names(draft: Draft, meaning: ColumnRoles) -> tuple[str, ...]:
    """What each node is called; nothing where that is its number anyway. [N]"""
    if meaning.name:
        return tuple(cell or name for cell, name in zip(draft.columns[meaning.name], draft.names, strict=True))
    if draft.graph_labels:  # as atoms are
        return tuple(draft.columns["node label"]) if "node label" in meaning.features else ()
    return () if draft.names == tuple(map(str, range(len(draft.names)))) else draft.names


def _features(draft: Draft, meaning: ColumnRoles) -> Floats:
    """What the GNN reads of each node. [N, d]"""
    blocks: list[Floats] = []
    width, scale = 0, ""
    for name in meaning.features:
        column, words = draft.columns[name], draft.values[name]
        numeric = name in draft.numeric and name not in meaning.categories
        if not numeric and len(words) > limits.MAX_WORDS:
            draft.dropped.append(f"The column “{name}”: {len(words):,} different values are too many for a feature.")
            continue
        width += 1 if numeric else len(words)
        check_count(width, limits.MAX_FEATURES, "features")
        check_count(width * len(column), limits.MAX_CELLS, "numbers (nodes times features)")
        if numeric:
            numbers = pd.Series(numbers_of(column))
            if empty := int(numbers.isna().sum()):
                draft.understood.append(f"{counted(empty, 'empty cell')} of “{name}” got the mean of the others.")
            block = ((numbers - numbers.mean()) / (numbers.std(ddof=0) or 1.0)).fillna(0.0).to_numpy()[:, None]
            scale = " Numbers are put on one scale (mean 0, deviation 1)."
        else:
            block = pd.Index(words).get_indexer(pd.Index(column))[:, None] == np.arange(len(words))
        blocks.append(block.astype(np.float32))
    if not blocks:
        if meaning.structure != "communities":
            draft.understood.append("No features: every node looks the same to the GNN, which sees only the links.")
        return np.ones((len(draft.names), PLAIN_FEATURES), dtype=np.float32)
    draft.understood.append(f"{counted(width, 'feature')} from {counted(len(blocks), 'column')}.{scale}")
    return np.concatenate(blocks, axis=1)


def _classes(draft: Draft, meaning: ColumnRoles) -> tuple[Ints, tuple[str, ...]]:
    """The class of each node or graph, -1 where it is not known, and what the classes are called."""
    cells = draft.graph_labels or ("",) * len(draft.names)
    if meaning.label:
        cells = tuple(draft.columns[meaning.label])
    words = sorted_words(cells)
    if len(words) > limits.MAX_CLASSES:
        raise UserError(
            f"“{meaning.label or 'The class'}” has {len(words):,} different values; a class has at most "
            f"{limits.MAX_CLASSES}: choose another column."
        )
    names = [word if np.isnan(numbers_of([word])[0]) else f"class {word}" for word in words]
    names += ["any other class"] * (len(names) == 1)
    return pd.Index(words).get_indexer(pd.Index(cells)), tuple(names) or UNKNOWN


def _motifs(draft: Draft, meaning: ColumnRoles) -> tuple[Ints, Ints]:
    """The motif of each node and of each edge: each connected piece of nodes with the same mark is one. [N], [E]"""
    marks = draft.columns[meaning.motif].str.lower()
    unmarked, no = {*WORDS["unmarked"]}, {*WORDS["no"]}
    if {*marks} <= unmarked | no | {*WORDS["yes"]}:
        unmarked |= no  # among other numbers 0 is a mark, too
    mark = pd.factorize(marks.where(~marks.isin(unmarked)))[0]
    source, target = draft.edges.T
    inside = (source != target) & (mark[source] == mark[target]) & (mark[source] >= 0)
    motif = np.full(len(mark), -1)
    pieces = list(nx.connected_components(nx.Graph(draft.edges[inside].tolist())))
    for number, nodes in enumerate(pieces):
        motif[list(nodes)] = number
    if alone := int(((motif < 0) & (mark >= 0)).sum()):
        draft.dropped.append(f"The marks of {counted(alone, 'node')} without an edge to another node of their motif.")
    motifs = f"{counted(len(pieces), 'marked motif')} with {counted(int(inside.sum()), 'edge')}"
    draft.understood.append(f"{motifs}: answers are compared with them.")
    return motif, np.where(inside, motif[source], -1)


def preview(files: Sequence[DataFile], visit: str, meaning: ColumnRoles | None = None, title: str = "") -> Preview:
    """Read files, make a data set of them and put it into the folder of a visit.

    Args:
        files: What was uploaded.
        visit: Whose.
        meaning: What the columns mean; guessed by default.
        title: What to call it; by default what the first file is called.

    Raises:
        UserError: The files cannot be read.
    """
    draft = read(files)
    meaning = meaning or guessed(draft)
    result = Preview(
        draft.form,
        {name: len(words) for name, words in draft.values.items()},
        meaning,
        dropped=draft.dropped,
        understood=draft.understood,
        numeric=tuple(draft.numeric),
    )
    title = shortened(title) or shortened(PureWindowsPath(files[0].name).stem) or "Own data"
    try:
        name = store.save(build(draft, meaning, title), visit, draft.understood, draft.dropped)
    except UserError as error:
        return replace(result, problem=str(error))
    return replace(result, name=name, telling=telling_features(draft, meaning))


def preview_files(names: Sequence[str], paths: Sequence[Path], job: JobContext, **options: Any) -> Preview:
    """The `preview` of files that lie in the folder of a visit: what goes wrong brings down a worker, no server.

    Args:
        names: What they are called.
        paths: Where they lie.
        job: Receives progress.
        options: See `preview`.
    """
    job.report(0.1, "reading")
    try:
        files = [DataFile(name, path.read_bytes()) for name, path in zip(names, paths, strict=True)]
    except OSError as error:
        raise UserError("The uploaded file has been deleted: upload it again.") from error
    return preview(files, **options)
