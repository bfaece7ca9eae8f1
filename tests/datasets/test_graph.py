"""GraphDataset puts any list of edges in order; instances are exactly what the GNN sees; the halves of all."""

import networkx as nx
import numpy as np
import pytest

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Half, half_of
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import DATASETS, listed, load_dataset, source_of, sources_of
from gfx_core.errors import UserError
from tests.toys.instances import dataset_of

MUTAGEN = 0


def build(edges: list[tuple[int, int]], num_nodes: int = 4, **options: object) -> GraphDataset:
    x = np.ones((num_nodes, 2), dtype=np.float32)
    y = np.zeros(num_nodes, dtype=np.int64)
    edge_index = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return GraphDataset.from_edges(DatasetInfo("toy", Task.NODE), x, edge_index, y, **options)  # type: ignore[arg-type]


def test_self_loops_duplicates_and_directions_are_put_in_order() -> None:
    edge_motif = np.array([-1, 5, 7, -1, -1])
    dataset = build([(3, 1), (1, 0), (0, 1), (2, 2), (1, 3)], edge_motif=edge_motif)
    assert dataset.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 3], [3, 1]]
    assert dataset.edge_motif.tolist() == [7, 7, -1, -1]
    neighbours = [dataset.edge_index[1, dataset.indptr[v] : dataset.indptr[v + 1]].tolist() for v in range(4)]
    assert neighbours == [[1], [0, 3], [], [1]]
    assert (dataset.num_edges, dataset.instance(2).num_nodes) == (2, 1)
    assert build([], num_nodes=2).num_edges == 0


def test_what_is_no_graph() -> None:
    for edge in ((0, 4), (-1, 2)):
        with pytest.raises(UserError, match="outside 0 … 3"):
            build([edge])
    for index in (-1, 1000, 10**9):
        with pytest.raises(UserError, match="choose one from 0 to 999"):
            load_dataset("ba_2motifs").instance(index)
    x = np.array([[1.0], [np.nan]], dtype=np.float32)
    with pytest.raises(UserError, match="NaN"):
        GraphDataset.from_edges(DatasetInfo("toy", Task.NODE), x, np.array([[0], [1]]), np.zeros(2, dtype=np.int64))


def test_to_pyg_gives_each_graph_its_own_numbers() -> None:
    x = np.arange(5, dtype=np.float32)[:, None]
    edges, ptr = np.array([[0, 2, 3], [1, 3, 4]]), np.array([0, 2, 5])
    dataset = GraphDataset.from_edges(DatasetInfo("toy", Task.GRAPH), x, edges, np.array([0, 1]), ptr=ptr)
    one, two = dataset.to_pyg()
    assert one.edge_index.tolist() == [[0, 1], [1, 0]]
    assert two.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert (two.x.flatten().tolist(), two.y.tolist()) == ([2, 3, 4], [1])


def test_the_halves_are_the_two_parts_of_one_shuffle() -> None:
    known = load_dataset("tree_grid").explainable
    tuning, reporting = half_of(known, "tuning"), half_of(known)
    assert set(tuning) == set(np.random.RandomState(0).permutation(known)[: len(known) // 2])
    assert not set(tuning) & set(reporting)
    assert sorted([*tuning, *reporting]) == known.tolist()
    assert [len(half_of(np.arange(5), half)) for half in Half] == [3, 2]  # an odd one is reported


@pytest.mark.parametrize("name", ["ba_shapes", "ba_community", "tree_cycles", "tree_grid"])
def test_node_instance_against_networkx(name: str) -> None:
    dataset = load_dataset(name)
    graph = nx.Graph(dataset.edge_index.T.tolist())
    for index in np.random.RandomState(0).permutation(dataset.num_nodes)[:30]:
        instance = dataset.instance(int(index))
        distance = nx.single_source_shortest_path_length(graph, int(index), cutoff=3)
        assert instance.nodes[instance.target] == index
        assert dict(zip(instance.nodes.tolist(), instance.hops.tolist(), strict=True)) == distance
        expected = {tuple(sorted(edge)) for edge in graph.subgraph(distance).edges}
        local = instance.nodes[instance.edge_index]
        assert {tuple(sorted(edge)) for edge in local.T.tolist()} == expected
        assert len(local.T) == 2 * len(expected)
        assert (instance.x == dataset.x[instance.nodes]).all()
        keys = instance.edge_index[0] * instance.num_nodes + instance.edge_index[1]
        assert (np.diff(keys) > 0).all()


def test_ground_truth_travels_along() -> None:
    dataset = load_dataset("ba_shapes")
    instance = dataset.instance(int(dataset.explainable[0]))
    own = instance.nodes[instance.edge_index[:, instance.own_edges]]
    assert own.shape[1] == 12  # six edges, both directions
    assert (dataset.motif[own] == dataset.motif[instance.index]).all()
    assert instance.own_nodes.sum() == 5
    assert (instance.all_edges | ~instance.own_edges).all()
    base = dataset.instance(0)
    assert not base.own_edges.any() | base.own_nodes.any()


def test_a_hub_is_bounded_and_says_so() -> None:
    dataset = dataset_of(nx.star_graph(10_000))
    hub, leaf = dataset.instance(0), dataset.instance(5)
    assert (hub.num_nodes, hub.left_out) == (2048, 10_001 - 2048)
    assert (leaf.num_nodes, leaf.left_out, leaf.nodes[0]) == (2048, 10_001 - 2048, 5)
    assert hub.edge_index.shape[1] == 2 * 2047


@pytest.mark.parametrize(
    ("dataset", "index", "predicted", "known"),
    [
        ("tree_cycles", 600, 1, True),
        ("tree_cycles", 600, 0, False),  # a GNN that says "tree" of a node on a cycle
        ("tree_cycles", 3, 1, False),  # a node of the tree
        ("ba_shapes", 301, 3, False),  # another place in the house
        ("ba_community", 1011, 4, False),
        ("ba_community", 1011, 5, True),
        ("ba_2motifs", 0, 1, False),  # a house that is taken for a cycle
    ],
)
def test_whether_a_true_reason_is_known(dataset: str, index: int, predicted: int, known: bool) -> None:
    assert load_dataset(dataset).instance(index).has_reason(predicted) == known


def test_reasons_of_molecules(mutagenicity_root: object) -> None:
    dataset = load_dataset("mutagenicity")
    instance = dataset.instance(int(dataset.explainable[0]))
    assert instance.has_reason(MUTAGEN)
    assert not instance.has_reason(1 - MUTAGEN)
    typed = molecule("[O-][N+](=O)c1ccccc1")  # its true class is not known
    assert typed.own_edges.any()
    assert not typed.has_reason(MUTAGEN)
    marked = (int(graph) for graph in np.flatnonzero(dataset.y != MUTAGEN) if dataset.instance(graph).own_edges.any())
    harmless = next(marked)
    assert harmless not in dataset.explainable
    assert not any(dataset.instance(harmless).has_reason(said) for said in (0, 1))


# The list of data sets, and names of instances


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
    assert smiles.instance(COMPOUNDS["TNT"]).num_nodes == molecule(COMPOUNDS["TNT"]).num_nodes
    with pytest.raises(UserError, match="“Unobtainium” is not among the compounds"):
        compounds.checked("Unobtainium")
    for dataset, kind in (("tree_grid", "smiles"), ("mutagenicity", "letter")):
        with pytest.raises(UserError, match=f"has no instances by {kind}: name one by index"):
            source_of(dataset, kind)
