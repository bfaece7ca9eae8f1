"""Mutagenicity: our marking of its groups against PGExplainer's, and a missing or broken cache."""

import hashlib
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from gfx_core.datasets import mutagenicity
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.molecules import editable_molecule
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError

# SHA-256 of PGExplainer's marking (one byte per bond direction, sorted by atom numbers): lets the comparison be
# made where the marking itself is not at hand.
MARKING = "7a53432bf9d4c201c24a4603f7572cd68a90f33c6d0e7541495a094087ca8f71"


@pytest.fixture(scope="module")
def dataset(mutagenicity_root: Path) -> GraphDataset:
    return load_dataset("mutagenicity")


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


def test_benzene_rings_are_those_that_rdkit_calls_aromatic(dataset: GraphDataset) -> None:
    """On every fortieth molecule; on all of them 5 of 4,337 differ, strained systems about which one can argue."""
    from rdkit import Chem

    rings = load_dataset("benzene")
    assert (rings.x == dataset.x).all()
    assert (rings.edge_index == dataset.edge_index).all()
    assert np.bincount(rings.y).tolist() == [1471, 2866]
    ring = Chem.MolFromSmarts("c1ccccc1")
    for index in range(0, rings.num_graphs, 40):
        instance = rings.instance(index)
        molecule = editable_molecule(instance)
        assert molecule is not None
        molecule.UpdatePropertyCache(strict=False)
        Chem.GetSymmSSSR(molecule)
        Chem.SetAromaticity(molecule)
        atoms = {atom for match in molecule.GetSubstructMatches(ring) for atom in match}
        assert atoms == set(np.flatnonzero(instance.motif >= 0).tolist())
        assert instance.own_edges.any() == bool(atoms) == bool(instance.y)


def test_a_download_that_cannot_be_says_where_the_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutagenicity, "URL", (tmp_path / "nowhere").as_uri())
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    with pytest.raises(UserError, match="Mutagenicity could not be downloaded") as caught:
        mutagenicity.mutagenicity()
    assert str(tmp_path / "Mutagenicity" / "raw") in str(caught.value)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GFX_DATA", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match=r"cannot be written\. .* GFX_DATA"):
        mutagenicity.mutagenicity()


def test_molecules_are_what_pyg_reads(mutagenicity_root: Path, dataset: GraphDataset) -> None:
    from torch_geometric.io import read_tu_data

    data, slices, _ = read_tu_data(str(mutagenicity_root / "Mutagenicity" / "raw"), "Mutagenicity")
    ptr, edge_ptr = slices["x"].numpy(), slices["edge_index"].numpy()
    edge_index = data.edge_index.numpy() + np.repeat(ptr[:-1], np.diff(edge_ptr))  # it numbers each graph's nodes anew
    assert dataset.edge_order is not None
    order = data.edge_attr.argmax(1).numpy() + 1
    for ours, theirs in (
        (dataset.x, data.x.numpy()),
        (dataset.edge_index, edge_index),
        (dataset.edge_order, order),
        (dataset.y, data.y.numpy()),
        (dataset.ptr, ptr),
    ):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


_FILES = {  # two molecules
    "A": "1, 2\n2, 1\n3, 4\n4, 3\n",
    "edge_labels": "1\n1\n0\n0\n",
    "graph_indicator": "1\n1\n2\n2\n",
    "graph_labels": "1\n0\n",
    "node_labels": "0\n1\n0\n4\n",
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that holds them."""
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    raw = tmp_path / "Mutagenicity" / "raw"
    raw.mkdir(parents=True)
    for part, text in _FILES.items():
        (raw / f"Mutagenicity_{part}.txt").write_text(text)
    return raw


@pytest.mark.parametrize("part", _FILES)
def test_half_a_file_is_no_data_set(part: str, files: Path) -> None:
    assert mutagenicity.mutagenicity().edge_index.T.tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]
    for damage in ("?", ""):
        (files / f"Mutagenicity_{part}.txt").write_text(_FILES[part][: len(_FILES[part]) // 2] + damage)
        with pytest.raises(UserError, match="delete that folder and load again"):
            mutagenicity.mutagenicity()


def test_a_download_is_unpacked_and_half_of_one_is_none(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for file in files.iterdir():
            packed.write(file, f"Mutagenicity/{file.name}")
        packed.writestr("../outside.txt", "text")
    monkeypatch.setattr(mutagenicity, "URL", archive.as_uri())
    (files / "Mutagenicity_A.txt").unlink()
    assert mutagenicity.mutagenicity().num_graphs == 2
    assert [path.name for path in files.parent.iterdir()] == ["raw"]
    assert not (tmp_path / "outside.txt").exists()
    (files / "Mutagenicity_A.txt").unlink()
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(UserError, match="could not be downloaded"):
        mutagenicity.mutagenicity()
    assert len(list(files.iterdir())) == len(_FILES)  # the others, and what had come besides, are still there
