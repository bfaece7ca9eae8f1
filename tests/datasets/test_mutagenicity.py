"""Mutagenicity: our marking of its groups against PGExplainer's, and a missing or broken cache."""

import hashlib
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from gfx_core.datasets import mutagenicity
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.mutagenicity import ATOMS, mark_groups, molecules_by_group
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError

# SHA-256 of PGExplainer's marking (one byte per bond direction, sorted by atom numbers): lets the comparison be
# made where the marking itself is not at hand.
MARKING = "7a53432bf9d4c201c24a4603f7572cd68a90f33c6d0e7541495a094087ca8f71"


@pytest.fixture(scope="module")
def dataset(mutagenicity_root: Path) -> GraphDataset:
    return load_dataset("mutagenicity")


def test_counts(dataset: GraphDataset) -> None:
    statistics = dataset.statistics
    assert (statistics["graphs"], statistics["nodes"], statistics["edges"]) == (4337, 131_488, 133_447)
    assert statistics["explainable"] == 1015
    assert np.bincount(dataset.y).tolist() == [2401, 1936]
    assert dataset.edge_order is not None
    assert set(dataset.edge_order) == {1, 2, 3}


def test_groups_agree_with_pgexplainers_marking_on_all_molecules(dataset: GraphDataset) -> None:
    """There is no difference, on any bond of the 4,337 molecules.

    (There would be one, and a systematic one, if nitrate esters R–O–NO₂ and aminooxy groups R–O–NH₂ counted.)
    """
    ours = dataset.edge_motif >= 0
    assert hashlib.sha256(ours.astype(np.uint8).tobytes()).hexdigest() == MARKING
    raw = Path(os.environ["GFX_DATA"]) / "Mutagenicity" / "raw"
    if (raw / "Mutagenicity_edge_gt.txt").exists():
        bonds = np.loadtxt(raw / "Mutagenicity_A.txt", delimiter=",", dtype=np.int64) - 1
        theirs = np.loadtxt(raw / "Mutagenicity_edge_gt.txt", dtype=np.int64) > 0
        theirs = theirs[np.lexsort((bonds[:, 1], bonds[:, 0]))]
        assert (theirs == ours).all()


def test_groups_are_three_atoms_with_two_bonds(dataset: GraphDataset) -> None:
    atoms = dataset.x.argmax(1)
    assert (np.bincount(dataset.motif[dataset.motif >= 0]) == 3).all()
    assert (np.bincount(dataset.edge_motif[dataset.edge_motif >= 0]) == 4).all()
    source, target = dataset.edge_index[:, dataset.edge_motif >= 0]
    pairs = {tuple(sorted((ATOMS[atoms[s]], ATOMS[atoms[t]]))) for s, t in zip(source, target, strict=True)}
    assert pairs == {("N", "O"), ("H", "N")}


def test_molecules_are_told_apart_by_their_groups(dataset: GraphDataset) -> None:
    known = dataset.explainable
    assert sum(members[known].sum() for members in dataset.groups.values()) == len(known)
    assert not any(members[~dataset.graph_has_motif].any() for members in dataset.groups.values())
    for name, members in dataset.groups.items():
        for index in known[members[known]][:20]:
            instance = dataset.instance(int(index))
            atoms = {instance.node_label(int(node)) for node in np.flatnonzero(instance.motif >= 0)}
            assert atoms == {"NO₂": {"N", "O"}, "NH₂": {"N", "H"}, "NO₂ and NH₂": {"N", "O", "H"}}[name]


def test_molecules_by_group_by_hand() -> None:
    atoms = np.array([ATOMS.index(atom) for atom in "NOOCNHHCONOONHH"])
    motif = np.array([0, 0, 0, -1] + [1] * 3 + [-1, -1] + [2] * 3 + [3] * 3)
    found = molecules_by_group(atoms, motif, np.array([0, 4, 7, 9, 15]))
    assert {name: np.flatnonzero(members).tolist() for name, members in found.items()} == {
        "NO₂": [0],
        "NH₂": [1],
        "NO₂ and NH₂": [3],
    }


@pytest.mark.parametrize(
    ("atoms", "bonds", "marked"),
    [
        ("CNOO", [(0, 1), (1, 2), (1, 3)], 2),  # nitro
        ("CNHH", [(0, 1), (1, 2), (1, 3)], 2),  # amino
        ("ONOO", [(0, 1), (1, 2), (1, 3)], 0),  # nitrate
        ("ONHH", [(0, 1), (1, 2), (1, 3)], 0),  # aminooxy
        ("HNHH", [(0, 1), (1, 2), (1, 3)], 0),  # ammonia
        ("CNO", [(0, 1), (1, 2)], 0),  # nitroso
        ("CNOOC", [(0, 1), (1, 2), (1, 3), (3, 4)], 0),  # an oxygen that goes on
    ],
)
def test_groups_by_hand(atoms: str, bonds: list[tuple[int, int]], marked: int) -> None:
    ends = np.array(bonds).T
    edge_index = np.concatenate([ends, ends[::-1]], axis=1)
    _, edge_motif = mark_groups(np.array([ATOMS.index(atom) for atom in atoms]), edge_index)
    assert (edge_motif >= 0).sum() == 2 * marked


def test_without_internet_one_sentence_says_where_the_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(mutagenicity, "fetch_tu", unreachable)
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    with pytest.raises(UserError, match="Mutagenicity could not be downloaded") as caught:
        mutagenicity.mutagenicity()
    assert str(tmp_path / "Mutagenicity" / "raw") in str(caught.value)


def test_a_cache_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GFX_DATA", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match=r"cannot be written .* GFX_DATA"):
        mutagenicity.mutagenicity()


def test_broken_files(mutagenicity_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(mutagenicity_root / "Mutagenicity" / "raw", tmp_path / "Mutagenicity" / "raw")
    labels = tmp_path / "Mutagenicity" / "raw" / "Mutagenicity_node_labels.txt"
    labels.write_text("\n".join(labels.read_text().splitlines()[:1000]))
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    with pytest.raises(UserError, match="delete that folder and load again"):
        mutagenicity.mutagenicity()
