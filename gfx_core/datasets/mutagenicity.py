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
from dataclasses import replace
from pathlib import Path

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.config import data_root
from gfx_core.datasets.graph import GraphDataset, entries
from gfx_core.datasets.info import INFOS
from gfx_core.errors import UserError

URL = "https://www.chrsmrrs.com/graphkerneldatasets/Mutagenicity.zip"
_TIMEOUT_S = 30.0  # without a word from the server

ATOMS = ("C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca")
"""The data set's atom vocabulary, in the order of its feature columns."""
_C, _O, _H, _N = ATOMS.index("C"), ATOMS.index("O"), ATOMS.index("H"), ATOMS.index("N")


def _raw() -> Path:
    return data_root() / "Mutagenicity" / "raw"


def on_disk() -> bool:
    """Whether the data set can be read without a download."""
    return all((_raw() / f"Mutagenicity_{part}.txt").is_file() for part in ("A", "graph_labels"))


def _download() -> dict[str, bytes]:
    """The text files of the archive, by their names."""
    try:
        with urllib.request.urlopen(URL, timeout=_TIMEOUT_S) as answer:
            archive = zipfile.ZipFile(io.BytesIO(answer.read()))
        return {Path(name).name: archive.read(name) for name in archive.namelist() if name.endswith(".txt")}
    except Exception as error:  # whatever the transport or the archive raises
        raise UserError(
            "Mutagenicity could not be downloaded (no internet?). Unpack the text files of Mutagenicity.zip (TU "
            f"Dortmund graph collection) into {_raw()}, or set GFX_DATA to the folder that contains Mutagenicity/raw."
        ) from error


def download() -> None:
    """Download the data set; its text files are in the data folder all at once, or not at all."""
    raw = _raw()
    try:
        raw.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=raw.parent) as folder:
            files = Path(folder) / "files"
            files.mkdir()
            for name, content in _download().items():
                (files / name).write_bytes(content)
            shutil.rmtree(raw, ignore_errors=True)
            os.replace(files, raw)
    except OSError as error:
        raise UserError(
            f"The data folder {data_root()} cannot be written ({error.strerror}): make room there, or set the "
            "environment variable GFX_DATA to another folder."
        ) from error


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
    return group, np.where(group[source] == group[target], group[source], -1)


def mutagenicity() -> GraphDataset:
    """Read the data set; the first time it is downloaded."""
    if not on_disk():
        download()
    raw = _raw()

    def numbers(part: str) -> Ints:
        return np.loadtxt(raw / f"Mutagenicity_{part}.txt", dtype=np.int64, delimiter=",")

    try:
        atoms, edge_index, y = numbers("node_labels"), numbers("A").T - 1, numbers("graph_labels")
        ptr = np.append(0, np.cumsum(np.bincount(numbers("graph_indicator") - 1)))  # graphs are numbered from 1
        if ptr[-1] != len(atoms) or len(ptr) != len(y) + 1:
            raise ValueError("the files are not of the same length")
        motif, edge_motif = mark_groups(atoms, edge_index)
        return GraphDataset.from_edges(
            INFOS["mutagenicity"],
            np.eye(len(ATOMS), dtype=np.float32)[atoms],
            edge_index,
            y,
            motif=motif,
            edge_motif=edge_motif,
            ptr=ptr,
            node_names=ATOMS,
            edge_order=numbers("edge_labels") + 1,
        )
    except Exception as error:  # a half-written file can fail anywhere
        raise UserError(f"The files in {raw} cannot be read: delete that folder and load again.") from error


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

    data = mutagenicity()
    assert data.edge_order is not None
    count = data.num_nodes
    rings = benzene_rings(data.x.argmax(axis=1), data.edge_index, data.edge_order)
    one, other = rings.ravel(), np.roll(rings, -1, axis=1).ravel()
    _, system = connected_components(coo_array((np.ones(len(one)), (one, other)), (count, count)), directed=False)
    motif = np.full(count, -1, dtype=np.int64)
    motif[one] = np.unique(system[one], return_inverse=True)[1]
    source, target = data.edge_index
    in_ring = np.isin(source * count + target, np.concatenate([one * count + other, other * count + one]))
    y = np.zeros_like(data.y)
    y[np.searchsorted(data.ptr, rings[:, 0], side="right") - 1] = 1
    return replace(data, info=INFOS["benzene"], y=y, motif=motif, edge_motif=np.where(in_ring, motif[source], -1))
