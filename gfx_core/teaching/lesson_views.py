"""Lessons that need no server: what their views of ``assets/lessons`` draw, in the explorer and on the site."""

from dataclasses import asdict
from functools import cache
from typing import Any
from urllib.parse import urlencode

import numpy as np

from gfx_core.config import read_content
from gfx_core.drawing.state_graph import dag_picture
from gfx_core.drawing.templates import render
from gfx_core.teaching.known_subgraphs import (
    CLASS_NAMES,
    SubgraphAnswers,
    Weighing,
    nodes_of,
    real_instance,
    real_states,
)
from gfx_core.teaching.lab_graphs import GraphKind, LabGraph, cut_off, flip_edges, graph_of, lab_graph
from gfx_core.teaching.practice import toy_ground

WANTED = "abcd"
"""The set that lesson 2 builds twice."""
BALANCED = "abc"
"""The state that lesson 4 balances."""
PUZZLES = read_content("puzzles")["puzzle"]


def graph_data(graph: LabGraph) -> dict[str, Any]:
    """A graph whose nodes are buttons."""
    points = zip(graph.points.round(3).tolist(), graph.names, strict=True)
    nodes = [{"id": node, "x": x, "y": y, "label": name, "tip": ""} for node, ((x, y), name) in enumerate(points)]
    return {"nodes": nodes, "edges": graph.edges}


def water() -> dict[str, Any]:
    """Lesson 1: the state graph with a slider for each reward, and the table of where walks stop."""
    toy = toy_ground()
    picture = asdict(dag_picture(toy.dag, toy.instance))
    return {"picture": picture, "reward": toy.reward.tolist(), "most": 12.0, "goal": "acd", "wanted": 0.25}


def orders() -> dict[str, Any]:
    """Lesson 2: a graph to click, and the state graph that follows."""
    toy = toy_ground()
    ways = len(toy.orders_of(toy.names.index(WANTED)))
    picture = asdict(dag_picture(toy.dag, toy.instance))
    return {**graph_data(graph_of(toy.instance)), "picture": picture, "goal": toy.nodes_of(WANTED), "ways": ways}


def sequences() -> dict[str, Any]:
    """Lesson 3: the tree of all orders, and the DAG of sets."""
    toy = toy_ground()
    names = ["".join(map(toy.instance.node_label, order.nodes)) for order in toy.orders]
    tree = [{"name": name, "state": at.state, "parent": at.parent} for name, at in zip(names, toy.orders, strict=True)]
    return {
        "sequences": tree,
        "states": [{"name": name} for name in toy.names],
        "steps": np.stack([toy.dag.parent, toy.dag.child], axis=1).tolist(),
        "orders": np.bincount([order.state for order in toy.orders]).tolist(),
        "rewards": {"equal": [1.0] * toy.dag.num_states, "toy": toy.reward.tolist()},
    }


def balance() -> dict[str, Any]:
    """Lesson 4: one state whose flows are set by hand."""
    toy = toy_ground()
    state = toy.names.index(BALANCED)
    return {
        "state": BALANCED,
        "parents": [toy.names[parent] for parent in toy.dag.parent[toy.dag.child == state]],
        "children": [toy.names[child] for child in toy.dag.child[toy.dag.parent == state]],
        "reward": float(toy.reward[state]),
        "flows": (1.0, 1.0, 2.0),
        "most": 12.0,
        "step": 0.5,
    }


def puzzles() -> dict[str, Any]:
    """Lesson 5: sets in small graphs; of each node, what it would cut off."""
    return {"puzzles": [_puzzle(**puzzle) for puzzle in PUZZLES]}


def _puzzle(hint: str, graph: str, size: int, order: list[int], seed: int = 0, flips: Any = ()) -> dict[str, Any]:
    lab = flip_edges(lab_graph(GraphKind(graph), size, seed), flips)
    lost = {node: cut_off(lab, order, order[0], node) if node != order[0] else [] for node in order}
    link = {"graph": graph, "size": size, "seed": seed, "order": ".".join(map(str, order)), "step": len(order) - 1}
    if flips:
        link["edit"] = ".".join(f"{a}-{b}" for a, b in flips)
    return {**graph_data(lab), "words": hint, "start": order[0], "lost": lost, "link": urlencode(link)}


def rewards(table: SubgraphAnswers) -> dict[str, Any]:
    """Lesson 6: click a subgraph together; these are a GNN's predictions for all of them."""
    dag = real_states()
    keys = (",".join(str(node) for node in sorted(subset) if node >= 0) for subset in dag.subsets.tolist())
    return {
        **common_data(),
        **graph_data(graph_of(real_instance())),
        "start": dag.start,
        "predicted": CLASS_NAMES[table.explained],
        "best": sorted(nodes_of(int(Weighing().best(table)[0]))),
        "sets": dict(zip(keys, table.cross_entropy.round(5).tolist(), strict=True)),
    }


VIEWS = {"water": water, "orders": orders, "sequences": sequences, "hand": balance, "puzzles": puzzles}


def common_data() -> dict[str, Any]:
    """What every view is given, as on the site: all controls are there, and nothing of the explorer."""
    return {"roles": render("pages/roles.css", scope="kit"), "fixed": False, "explorer": False}


@cache
def view_data(view: str) -> dict[str, Any]:
    """What a view draws."""
    return {**common_data(), **VIEWS[view]()}
