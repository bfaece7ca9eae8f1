"""Mutagenicity: 4,337 molecules with a mutagenic (0) or non-mutagenic (1) effect, and their NO₂ and NH₂ groups.

It is one of the data sets of the TU Dortmund collection, which are read from their text files without torch. What is
read is what PyG's reader makes of the same files. PyG's own copy of them would be read with a pickle fallback.
"""

import io
import urllib.request
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.arrays import Bools, Ints
from gfx_core.config import data_root
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import INFOS
from gfx_core.errors import UserError
from gfx_core.files import replacing

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


def download() -> None:
    """Download the data set's text files; the last one that is written is one that `on_disk` looks for."""
    raw = _raw()
    try:
        with urllib.request.urlopen(URL, timeout=_TIMEOUT_S) as answer:
            archive = zipfile.ZipFile(io.BytesIO(answer.read()))
        for name in sorted(archive.namelist(), reverse=True):
            if name.endswith(".txt"):
                with replacing(raw / Path(name).name) as part:
                    part.write_bytes(archive.read(name))
    except Exception as error:  # whatever the transport or the archive raises
        raise UserError(
            f"Mutagenicity could not be downloaded (no internet?), or {raw} cannot be written. Unpack the text files "
            "of Mutagenicity.zip (TU Dortmund graph collection) there, or set GFX_DATA to the folder that contains "
            "Mutagenicity/raw."
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
    to_oxygen, to_hydrogen = atoms[target] == _O, atoms[target] == _H
    oxygens = _bonds(source[to_oxygen], atoms)
    degree = _bonds(source, atoms)
    terminal_oxygens = _bonds(source[to_oxygen & (degree[target] == 1)], atoms)
    centre = (atoms == _N) & (degree == 3)
    nitro = centre & (oxygens == 2) & (terminal_oxygens == 2)
    amino = centre & (oxygens == 0) & (_bonds(source[to_hydrogen], atoms) == 2)

    group = np.full(len(atoms), -1)
    centres = np.flatnonzero(nitro | amino)
    group[centres] = np.arange(len(centres))
    outward = (nitro[source] & to_oxygen) | (amino[source] & to_hydrogen)
    group[target[outward]] = group[source[outward]]
    return group, np.where(group[source] == group[target], group[source], -1)


def molecules_of(atoms: Ints, edge_index: Ints, edge_order: Ints, y: Ints, **more: Any) -> GraphDataset:
    """Molecules as a data set, with their groups marked.

    Args:
        atoms: Position of each atom in :data:`ATOMS`. [N]
        edge_index: Bonds, both directions. [2, E]
        edge_order: Of each bond. [E]
        y: The class of each molecule. [G]
        more: Further attributes of the data set.
    """
    motif, edge_motif = mark_groups(atoms, edge_index)
    return GraphDataset.from_edges(
        INFOS["mutagenicity"],
        np.eye(len(ATOMS), dtype=np.float32)[atoms],
        edge_index,
        y,
        motif=motif,
        edge_motif=edge_motif,
        edge_order=edge_order,
        node_names=ATOMS,
        **more,
    )


def _bonds(source: Ints, atoms: Ints) -> Ints:
    """The number of bonds of each atom, from the atom at which each bond begins. [e] → [N]"""
    return np.bincount(source, minlength=len(atoms))


def mutagenicity() -> GraphDataset:
    """Read the data set; the first time it is downloaded."""
    if not on_disk():
        download()
    raw = _raw()

    def numbers(part: str) -> Ints:
        return np.loadtxt(raw / f"Mutagenicity_{part}.txt", dtype=int, delimiter=",")

    try:
        atoms, edge_index, y = numbers("node_labels"), numbers("A").T - 1, numbers("graph_labels")
        ptr = np.append(0, np.cumsum(np.bincount(numbers("graph_indicator") - 1)))  # graphs are numbered from 1
        if ptr[-1] != len(atoms) or len(ptr) != len(y) + 1:
            raise ValueError("the files are not of the same length")
        return molecules_of(atoms, edge_index, numbers("edge_labels") + 1, y, ptr=ptr)
    except Exception as error:  # a half-written file can fail anywhere
        raise UserError(f"The files in {raw} cannot be read: delete that folder and load again.") from error


# Benzene rings in the same molecules


def aromatic_carbons(atoms: Ints, edge_index: Ints, edge_order: Ints) -> Bools:
    """Carbons with three neighbours and one double bond, to a carbon or a nitrogen. [N]

    So a quinone, whose ring has double bonds to oxygens, has none. The files write aromatic bonds as single and double
    ones in turn; of fused rings a double bond may lie in the neighbour.

    Args:
        atoms: Position of each atom in :data:`ATOMS`. [N]
        edge_index: Bonds, both directions, sorted. [2, E]
        edge_order: Of each bond, from 1. [E]
    """
    source, target = edge_index
    double = edge_order == 2
    fitting = double & np.isin(atoms[target], (_C, _N))
    one_fitting = (_bonds(source[double], atoms) == 1) & (_bonds(source[fitting], atoms) == 1)
    return (atoms == _C) & (_bonds(source, atoms) == 3) & one_fitting


def benzene() -> GraphDataset:
    """The molecules of Mutagenicity by another question: does one contain a benzene ring? The rings' bonds are why.

    Rings that are fused share bonds and are one motif.
    """
    import networkx as nx

    data = mutagenicity()
    aromatic = aromatic_carbons(data.x.argmax(axis=1), data.edge_index, data.edge_order)
    bonds: nx.Graph = nx.Graph(data.edge_index[:, aromatic[data.edge_index].all(0)].T.tolist())
    rings: nx.Graph = nx.Graph()
    for cycle in nx.simple_cycles(bonds, length_bound=6):
        if len(cycle) == 6:
            nx.add_cycle(rings, cycle)
    motif, y = np.full_like(data.motif, -1), np.zeros_like(data.y)
    for number, system in enumerate(sorted(nx.connected_components(rings), key=min)):
        motif[list(system)] = number
    y[np.searchsorted(data.ptr, list(rings), side="right") - 1] = 1
    edge_motif = [motif[one] if rings.has_edge(one, other) else -1 for one, other in data.edge_index.T.tolist()]
    return replace(data, info=INFOS["benzene"], y=y, motif=motif, edge_motif=np.array(edge_motif))
