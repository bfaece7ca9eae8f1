"""Cutting out an instance: its time must not depend on the size of the graph it is cut from."""

import time
from typing import Any

import numpy as np

from gfx_core.bench.record import made_with
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset


def random_graph(num_nodes: int, seed: int = 0, degree: int = 10) -> GraphDataset:
    """A graph with uniformly random edges: every part of it looks the same, whatever its size."""
    edges = np.random.RandomState(seed).randint(0, num_nodes, size=(2, num_nodes * degree // 2))
    x, y = np.ones((num_nodes, 1), dtype=np.float32), np.zeros(num_nodes, dtype=np.int64)
    return GraphDataset.from_edges("random", Task.NODE, x, edges, y)


def run(device: str = "cpu", sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000), cuts: int = 200) -> dict[str, Any]:
    """Time instances of 2 and 3 hops in random graphs of several sizes with 10 links a node."""
    rows = []
    for num_nodes in sizes:
        started = time.perf_counter()
        dataset = random_graph(num_nodes)
        dataset.indptr  # noqa: B018  (built once, outside the timing)
        build = time.perf_counter() - started
        row: dict[str, Any] = {"nodes": num_nodes, "edges": dataset.num_edges, "build_s": build}
        for hops in (2, 3):
            chosen = np.random.RandomState(1).randint(0, num_nodes, size=cuts)
            times, found = [], []
            for node in chosen:
                started = time.perf_counter()
                instance = dataset.instance(int(node), hops=hops)
                times.append(time.perf_counter() - started)
                found.append(instance.num_nodes)
            row |= {f"ms_{hops}hop": 1e3 * float(np.median(times)), f"nodes_{hops}hop": float(np.mean(found))}
        rows.append(row)
    return {"rows": rows} | made_with("cpu")


def table(record: dict[str, Any]) -> str:
    """The record for people."""
    lines = [f"{'nodes':>10} {'edges':>10} {'build s':>8} {'2-hop ms':>9} {'nodes':>6} {'3-hop ms':>9} {'nodes':>6}"]
    lines += [
        f"{r['nodes']:>10,} {r['edges']:>10,} {r['build_s']:>8.2f} {r['ms_2hop']:>9.3f} {r['nodes_2hop']:>6.0f} "
        f"{r['ms_3hop']:>9.3f} {r['nodes_3hop']:>6.0f}"
        for r in record["rows"]
    ]
    return "\n".join(lines)
