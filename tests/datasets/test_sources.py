"""The list of data sets, where their instances come from, and how one is named."""

import pytest

from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import DATASETS, listed, load_dataset, source_of, sources_of
from gfx_core.datasets.source import Downloaded, Listed, Numbered, Typed
from gfx_core.errors import UserError


def test_all_are_there_and_describe_themselves() -> None:
    names = ["ba_shapes", "ba_community", "tree_cycles", "tree_grid", "ba_2motifs", "mutagenicity", "graph_sst2"]
    assert list(listed()) == names
    assert list(DATASETS) == [*names, "tree_cycles_noise", "tree_grid_noise", "ba_either", "benzene"]
    for info in DATASETS.values():
        assert info.description.endswith((".", "?"))
        assert info.knows_reasons == (info.name != "graph_sst2")
        for motif in info.motifs:
            assert {node for edge in motif.edges for node in edge} == set(range(motif.num_nodes))
            assert all(0 <= value <= 1 for position in motif.positions for value in position)


def test_titles_work_as_names_and_an_unknown_name_gets_a_hint() -> None:
    assert load_dataset("Tree-Cycles") is load_dataset("tree_cycles")
    with pytest.raises(UserError, match="Did you mean tree_grid"):
        load_dataset("tree_gird")
    with pytest.raises(UserError, match="Choose one of: ba_shapes"):
        load_dataset("<b>nothing</b>")


def test_generated_data_sets_name_their_instances_by_number() -> None:
    for dataset in ("ba_shapes", "ba_community", "tree_cycles", "tree_grid", "ba_2motifs"):
        source = source_of(dataset, "index")
        assert list(sources_of(dataset).values()) == [source]
        assert isinstance(source, Numbered)
        assert source.checked(" 007 ") == "7"
        instance = source.instance("7", hops=2)
        assert (instance.index, instance.info) == (7, DATASETS[dataset])
        assert instance.hops.max() <= 2
        assert int(source.first) in source.dataset().explainable
    for name in ("", "-1", "x", "1e3", "9" * 12, "½"):
        with pytest.raises(UserError, match="is not a number of a node or graph"):
            source.checked(name)


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
