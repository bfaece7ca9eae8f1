"""From a draft and the roles of its columns to a data set, with a sentence for all that was changed or left out."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PureWindowsPath

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gfx_core import limits
from gfx_core.arrays import Floats, Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.errors import UserError
from gfx_core.text.numbers import counted, listed
from gfx_core.user_data import store
from gfx_core.user_data.draft import UNKNOWN, ColumnRoles, DataFile, Draft, Preview, column_called, shortened
from gfx_core.user_data.read import read
from gfx_core.user_data.structure import FROM_GRAPH, Structure, structural_classes

PLAIN_FEATURES = 10
"""Constant ones where a file has no features: as many as the data sets with planted motifs have."""
_UNMARKED = {"", "-1", "-1.0", "-"}
_NO, _YES = {"0", "0.0", "false", "no"}, {"1", "1.0", "true", "yes"}
_CLASS = ("class", "y", "target", "label", "category", "community", "club", "group", "type", "value")
_MOTIF = ("motif", "truth", "ground_truth", "mark", "marked", "explanation")
_NAME = ("name", "title", "label", "display")
_ATTRIBUTES, _ATTRIBUTE_CELLS = 12, 200_000  # columns in the tips of nodes, and cells of them in all
_ON_NODE = 10  # letters that have room on a node; all of a longer name is in its tip


def values(column: Iterable[str]) -> list[str]:
    """The different words of a column, numbers first and in their order."""
    words = pd.Series(sorted({*column} - {""}), dtype=object)
    return words.iloc[np.argsort(_numbers(words), kind="stable")].tolist()


def _numbers(column: pd.Series) -> Floats:
    """The numbers of a column, NaN where a cell has none. [N]"""
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
    return np.where(np.abs(numbers) < 1e30, numbers, np.nan)


def _is_numeric(column: pd.Series) -> bool:
    """Whether all that a column says is numbers."""
    words = column[column != ""]
    return len(words) > 0 and not np.isnan(_numbers(words)).any()


def guessed(draft: Draft) -> ColumnRoles:
    """What the columns most likely mean, by what they are called and contain."""
    columns, single = draft.columns, not draft.graph_labels
    different = {str(name): len(values(column)) for name, column in columns.items()}

    motif = column_called(columns, _MOTIF)
    classes = [name for name in different if 2 <= different[name] <= limits.MAX_CLASSES and name != motif]
    label = column_called(classes, _CLASS) if single else ""
    if single and not label and len(classes) == 1 and not _is_numeric(columns[classes[0]]):
        label = classes[0]
    rest = [name for name in different if name not in (label, motif)]
    title = column_called([name for name in rest if different[name] > len(draft.names) / 2], _NAME)
    features = [
        name
        for name in rest
        if name != title
        and different[name] >= 2
        and (different[name] <= limits.MAX_WORDS or _is_numeric(columns[name]))
    ][: limits.MAX_FEATURES]
    kinds = [name for name in features if not single and name.startswith("node label")]  # of atoms, say
    bare = single and not classes and len(draft.names) >= limits.LEAST_LABELLED
    return ColumnRoles(
        label,
        motif,
        title,
        tuple(features),
        structure=Structure.COMMUNITIES if bare else "",
        categories=tuple(name for name in kinds if different[name] <= limits.MAX_WORDS),
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


def build(draft: Draft, meaning: ColumnRoles, title: str) -> tuple[GraphDataset, list[str], list[str]]:
    """Make a data set.

    Args:
        draft: What was read.
        meaning: What its columns mean.
        title: What people call it.

    Returns:
        The data set, to be named by the store; sentences on what is in it, and on what is not.

    Raises:
        UserError: No data set can be made of it; the sentence says why.
    """
    if draft.graph_labels:  # each graph has a class already
        meaning = replace(meaning, label="", structure="")
    understood, dropped = list(draft.understood), list(draft.dropped)
    names = _names(draft, meaning)
    x = _features(draft, meaning, understood, dropped)
    description = f"Your upload: {draft.form}."
    if meaning.structure:
        own = structural_classes(Structure(meaning.structure), draft.edges, names or draft.names)
        y, classes, x = own.y, own.names or UNKNOWN, np.concatenate([x, own.x], axis=1)
        understood += own.words
        description += f" {FROM_GRAPH}" * bool(own.names)
    else:
        y, classes = _classes(draft, meaning)
    task = Task.GRAPH if draft.graph_labels else Task.NODE
    if classes != UNKNOWN:
        counts = [f"{name} ({(y == at).sum():,})" for at, name in enumerate(classes)]
        understood.append(f"{counted(len(classes), 'class')} of {task.value}s: {listed(counts, 6)}.")
    if (y < 0).any() and classes != UNKNOWN:
        understood.append(f"Kept, but not used to train the GNN, without a class: {(y < 0).sum():,}.")
    motif, edge_motif = _motifs(draft, meaning, understood, dropped) if meaning.motif else (None, None)
    pairs = np.sort(draft.edges[draft.edges[:, 0] != draft.edges[:, 1]], axis=1)
    if not len(pairs):
        raise UserError(f"This {draft.form} has no edge between two nodes, so there is nothing to explain.")
    used = {meaning.label, meaning.motif, meaning.name, *meaning.features}
    idle = [f"“{shortened(name)}”" for name in (*draft.columns, *draft.edge_columns) if name not in used]
    for number, what in (
        (len(draft.edges) - len(pairs), "Edges from a node to itself"),
        (len(pairs) - len(np.unique(pairs, axis=0)), "Edges given twice, perhaps once in each direction"),
    ):
        dropped += [f"{what}: {number:,}."] * (number > 0)
    dropped += [f"Columns that are not used: {listed(idle, 6)}."] * bool(idle)
    marked = motif is not None and bool((motif >= 0).any())
    short = tuple(name if len(name) <= _ON_NODE else f"{name[: _ON_NODE - 1]}…" for name in names)
    shown = meaning.features[: min(_ATTRIBUTES, _ATTRIBUTE_CELLS // len(draft.names))]
    tips = [[(name, shortened(cell)) for cell in draft.columns[name]] for name in shown]
    dataset = GraphDataset.from_edges(
        DatasetInfo("own", task, title, description, classes=classes, citation="your own data", marked=marked),
        x,
        draft.edges.T,
        y,
        num_classes=len(classes),
        motif=motif,
        edge_motif=edge_motif,
        ptr=np.concatenate([[0], np.cumsum(np.bincount(draft.graph))]),
        node_texts=short,
        node_notes=names if short != names else (),
        node_attributes=tuple(zip(*tips, strict=True)),
    )
    return dataset, understood, dropped


def _names(draft: Draft, meaning: ColumnRoles) -> tuple[str, ...]:
    """What each node is called; nothing where that is its number anyway. [N]"""
    if meaning.name:
        return tuple(cell or name for cell, name in zip(draft.columns[meaning.name], draft.names, strict=True))
    if draft.graph_labels:  # as atoms are
        return tuple(draft.columns["node label"]) if "node label" in meaning.features else ()
    return () if draft.names == tuple(map(str, range(len(draft.names)))) else draft.names


def _features(draft: Draft, meaning: ColumnRoles, understood: list[str], dropped: list[str]) -> Floats:
    """What the GNN reads of each node. [N, d]"""
    parts: list[Floats] = []
    scaled = False
    for name in meaning.features:
        column, words = draft.columns[name], values(draft.columns[name])
        numeric = _is_numeric(column)
        if numeric and name not in meaning.categories:
            numbers = _numbers(column)
            missing = np.isnan(numbers)
            mean, spread = numbers[~missing].mean(), numbers[~missing].std()
            if missing.any():
                understood.append(
                    f"{counted(int(missing.sum()), 'empty cell')} of “{name}” got the mean of the others."
                )
            numbers[missing] = mean
            scaled = meaning.scaled
            part = ((numbers - mean) / (spread or 1.0) if scaled else numbers)[:, None]
        elif len(words) <= limits.MAX_WORDS:
            part = pd.Index(words).get_indexer(pd.Index(column))[:, None] == np.arange(len(words))
            if numeric:
                understood.append(f"The numbers of “{name}” are names of {counted(len(words), 'category')}.")
        else:
            dropped.append(f"The column “{name}”: {len(words):,} different values are too many for a feature.")
            continue
        parts.append(part.astype(np.float32))
        width = sum(part.shape[1] for part in parts)
        limits.check_count(width, limits.MAX_FEATURES, "features")
        limits.check_count(width * len(column), limits.MAX_CELLS, "numbers (nodes times features)")
    if not parts:
        if meaning.structure != Structure.COMMUNITIES:
            understood.append("No features: every node looks the same to the GNN, which sees only the links.")
        return np.ones((len(draft.names), PLAIN_FEATURES), dtype=np.float32)
    scale = " Numbers are put on one scale (mean 0, deviation 1)." * scaled
    understood.append(f"{counted(width, 'feature')} from {counted(len(parts), 'column')}.{scale}")
    return np.concatenate(parts, axis=1)


def _classes(draft: Draft, meaning: ColumnRoles) -> tuple[Ints, tuple[str, ...]]:
    """The class of each node or graph, -1 where it is not known, and what the classes are called."""
    cells = draft.graph_labels or ("",) * len(draft.names)
    if meaning.label:
        cells = tuple(draft.columns[meaning.label])
    words = values(cells)
    if len(words) > limits.MAX_CLASSES:
        raise UserError(
            f"“{meaning.label or 'The class'}” has {len(words):,} different values; a class has at most "
            f"{limits.MAX_CLASSES}: choose another column."
        )
    numbers = _numbers(pd.Series(words, dtype=object))
    names = [word if np.isnan(number) else f"class {word}" for word, number in zip(words, numbers, strict=True)]
    names += ["any other class"] * (len(names) == 1)
    return pd.Index(words).get_indexer(pd.Index(cells)), tuple(names) or UNKNOWN


def _motifs(draft: Draft, meaning: ColumnRoles, understood: list[str], dropped: list[str]) -> tuple[Ints, Ints]:
    """The motif of each node and of each edge: each connected piece of nodes with the same mark is one. [N], [E]"""
    marks = draft.columns[meaning.motif].str.lower()
    unmarked = _UNMARKED | (_NO if {*marks} <= _UNMARKED | _NO | _YES else set())  # other numbers, 0 too, are marks
    mark = pd.factorize(marks.where(~marks.isin(unmarked)))[0]
    source, target = draft.edges.T
    inside = (source != target) & (mark[source] == mark[target]) & (mark[source] >= 0)
    links = coo_array((np.ones(inside.sum()), (source[inside], target[inside])), shape=(len(mark), len(mark)))
    linked = np.isin(np.arange(len(mark)), draft.edges[inside])
    motif = np.full(len(mark), -1, dtype=np.int64)
    motif[linked] = np.unique(connected_components(links)[1][linked], return_inverse=True)[1]
    if alone := int((~linked & (mark >= 0)).sum()):
        dropped.append(f"The marks of {counted(alone, 'node')} without an edge to another node of their motif.")
    motifs = f"{counted(int(motif.max()) + 1, 'marked motif')} with {counted(int(inside.sum()), 'edge')}"
    understood.append(f"{motifs}: answers are compared with them.")
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
    found = Preview(
        draft.form,
        {str(name): len(values(column)) for name, column in draft.columns.items()},
        meaning or guessed(draft),
        dropped=draft.dropped,
        numeric=tuple(str(name) for name, column in draft.columns.items() if _is_numeric(column)),
    )
    title = shortened(title) or shortened(PureWindowsPath(files[0].name).stem) or "Own data"
    try:
        dataset, understood, dropped = build(draft, found.meaning, title)
        name = store.save(dataset, visit, understood, dropped)
    except UserError as error:
        return replace(found, problem=str(error))
    return replace(
        found,
        name=name,
        task=dataset.task,
        counts=dataset.statistics,
        labelled=int((dataset.y >= 0).sum()),
        telling=telling_features(draft, found.meaning),
        understood=tuple(understood),
        dropped=tuple(dropped),
    )
