"""The text files of the TU Dortmund collection."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from gfx_core.datasets import mutagenicity

# Two graphs: a path with a loop and an edge that is there twice, and a single bond.
_FILES = {
    "A": "1, 2\n2, 1\n2, 2\n3, 2\n2, 3\n2, 3\n4, 5\n5, 4\n",
    "edge_labels": "1\n1\n0\n2\n2\n2\n0\n0\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "3\n5\n3\n4\n3\n",
}


def written(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for part, text in _FILES.items():
        (folder / f"Small_{part}.txt").write_text(text)
    return folder


def as_pyg_reads(name: str, folder: Path) -> mutagenicity.TUData:
    from torch_geometric.io import read_tu_data

    data, slices, _ = read_tu_data(str(folder), name)
    ptr, edge_ptr = slices["x"].numpy(), slices["edge_index"].numpy()
    edge_index = data.edge_index.numpy() + np.repeat(ptr[:-1], np.diff(edge_ptr))  # it numbers each graph's nodes anew
    return mutagenicity.TUData(data.x.numpy(), edge_index, data.edge_attr.argmax(1).numpy(), data.y.numpy(), ptr)


def assert_same(one: mutagenicity.TUData, other: mutagenicity.TUData) -> None:
    for name, value in vars(one).items():
        np.testing.assert_array_equal(value, getattr(other, name), err_msg=name)
        assert value.dtype == getattr(other, name).dtype, name


def test_it_is_what_pyg_reads(tmp_path: Path) -> None:
    folder = written(tmp_path / "raw")
    found = mutagenicity.read_tu("Small", folder)
    assert_same(found, as_pyg_reads("Small", folder))
    assert found.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1], [3, 4], [4, 3]]
    assert found.y.tolist() == [1, 0]


def test_molecules_are_what_pyg_reads(mutagenicity_root: Path) -> None:
    folder = mutagenicity_root / "Mutagenicity" / "raw"
    assert_same(mutagenicity.read_tu("Mutagenicity", folder), as_pyg_reads("Mutagenicity", folder))


@pytest.mark.parametrize("part", _FILES)
def test_half_a_file_is_no_data_set(part: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "raw")
    (folder / f"Small_{part}.txt").write_text(_FILES[part][:3] + "?")
    with pytest.raises(ValueError):  # noqa: PT011, whichever: the data set says one sentence
        mutagenicity.read_tu("Small", folder)


def test_an_archive_is_unpacked_all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = written(tmp_path / "source")
    with zipfile.ZipFile(tmp_path / "Small.zip", "w") as archive:
        for file in source.iterdir():
            archive.write(file, f"Small/{file.name}")
        archive.writestr("../outside.txt", "text")
    monkeypatch.setattr(mutagenicity, "URL", tmp_path.as_uri())
    target = tmp_path / "data" / "Small" / "raw"
    mutagenicity.fetch_tu("Small", target)
    assert {file.name for file in target.iterdir()} == {"outside.txt", *(file.name for file in source.iterdir())}
    assert_same(mutagenicity.read_tu("Small", target), mutagenicity.read_tu("Small", source))
    with pytest.raises(OSError, match="Other"):
        mutagenicity.fetch_tu("Other", target)
    assert [path.name for path in target.parent.iterdir()] == ["raw"]
