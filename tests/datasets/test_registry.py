"""The list of data sets."""

import pytest

from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS, dataset_info, load_dataset
from gfx_core.errors import UserError


def test_all_seven_are_there_and_describe_themselves() -> None:
    names = ["ba_shapes", "ba_community", "tree_cycles", "tree_grid", "ba_2motifs", "mutagenicity", "graph_sst2"]
    assert list(DATASETS) == names
    for info in DATASETS.values():
        assert info.description.endswith((".", "?"))
        assert info.knows_reasons == (info.name != "graph_sst2")
        assert info.citation
        for motif in info.motifs:
            assert {node for edge in motif.edges for node in edge} == set(range(motif.num_nodes))
            assert all(0 <= value <= 1 for position in motif.positions for value in position)


@pytest.mark.parametrize("name", [name for name in DATASETS if name not in ("mutagenicity", "graph_sst2")])
def test_what_is_loaded_is_what_is_said(name: str) -> None:
    info, dataset = DATASETS[name], load_dataset(name)
    assert dataset.name == name
    assert dataset.task is info.task
    assert dataset.num_classes == len(info.classes)
    assert len(dataset.explainable) > 0
    if info.task is Task.NODE:
        assert len(dataset.benchmark) == dataset.statistics["motifs"]
    else:
        assert (dataset.benchmark == dataset.explainable).all()


def test_titles_work_as_names() -> None:
    assert dataset_info("BA-Shapes").name == "ba_shapes"
    assert load_dataset("Tree-Cycles") is load_dataset("tree_cycles")


def test_unknown_name_gets_a_hint() -> None:
    with pytest.raises(UserError, match="Did you mean tree_grid"):
        load_dataset("tree_gird")
    with pytest.raises(UserError, match="Choose one of: ba_shapes"):
        load_dataset("<b>nothing</b>")
