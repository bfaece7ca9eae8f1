"""The benchmark of the cut vertices."""

import itertools
import json
import random

import networkx as nx
import pytest

from gfx_core.bench import cut_vertices as bench
from tests.gfn.growing import FAMILIES


def test_benchmark_record_table_and_figure() -> None:
    heard: list[float] = []
    record = bench.run(sizes=(4, 9), batch_sizes=(1, 3), progress=lambda share, _: heard.append(share))
    assert json.loads(json.dumps(record)) == record
    assert len(record["results"]) == 2 * 2 * len(bench.METHODS)
    assert all(row["seconds"] > 0 for row in record["results"])
    assert heard[0] == 0
    assert heard[-1] == 1
    assert len(bench.table(record).splitlines()) == 2 + 4
    figure = bench.figure(record)
    assert len(figure.data) == 2 * len(bench.METHODS)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"


def test_benchmark_tarjan_agrees_with_networkx() -> None:
    rng = random.Random(1)
    for family, _ in itertools.product(FAMILIES.values(), range(20)):
        graph = nx.convert_node_labels_to_integers(family(rng))
        neighbours = [list(graph[node]) for node in range(graph.number_of_nodes())]
        assert bench.tarjan_cut_vertices(neighbours) == set(nx.articulation_points(graph))


def test_benchmark_refuses_impossible_settings() -> None:
    with pytest.raises(ValueError, match=r"sizes .*got \[1\]"):
        bench.run(sizes=(1,))
    with pytest.raises(ValueError, match=r"batch_sizes .*got \[0\]"):
        bench.run(batch_sizes=(0,))
