"""Where instances come from, and how one is named."""

import numpy as np
import pytest

from gfx_core.datasets import registry
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import DATASETS, register, source_of, sources_of
from gfx_core.datasets.source import Downloaded, Listed, Numbered, Source, Typed
from gfx_core.errors import UserError


@pytest.mark.parametrize("dataset", [name for name in DATASETS if name not in ("mutagenicity", "graph_sst2")])
def test_generated_data_sets_name_their_instances_by_number(dataset: str) -> None:
    source = source_of(dataset, "index")
    assert list(sources_of(dataset).values()) == [source]
    assert isinstance(source, Numbered)
    assert source.ready
    assert source.checked(" 007 ") == "7"
    instance = source.instance("7", hops=2)
    assert (instance.index, instance.info) == (7, DATASETS[dataset])
    assert instance.hops.max() <= 2
    assert int(source.first) in source.dataset().explainable


@pytest.mark.parametrize("name", ["", "-1", "x", "1e3", "9" * 12, "½"])
def test_no_number(name: str) -> None:
    with pytest.raises(UserError, match="is not a number of a node or graph"):
        source_of("tree_grid", "index").checked(name)


def test_molecules_come_in_three_ways() -> None:
    file, compounds, smiles = sources_of("mutagenicity").values()
    assert isinstance(file, Downloaded)
    assert isinstance(compounds, Listed)
    assert isinstance(smiles, Typed)
    assert compounds.checked("tnt") == "TNT"
    assert compounds.called("TNT") == "tnt"
    assert smiles.instance(compounds.typed("TNT")).num_nodes == molecule(COMPOUNDS["TNT"]).num_nodes
    for source in (compounds, smiles):
        assert source.instance(source.first).info is DATASETS["mutagenicity"]
    with pytest.raises(UserError, match="“Unobtainium” is not among the compounds"):
        compounds.checked("Unobtainium")


def test_a_source_that_a_data_set_has_not() -> None:
    with pytest.raises(
        UserError, match="Tree-Grid has no instances by smiles: name one by index, or choose Mutagenicity"
    ):
        source_of("tree_grid", "smiles")
    with pytest.raises(UserError, match="has no instances by letter: name one by index or compound or smiles"):
        source_of("mutagenicity", "letter")


def test_a_data_set_without_a_source_is_refused() -> None:
    with pytest.raises(ValueError, match="needs at least one source"):
        register(DatasetInfo("nowhere", DATASETS["tree_grid"].task))
    assert "nowhere" not in DATASETS


def test_a_source_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Rooms(Listed):
        parameter, title, noun, first, names = "room", "Rooms", "room", "Hall", ("Hall", "Attic")

        def typed(self, name: str) -> str:
            return name

        def instance(self, name: str, hops: int = 3):  # type: ignore[no-untyped-def]
            return source_of("tree_cycles", "index").instance(str(600 + self.names.index(self.checked(name))), hops)

    monkeypatch.setattr(registry, "DATASETS", dict(DATASETS))
    monkeypatch.setattr(registry, "_SOURCES", dict(registry._SOURCES))
    rooms: Source = Rooms()
    register(DatasetInfo("building", DATASETS["tree_cycles"].task, "Building"), rooms)
    assert source_of("Building", "room") is rooms
    assert np.array_equal(rooms.instance("attic").nodes, source_of("tree_cycles", "index").instance("601").nodes)
