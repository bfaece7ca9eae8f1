"""Mutagenicity: 4,337 molecules with a mutagenic (0) or non-mutagenic (1) effect, and their NO₂ and NH₂ groups.

It is one of the data sets of the TU Dortmund collection, which are read from their text files without torch. What is
read is what PyG's reader makes of the same files. PyG's own copy of them would be read with a pickle fallback.
"""

import io
import os
import shutil
import tempfile
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Floats, Ints
from gfx_core.config import Task, data_root
from gfx_core.datasets.graph import GraphDataset, entries
from gfx_core.datasets.info import AMINO, BENZENE, NITRO, DatasetInfo, Vocabulary
from gfx_core.errors import UserError
from gfx_core.files import disk_is_full

MUTAGENICITY = DatasetInfo(
    "mutagenicity",
    Task.GRAPH,
    "Mutagenicity",
    "Molecules, some of which damage DNA; nitro and amino groups are chemists' best-known reasons why.",
    (NITRO, AMINO),
    ("mutagen", "non-mutagen"),
    "Kazius et al., J. Med. Chem. 2005; TU Dortmund graph collection",
    Vocabulary("molecule", "atom", "bond", "group"),
    reasons=(0,),
    paper={"graphs": 4337, "nodes": 131_488, "edges": 266_894},
)
BENZENE_RINGS = DatasetInfo(
    "benzene",
    Task.GRAPH,
    "Benzene rings",
    "The molecules of Mutagenicity: does one contain a benzene ring?",
    (BENZENE,),
    ("no benzene ring", "benzene ring"),
    MUTAGENICITY.citation,
    Vocabulary("molecule", "atom", "bond", "ring"),
    reasons=(1,),
    listed=False,
)

ATOMS = ("C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca")
"""The data set's atom vocabulary, in the order of its feature columns."""

MUTAGEN = 0
_C, _O, _H, _N = ATOMS.index("C"), ATOMS.index("O"), ATOMS.index("H"), ATOMS.index("N")


def mark_groups(atoms: Ints, edge_index: Ints) -> tuple[Ints, Ints]:
    """Find the nitro and amino groups among some atoms.

    NO₂ is a nitrogen with three neighbours, exactly two of them oxygens that have no other neighbour; NH₂ is a
    nitrogen with three neighbours, exactly two of them hydrogens and none an oxygen. So nitrate esters
    (R–O–NO₂) and aminooxy groups (R–O–NH₂) do not count.

    Args:
        atoms: Position of each atom in :data:`ATOMS`. [N]
        edge_index: Bonds, both directions. [2, E]

    Returns:
        The group of each atom (-1 for none) and of each bond: N–O and N–H bonds belong to the group, the bond
        that ties it to the rest of the molecule does not. Groups are numbered by their nitrogen.
    """
    source, target = edge_index
    num_atoms = len(atoms)
    degree = np.bincount(source, minlength=num_atoms)
    oxygens = np.bincount(source[atoms[target] == _O], minlength=num_atoms)
    terminal_oxygens = np.bincount(source[(atoms[target] == _O) & (degree[target] == 1)], minlength=num_atoms)
    hydrogens = np.bincount(source[atoms[target] == _H], minlength=num_atoms)
    centre = (atoms == _N) & (degree == 3)
    nitro = centre & (oxygens == 2) & (terminal_oxygens == 2)
    amino = centre & (hydrogens == 2) & (oxygens == 0)

    group = np.full(num_atoms, -1, dtype=np.int64)
    centres = np.flatnonzero(nitro | amino)
    group[centres] = np.arange(len(centres))
    outward = (nitro[source] & (atoms[target] == _O)) | (amino[source] & (atoms[target] == _H))
    group[target[outward]] = group[source[outward]]
    inward = (nitro[target] & (atoms[source] == _O)) | (amino[target] & (atoms[source] == _H))
    return group, np.where(outward | inward, group[source], -1)


def molecules_by_group(atoms: Ints, motif: Ints, ptr: Ints) -> dict[str, NDArray[np.bool_]]:
    """Molecules that hold nitro groups, amino groups or both: the GNN has not the same reasons for all of them.

    Args:
        atoms: Position of each atom in :data:`ATOMS`. [N]
        motif: The group of each atom, -1 for none. [N]
        ptr: Where each molecule's atoms begin. [G + 1]

    Returns:
        By name, which molecules; none is in two of them. bool [G] each
    """

    def holding(atom: int) -> NDArray[np.bool_]:
        found = np.flatnonzero((motif >= 0) & (atoms == atom))
        return np.bincount(np.searchsorted(ptr, found, side="right") - 1, minlength=len(ptr) - 1) > 0

    nitro, amino = holding(_O), holding(_H)  # no other atom than its own is in a group
    return {"NO₂": nitro & ~amino, "NH₂": amino & ~nitro, "NO₂ and NH₂": nitro & amino}


def _raw() -> Path:
    return data_root() / "Mutagenicity" / "raw"


def on_disk() -> bool:
    """Whether the data set can be read without a download."""
    return all((_raw() / f"Mutagenicity_{part}.txt").is_file() for part in ("A", "graph_labels"))


def _raw_folder() -> Path:
    """The folder of the raw text files, downloading them if they are not there."""
    raw = _raw()
    if on_disk():
        return raw
    try:
        raw.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=raw.parent).close()
    except OSError as error:
        raise UserError(
            f"The data folder {data_root()} cannot be written ({error.strerror}): "
            "set the environment variable GFX_DATA to a folder that can."
        ) from error
    try:
        fetch_tu("Mutagenicity", raw)
    except Exception as error:  # the download layers raise whatever their transports raise
        if disk_is_full(error):
            raise UserError(
                "Mutagenicity could not be stored: the disk is full. Free some space and load it again."
            ) from error
        raise UserError(
            "Mutagenicity could not be downloaded (no internet?). Unpack the text files of Mutagenicity.zip (TU "
            f"Dortmund graph collection) into {raw}, or set GFX_DATA to the folder that contains Mutagenicity/raw."
        ) from error
    return raw


def _read() -> "TUData":
    """All molecules; the first time they are downloaded."""
    raw = _raw_folder()
    try:
        data = read_tu("Mutagenicity", raw)
    except Exception as error:  # a half-written file can fail anywhere
        raise UserError(f"The files in {raw} cannot be read: delete that folder and load again.") from error
    if data.x.shape[1] != len(ATOMS) or len(data.y) != len(data.ptr) - 1:
        raise UserError(f"The files in {raw} are incomplete: delete that folder and load again.")
    return data


def mutagenicity() -> GraphDataset:
    """Read the data set; the first time it is downloaded."""
    data = _read()
    atoms = data.x.argmax(axis=1)
    motif, edge_motif = mark_groups(atoms, data.edge_index)
    return GraphDataset.from_edges(
        MUTAGENICITY,
        data.x,
        data.edge_index,
        data.y,
        motif=motif,
        edge_motif=edge_motif,
        ptr=data.ptr,
        node_names=ATOMS,
        edge_order=data.edge_label + 1,
        explained_class=MUTAGEN,
        groups=molecules_by_group(atoms, motif, data.ptr),
    )


# Benzene rings in the same molecules


def benzene_rings(atoms: Ints, edge_index: Ints, edge_order: Ints) -> Ints:
    """The rings of six aromatic carbons: each has three neighbours and one double bond, to a carbon or a nitrogen.

    So a quinone, whose ring has double bonds to oxygens, is none. The files write aromatic bonds as single and double
    ones in turn; of fused rings a double bond may lie in the neighbour.

    Args:
        atoms: Position of each atom in :data:`ATOMS`. [N]
        edge_index: Bonds, both directions, sorted. [2, E]
        edge_order: Of each bond, from 1. [E]

    Returns:
        The atoms of each ring, in their order around it. [R, 6]
    """
    source, target = edge_index
    count = len(atoms)
    double = edge_order == 2
    double_bonds = np.bincount(source[double], minlength=count)
    fitting = np.bincount(source[double & np.isin(atoms[target], (_C, _N))], minlength=count)
    aromatic = (atoms == _C) & (np.bincount(source, minlength=count) == 3) & (double_bonds == 1) & (fitting == 1)
    among = aromatic[source] & aromatic[target]
    source, target = source[among], target[among]
    indptr = np.searchsorted(source, np.arange(count + 1))
    paths = np.stack([source, target], axis=1)[source < target]  # they start at the lowest atom of a ring
    for _ in range(4):
        positions, path = entries(indptr, paths[:, -1])
        added = target[positions]
        new = (added > paths[path, 0]) & (added[:, None] != paths[path]).all(axis=1)
        paths = np.concatenate([paths[path[new]], added[new, None]], axis=1)
    closed = np.isin(paths[:, -1] * count + paths[:, 0], source * count + target)
    return paths[closed & (paths[:, 1] < paths[:, -1])]  # each was found in both directions


def benzene() -> GraphDataset:
    """The molecules of Mutagenicity by another question: does one contain a benzene ring? The rings' bonds are why.

    Rings that are fused share bonds and are one motif.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    data = _read()
    count = len(data.x)
    rings = benzene_rings(data.x.argmax(axis=1), data.edge_index, data.edge_label + 1)
    one, other = rings.ravel(), np.roll(rings, -1, axis=1).ravel()
    _, system = connected_components(coo_array((np.ones(len(one)), (one, other)), (count, count)), directed=False)
    motif = np.full(count, -1, dtype=np.int64)
    motif[one] = np.unique(system[one], return_inverse=True)[1]
    in_ring = np.isin(
        data.edge_index[0] * count + data.edge_index[1], np.concatenate([one * count + other, other * count + one])
    )
    number = np.bincount(np.searchsorted(data.ptr, rings[:, 0], side="right") - 1, minlength=len(data.y))
    return GraphDataset.from_edges(
        BENZENE_RINGS,
        data.x,
        data.edge_index,
        (number > 0).astype(np.int64),
        motif=motif,
        edge_motif=np.where(in_ring, motif[data.edge_index[0]], -1),
        ptr=data.ptr,
        node_names=ATOMS,
        edge_order=data.edge_label + 1,
        explained_class=1,
        groups={"one ring": number == 1, "several rings": number > 1},
    )


# Files of the TU Dortmund collection, fetched as one archive


URL = "https://www.chrsmrrs.com/graphkerneldatasets"
_PATIENCE_S = 30.0  # without a word from the server


@dataclass(frozen=True)
class TUData:
    """Many graphs, one after the other.

    Attributes:
        x: The label of each node, one-hot. [N, labels]
        edge_index: Both directions, sorted, without loops; nodes are numbered through. [2, E]
        edge_label: From 0. [E]
        y: The class of each graph, from 0. [G]
        ptr: Where each graph's nodes begin. [G + 1]
    """

    x: Floats
    edge_index: Ints
    edge_label: Ints
    y: Ints
    ptr: Ints


def fetch_tu(name: str, folder: Path) -> None:
    """Download a data set; its text files are in the folder all at once, or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with urllib.request.urlopen(f"{URL}/{name}.zip", timeout=_PATIENCE_S) as answer:
        archive = io.BytesIO(answer.read())
    with tempfile.TemporaryDirectory(dir=folder.parent) as made, zipfile.ZipFile(archive) as held:
        unpacked = Path(made) / "files"
        unpacked.mkdir()
        for member in held.namelist():
            if member.endswith(".txt"):
                (unpacked / Path(member).name).write_bytes(held.read(member))
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(unpacked, folder)


def read_tu(name: str, folder: Path) -> TUData:
    """Read the text files of a data set; whatever is wrong with them raises."""

    def part(kind: str) -> Ints:
        return tu_numbers((folder / f"{name}_{kind}.txt").read_text(encoding="utf-8"))

    graph, label = part("graph_indicator") - 1, part("node_labels")
    edge_index, edge_label = part("A").reshape(-1, 2).T - 1, part("edge_labels")
    if len(graph) != len(label) or edge_index.shape[1] != len(edge_label):
        raise ValueError("the files are not of the same length")
    edge_label = edge_label - edge_label.min()
    keys = edge_index[0] * len(graph) + edge_index[1]
    _, first = np.unique(keys, return_index=True)  # sorted by source, then target
    first = first[edge_index[0, first] != edge_index[1, first]]
    label = label - label.min()
    x = np.zeros((len(label), int(label.max()) + 1), dtype=np.float32)
    x[np.arange(len(label)), label] = 1
    return TUData(
        x,
        edge_index[:, first],
        edge_label[first],
        np.unique(part("graph_labels"), return_inverse=True)[1],
        np.concatenate([[0], np.cumsum(np.bincount(graph))]),
    )


def tu_numbers(text: str) -> Ints:
    """The whole numbers of a text file, line after line."""
    return np.array(text.replace(",", " ").split(), dtype=np.int64)
