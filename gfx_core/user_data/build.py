"""From a draft and its meaning to a data set, with a sentence for everything that was changed or left out."""

from collections.abc import Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gfx_core import limits
from gfx_core.arrays import Floats, Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Attributes
from gfx_core.errors import UserError
from gfx_core.text.numbers import counted, listed
from gfx_core.user_data import store
from gfx_core.user_data.draft import ColumnRoles, Draft, Preview, shortened
from gfx_core.user_data.read import DataFile, read
from gfx_core.user_data.structure import FROM_GRAPH, Structure, structural_classes

NOTHING = frozenset(("", "nan", "none", "null", "na", "n/a", "?"))
"""Cells that say nothing."""
_CLASS = ("class", "y", "target", "label", "category", "community", "club", "group", "type", "value")
_MOTIF = ("motif", "truth", "ground_truth", "mark", "marked", "explanation")
_NAME = ("name", "title", "label", "display")


def values(column: Sequence[str]) -> list[str]:
    """The different words of a column that say something, numbers in their order."""
    found = {cell for cell in column if cell.lower() not in NOTHING}
    return sorted(found, key=lambda cell: (as_number(cell) is None, as_number(cell) or 0.0, cell))


def as_number(cell: str) -> float | None:
    """A cell as a number; ``None`` if it is none, or not a finite one."""
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if abs(found) < 1e30 else None


def is_numeric(column: Sequence[str]) -> bool:
    """Whether all that a column says is numbers."""
    filled = [cell for cell in column if cell.lower() not in NOTHING]
    return bool(filled) and all(as_number(cell) is not None for cell in filled)


def guessed(draft: Draft) -> ColumnRoles:
    """What the columns most likely mean, by what they are called and hold."""
    different = {name: len(values(column)) for name, column in draft.columns.items()}

    def called(known: Sequence[str], columns: Sequence[str]) -> list[str]:
        plain = {name: name.lower().replace(" ", "_").replace("-", "_") for name in columns}
        return [name for want in known for name in columns if plain[name] == want]

    columns = list(draft.columns)
    motif = next(iter(called(_MOTIF, columns)), "")
    fit = [name for name in columns if 2 <= different[name] <= limits.MAX_CLASSES and name != motif]
    label = "" if draft.graph_labels is not None else next(iter(called(_CLASS, fit)), "")
    if not label and draft.graph is None and len(fit) == 1 and not is_numeric(draft.columns[fit[0]]):
        label = fit[0]
    names = [name for name in called(_NAME, columns) if name not in (label, motif)]
    name = next((name for name in names if different[name] > len(draft.names) / 2), "")
    features = tuple(
        column
        for column in columns
        if column not in (label, motif, name)
        and different[column] >= 2
        and (is_numeric(draft.columns[column]) or different[column] <= limits.MAX_WORDS)
    )
    edge_motif = next(iter(called(_MOTIF, list(draft.edge_columns))), "")
    bare = not fit and draft.graph is None and len(draft.names) >= limits.LEAST_LABELLED
    structure = Structure.COMMUNITIES if bare else ""
    features = features[: limits.MAX_FEATURES]
    categories = tuple(name for name in features if name in draft.categories and different[name] <= limits.MAX_WORDS)
    return ColumnRoles(label, motif, name, features, edge_motif, structure=structure, categories=categories)


def telling_features(draft: Draft, meaning: ColumnRoles) -> tuple[str, ...]:
    """The features whose values each occur in one class only, though not on one node each."""
    if not meaning.label:
        return ()
    classes, found = draft.columns[meaning.label], []
    for name in meaning.features:
        known = [(cell, label) for cell, label in zip(draft.columns[name], classes, strict=True) if label and cell]
        values = {cell for cell, _ in known}
        if 2 <= len(values) == len(set(known)) <= len(known) / 2:
            found.append(name)
    return tuple(found)


Bools = NDArray[np.bool_]
PLAIN_FEATURES = 10
"""Constant ones where a file has no features: as many as the data sets with planted motifs have."""
UNKNOWN = ("class not known",)
"""What stands for the classes where a file names none."""
_ATTRIBUTES, _ATTRIBUTE_CELLS = 12, 200_000  # columns that tips of nodes tell, and cells of them in all
_ON_NODE = 10  # letters that have room on a node; all of a longer name is in its tip
_UNMARKED = NOTHING | {"-1", "-1.0", "-"}
_NO, _YES = {"0", "0.0", "false", "no"}, {"1", "1.0", "true", "yes"}


def build(draft: Draft, meaning: ColumnRoles, title: str) -> tuple[GraphDataset, list[str], list[str]]:
    """Make a data set.

    Args:
        draft: What was read.
        meaning: What its columns mean.
        title: What people call it.

    Returns:
        The data set, whose name is put in by whoever keeps it; sentences on what is in it, and on what is not.

    Raises:
        UserError: No data set can be made of it; the sentence says why.
    """
    meaning.check(draft)
    understood, dropped = list(draft.understood), list(draft.dropped)
    x = _features(draft, meaning, understood, dropped)
    labels = _labels(draft, meaning)
    if meaning.structure:
        own = structural_classes(Structure(meaning.structure), draft.edges, labels or draft.names)
        y, classes = own.y, own.names or UNKNOWN
        x = np.concatenate([x, own.x], axis=1)
        understood += [*([_class_words(y, own.names, "nodes")] if own.names else ()), *own.words]
    else:
        y, classes = _classes(draft, meaning, understood)
    edges = _edges(draft, dropped)
    motif, edge_motif = _motifs(draft, meaning, understood, dropped)
    several = draft.graph is not None
    info = DatasetInfo(
        "own",
        Task.GRAPH if several else Task.NODE,
        title,
        " ".join([f"Your upload: {draft.form}.", *[FROM_GRAPH] * bool(meaning.structure and y.max() >= 0)]),
        classes=classes,
        citation="your own data",
        marked=motif is not None and bool((motif >= 0).any()),
    )
    ptr = None if draft.graph is None else np.concatenate([[0], np.cumsum(np.bincount(draft.graph))])
    short = tuple(label if len(label) <= _ON_NODE else f"{label[: _ON_NODE - 1]}…" for label in labels)
    dataset = GraphDataset.from_edges(
        info,
        x,
        edges.T,
        y,
        num_classes=len(classes),
        motif=motif,
        edge_motif=edge_motif,
        ptr=ptr,
        node_texts=short,
        node_notes=labels if short != labels else (),
        node_attributes=_attributes(draft, meaning),
    )
    return dataset, understood, [*dropped, *_unused(draft, meaning)]


def _labels(draft: Draft, meaning: ColumnRoles) -> tuple[str, ...]:
    """What each node is called; nothing where that is its number anyway."""
    if meaning.name:
        column = draft.columns[meaning.name]
        return tuple(cell or name for cell, name in zip(column, draft.names, strict=True))
    words = next((name for name in meaning.features if name == "node label"), None)
    if draft.graph is not None and words:  # as atoms are
        return tuple(draft.columns[words])
    plain = draft.graph is not None or all(name == str(at) for at, name in enumerate(draft.names))
    return () if plain else draft.names


def _attributes(draft: Draft, meaning: ColumnRoles) -> tuple[Attributes, ...]:
    """What the GNN reads of each node, as the file writes it; of many columns the first."""
    names = meaning.features[: min(_ATTRIBUTES, _ATTRIBUTE_CELLS // len(draft.names))]
    columns = [list(map(shortened, draft.columns[name])) for name in names]
    return tuple(tuple(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _features(draft: Draft, meaning: ColumnRoles, understood: list[str], dropped: list[str]) -> Floats:
    """What the GNN reads of each node. [N, d]"""
    parts: list[Floats] = []
    numbers = False
    for name in meaning.features:
        if name in (meaning.label, meaning.motif):
            raise UserError(f"The column “{name}” cannot be a feature: a GNN that reads it need not look at the graph.")
        column, found = draft.columns[name], values(draft.columns[name])
        numeric = is_numeric(column)
        if numeric and name not in meaning.categories:
            numbers = True
            parts.append(_numbers(name, column, meaning.scaled, understood)[:, None])
        elif len(found) <= limits.MAX_WORDS:
            parts.append((_codes(column, found)[:, None] == np.arange(len(found))).astype(np.float32))
            if numeric:
                understood.append(f"The numbers of “{name}” are names of {counted(len(found), 'category')}.")
        else:
            dropped.append(f"The column “{name}”: {len(found):,} different values are too many for a feature.")
        width = sum(part.shape[1] for part in parts)
        limits.check_count(width, limits.MAX_FEATURES, "features")
        limits.check_count(width * len(column), limits.MAX_CELLS, "numbers (nodes times features)")
    if not parts and meaning.structure != Structure.COMMUNITIES:
        understood.append("No features: every node looks the same to the GNN, which sees only the links.")
    if not parts:
        return np.ones((len(draft.names), PLAIN_FEATURES), dtype=np.float32)
    scale = " Numbers are put on one scale (mean 0, deviation 1)." if meaning.scaled and numbers else ""
    understood.append(f"{counted(width, 'feature')} from {counted(len(parts), 'column')}.{scale}")
    return np.concatenate(parts, axis=1)


def _numbers(name: str, column: list[str], scaled: bool, understood: list[str]) -> Floats:
    """A column of numbers [N]; cells that say nothing get the mean."""
    cells = [None if cell.lower() in NOTHING else as_number(cell) for cell in column]
    known = np.array([cell for cell in cells if cell is not None], dtype=np.float64)
    mean, spread = known.mean(), known.std()
    if len(known) < len(cells):
        understood.append(f"{counted(len(cells) - len(known), 'empty cell')} of “{name}” got the mean of the others.")
    found = np.array([mean if cell is None else cell for cell in cells], dtype=np.float64)
    return ((found - mean) / (spread or 1.0) if scaled else found).astype(np.float32)


def _classes(draft: Draft, meaning: ColumnRoles, understood: list[str]) -> tuple[Ints, tuple[str, ...]]:
    """The class of each node or graph, -1 where it is not known, and what the classes are called."""
    if draft.graph is None:
        cells = draft.columns[meaning.label] if meaning.label else [""] * len(draft.names)
    elif meaning.label:
        cells = _by_graph(draft, meaning.label)
    else:
        cells = list(draft.graph_labels or [""] * (int(draft.graph.max()) + 1))
    noun = "nodes" if draft.graph is None else "graphs"
    found = values(cells)
    if len(found) > limits.MAX_CLASSES:
        raise UserError(
            f"“{meaning.label or 'The class'}” has {len(found):,} different values; a class has at most "
            f"{limits.MAX_CLASSES}: choose another column."
        )
    if not found:
        return np.full(len(cells), -1, dtype=np.int64), UNKNOWN
    y = _codes(cells, found)
    missing = int((y < 0).sum())
    if missing:
        understood.append(f"Kept, but not used to train the GNN: {counted(missing, noun[:-1])} without a class.")
    understood.append(_class_words(y, found, noun))
    names = tuple(word if as_number(word) is None else f"class {word}" for word in found)
    return y, names if len(names) > 1 else (*names, "any other class")


def _class_words(y: Ints, names: Sequence[str], noun: str) -> str:
    """How many there are of each class."""
    counts = [f"{name} ({int((y == at).sum()):,})" for at, name in enumerate(names)]
    return f"{counted(len(names), 'class')} of {noun}: {listed(counts, 6)}."


def _codes(cells: Sequence[str], words: Sequence[str]) -> Ints:
    """The place of each cell among some words, -1 for one that is none of them. [n]"""
    place = {word: at for at, word in enumerate(words)}
    return np.array([place.get(cell, -1) for cell in cells], dtype=np.int64)


def _by_graph(draft: Draft, label: str) -> list[str]:
    """The class of each graph, from a column of its nodes that must agree."""
    assert draft.graph is not None
    found = [""] * (int(draft.graph.max()) + 1)
    for graph, cell in zip(draft.graph.tolist(), draft.columns[label], strict=True):
        if found[graph] not in ("", cell):
            raise UserError(f"The nodes of a graph do not agree in “{label}”, so it is not the graphs’ class.")
        found[graph] = cell
    return found


def _edges(draft: Draft, dropped: list[str]) -> Ints:
    """The edges as they are, and a word on what putting them in order does to them. [E, 2]"""
    loops = int((draft.edges[:, 0] == draft.edges[:, 1]).sum())
    if loops:
        dropped.append(f"{counted(loops, 'edge')} from a node to itself.")
    ordered = np.sort(draft.edges[draft.edges[:, 0] != draft.edges[:, 1]], axis=1)
    twice = len(ordered) - len(np.unique(ordered, axis=0)) if len(ordered) else 0
    if twice:
        dropped.append(f"{counted(twice, 'edge')} given twice, perhaps once in each direction.")
    if not len(ordered):
        raise UserError(f"This {draft.form} has no edge between two nodes, so there is nothing to explain.")
    return draft.edges


def _motifs(
    draft: Draft, meaning: ColumnRoles, understood: list[str], dropped: list[str]
) -> tuple[Ints | None, Ints | None]:
    """The motif of each node and of each edge as they stand in the file, from marks on nodes, on edges, or on both."""
    if not (meaning.motif or meaning.edge_motif):
        return None, None
    edges = draft.edges
    on_edges = np.ones(len(edges), dtype=bool)
    if meaning.edge_motif:
        on_edges = _marked(draft.edge_columns[meaning.edge_motif])
    if meaning.motif:
        cells = draft.columns[meaning.motif]
        marked = _marked(cells)
        names = list(dict.fromkeys(cell for cell, on in zip(cells, marked, strict=True) if on))
    else:
        marked = np.isin(np.arange(len(draft.names)), edges[on_edges])
    if meaning.motif and len(names) > 1:
        motif = _codes(cells, names)
    else:  # marked or not: each connected piece is one
        motif = _pieces(edges[on_edges & marked[edges].all(axis=1)], marked)
    inside = on_edges & (motif[edges[:, 0]] == motif[edges[:, 1]]) & (motif[edges[:, 0]] >= 0)
    edge_motif = np.where(inside, motif[edges[:, 0]], -1)
    lone = np.setdiff1d(np.flatnonzero(motif >= 0), edges[inside])
    if len(lone):
        dropped.append(f"The marks of {counted(len(lone), 'node')} without an edge to another node of their motif.")
        motif[lone] = -1
    found = len(np.unique(motif[motif >= 0]))
    motifs = f"{counted(found, 'marked motif')} with {counted(int(inside.sum()), 'edge')}"
    understood.append(f"{motifs}: answers are compared with them.")
    return motif, edge_motif


def _marked(cells: list[str]) -> Bools:
    """Which cells mark something: numbers from 0 on are those of motifs, unless all of them say yes or no. [n]"""
    lower = [cell.lower() for cell in cells]
    unmarked = _UNMARKED | (_NO if set(lower) <= _UNMARKED | _NO | _YES else set())
    return np.array([cell not in unmarked for cell in lower], dtype=bool)


def _pieces(edges: Ints, marked: Bools) -> Ints:
    """A number for each connected piece, -1 for nodes that are not marked. [N]"""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(np.flatnonzero(marked).tolist())
    graph.add_edges_from(edges.tolist())
    found = np.full(len(marked), -1, dtype=np.int64)
    for number, piece in enumerate(nx.connected_components(graph)):
        found[list(piece)] = number
    return found


def _unused(draft: Draft, meaning: ColumnRoles) -> list[str]:
    """The columns that nobody uses."""
    used = {meaning.label, meaning.motif, meaning.name, *meaning.features}
    idle = [name for name in draft.columns if name not in used]
    sentences = [f"The column “{name}” of the nodes: it is not used." for name in idle[:6]]
    sentences += [f"{counted(len(idle) - 6, 'more column')} of the nodes."] * (len(idle) > 6)
    rest = [name for name in draft.edge_columns if name != meaning.edge_motif]
    if rest:
        shown = ", ".join(f"“{name}”" for name in rest[:4]) + (" …" if len(rest) > 4 else "")
        sentences.append(f"The columns of the edges ({shown}): the GNNs here read links, not weights.")
    return sentences


# Preview


def preview(files: Sequence[DataFile], visit: str, meaning: ColumnRoles | None = None, title: str = "") -> Preview:
    """Read files, make a data set of them and put it into the room of a visit.

    Args:
        files: What somebody brought.
        visit: Whose.
        meaning: What the columns mean; guessed by default.
        title: What to call it; by default what the first file is called.

    Raises:
        UserError: The files cannot be read.
    """
    draft = read(files)
    columns = {name: len(values(cells)) for name, cells in draft.columns.items()}
    numeric = tuple(name for name, cells in draft.columns.items() if is_numeric(cells))
    meaning = meaning or guessed(draft)
    found = Preview(draft.form, columns, tuple(draft.edge_columns), meaning, dropped=draft.dropped, numeric=numeric)
    try:
        dataset, understood, dropped = build(draft, found.meaning, shortened(title) or _title(files))
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


def _title(files: Sequence[DataFile]) -> str:
    stem = files[0].name.rpartition("/")[2].rpartition("\\")[2]
    return shortened(stem.rpartition(".")[0] or stem) or "Own data"
