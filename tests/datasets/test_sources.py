"""The list of data sets, where their instances come from, and how one is named."""

import pytest

from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import DATASETS, listed, load_dataset, source_of, sources_of
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
    for name, hint in (("tree_gird", "Did you mean tree_grid"), ("<b>nothing</b>", "Choose one of: ba_shapes")):
        with pytest.raises(UserError, match=hint):
            load_dataset(name)


def test_instances_are_named_by_number_compound_or_smiles() -> None:
    for dataset in ("ba_shapes", "ba_community", "tree_cycles", "tree_grid", "ba_2motifs"):
        (source,) = sources_of(dataset).values()
        assert source.checked(" 007 ") == "7"
        instance = source.instance("7", hops=2)
        assert (instance.index, instance.info) == (7, DATASETS[dataset])
        assert instance.hops.max() <= 2
        assert int(source.first) in load_dataset(dataset).explainable
    for name in ("", "-1", "x", "1e3", "9" * 12, "½"):
        with pytest.raises(UserError, match="is not a number of a node or graph"):
            source.checked(name)
    _, compounds, smiles = sources_of("mutagenicity").values()
    assert (compounds.checked("tnt"), compounds.called("TNT")) == ("TNT", "tnt")
    assert smiles.instance(compounds.typed("TNT")).num_nodes == molecule(COMPOUNDS["TNT"]).num_nodes
    with pytest.raises(UserError, match="“Unobtainium” is not among the compounds"):
        compounds.checked("Unobtainium")
    for dataset, kind in (("tree_grid", "smiles"), ("mutagenicity", "letter")):
        with pytest.raises(UserError, match=f"has no instances by {kind}: name one by index"):
            source_of(dataset, kind)
