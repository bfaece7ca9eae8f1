"""How long an explanation takes and where its time goes, and what large graphs cost."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.stopwatch import median, peak_memory, timed
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.datasets.synthetic import random_graph
from gfx_core.device import seeded
from gfx_core.explainers import record as recording
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.paths import policy_path
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.layout import instance_layout

INFERENCE_NODES = 10  # K_M of the explanations
HUB = 100_000  # its neighbours
EXPLAINED = {"ba_shapes": (0.0, 0.5, 1.0), "tree_cycles": (0.5, 1.0), "ba_2motifs": (0.5,)}
"""Which instances of a data set are explained, all being ordered by size: 0 is the smallest, 1 the largest."""


def explanations(cell: Cell) -> list[dict[str, Any]]:
    """Explanations on a data set, in a random graph of so many nodes, or at the centre of a hub.

    Options: ``device``, ``repeats``; ``shrink``, how many times smaller large graphs are than their name says;
    ``bound``, the most nodes of an instance; ``aside``, a process of their own, where nothing else has used memory.
    """
    repeats, device, shrink = cell.options["repeats"], cell.device, cell.options["shrink"]
    if cell.dataset.startswith("random_"):
        return [random_graph_cost(int(cell.dataset.split("_")[1]) // shrink, repeats, device)]
    if cell.dataset == "hub":
        return [hub_cost(HUB // shrink, cell.options["bound"], repeats, device)]
    return explanation_times(cell.dataset, repeats, device)


def explanation_times(name: str, repeats: int, device: str) -> list[dict[str, Any]]:
    """One explanation, from cutting the instance out to the finished trace, and where its time goes."""
    dataset, model = load_dataset(name), load_model(name).to(device)
    explainer = GFlowExplainer.load(policy_path(name), device=device)
    size = np.array([dataset.instance(int(index), hops=model.hops).num_nodes for index in dataset.explainable])
    by_size = dataset.explainable[np.argsort(size, kind="stable")]
    chosen = [int(by_size[round(place * (len(by_size) - 1))]) for place in EXPLAINED[name]]
    ways = {index: partial(dataset.instance, index, hops=model.hops) for index in chosen}
    return [
        {"dataset": name, "index": index, "policy": "shipped"} | _explanation(explainer, model, way, repeats, device)
        for index, way in ways.items()
    ]


def built_graph(num_nodes: int) -> GraphDataset:
    """A random graph with everything in place to cut instances out of it."""
    dataset = random_graph(num_nodes)
    dataset.indptr  # noqa: B018  (built when it is first asked for)
    return dataset


def random_graph_cost(num_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """Time and memory of explaining nodes of a large random graph, its building apart."""
    build, dataset = timed(lambda: built_graph(num_nodes))
    chosen = np.random.RandomState(1).randint(0, num_nodes, size=99)
    size = [dataset.instance(int(index)).num_nodes for index in chosen]
    index = int(
        chosen[np.argsort(size, kind="stable")[len(size) // 2]]
    )  # the median one: what is compared is the graph around it
    cost = _untrained(partial(dataset.instance, index), repeats, device)
    return {"nodes": num_nodes, "edges": dataset.num_edges, "build_s": build} | cost


def hub_cost(neighbours: int, bound: int, repeats: int, device: str) -> dict[str, Any]:
    """Time and memory of explaining a node with very many neighbours, some of them joined to each other."""
    spokes = np.stack([np.zeros(neighbours, np.int64), np.arange(1, neighbours + 1)])
    others = np.random.RandomState(0).randint(1, neighbours + 1, size=(2, neighbours))
    x, y = np.ones((neighbours + 1, 1), dtype=np.float32), np.zeros(neighbours + 1, dtype=np.int64)
    dataset = GraphDataset.from_edges(DatasetInfo("hub", Task.NODE), x, np.concatenate([spokes, others], axis=1), y)
    cost = _untrained(partial(dataset.instance, 0, max_nodes=bound), repeats, device)
    return {"neighbours": neighbours, "bound": bound} | cost


def _untrained(cut_out: Callable[[], Instance], repeats: int, device: str) -> dict[str, Any]:
    """Explain one node by an untrained policy for an untrained GNN: they cost what trained ones do."""
    with seeded(0):
        model = GNN(Task.NODE, "sum", 1, 2).eval().to(device)
    explainer = GFlowExplainer(replace(policy_config("ba_shapes"), max_nodes=INFERENCE_NODES), device=device)
    some = SubgraphPredictor(model, [random_graph(20).instance(0)], device)
    explainer.trained = TrainedPolicy.of(Trainer(some, explainer.config))
    peak = peak_memory(lambda: explainer.trace(model, cut_out()), device)
    return {"peak_bytes": peak} | _explanation(explainer, model, cut_out, repeats, device)


def _explanation(
    explainer: GFlowExplainer, model: GNN, cut_out: Callable[[], Instance], repeats: int, device: str
) -> dict[str, Any]:
    """How long an explanation takes as a whole, and each of its parts by itself."""
    instance = cut_out()
    predictor = SubgraphPredictor(model, [instance], device)
    assert explainer.trained is not None
    config = explainer.trained.config
    generator = SubgraphSampler(explainer.trained, predictor, instance)
    drawn = generator.draw(explainer.samples, explainer.seed)
    parts: dict[str, Callable[[], object]] = {
        "cut_out": cut_out,
        "gnn_on_instance": lambda: SubgraphPredictor(model, [instance], device).whole,
        "flow_graphs": lambda: FlowGraphs(predictor, config.policy),
        "sampling": lambda: generator.draw(explainer.samples, explainer.seed),
        "full_detail": lambda: recording.steps_along(generator, drawn.start, drawn.orders[0]),
        "enumeration": lambda: recording._enumerate(generator, drawn.start),
        "layout": lambda: instance_layout(instance),
    }
    if instance.target is None:
        parts["sampling_all_starts"] = lambda: generator.draw_anywhere(explainer.samples, explainer.seed)
    seconds = median(lambda: explainer.trace(model, cut_out()), repeats, device)
    trace = explainer.trace(model, instance)
    spent = {name: median(work, repeats, device) for name, work in parts.items()}
    return {
        "instance_nodes": len(trace.nodes),
        "instance_edges": len(trace.edges),
        "left_out": trace.left_out,
        "steps": len(trace.steps),
        "states_enumerated": trace.num_states_exact,
        "samples": explainer.samples,
        "max_nodes": config.max_nodes,
        "seconds": seconds,
        "parts": spent | {"rest": max(0.0, seconds - sum(spent.values()))},
    }
