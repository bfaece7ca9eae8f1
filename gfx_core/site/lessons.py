"""What is done in each lesson of the site. Small graphs are exact; GNNs were asked about every subgraph beforehand."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import networkx as nx
import numpy as np

from gfx_core.datasets.instance import Instance
from gfx_core.drawing.pictures import form_picture
from gfx_core.drawing.state_graph import DagNumbers, dag_picture
from gfx_core.explanation.rules import Form
from gfx_core.layout.instances import instance_layout
from gfx_core.layout.stress import Points
from gfx_core.site.markup import data, plain, rich, view
from gfx_core.teaching import hidden_gnns, questions
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.glossary import find
from gfx_core.teaching.lab_graphs import PUZZLES, Edge, Puzzle, check_picks, node_roles, removable, ring_with_a_tail
from gfx_core.teaching.practice import Practice, final_states, ground, most_wrong, solve_flows
from gfx_core.teaching.sequences import draw, draws_words, sequence_data
from gfx_core.text.names import shape_name
from gfx_core.text.numbers import percent
from gfx_core.training.recording import Recording

GOAL, WANTED, BALANCED = "acd", "abcd", "abc"
"""The states that lessons 1, 2 and 4 are about."""
MOST_FLOW, FLOW_STEP = 12.0, 0.5
NODE = known.INDICES[0]
"""The node of Tree-Cycles that lesson 6 asks about, here as in the explorer."""
RING = 6
HIDDEN = "A"
LOSSES = ("flow matching", "detailed balance", "trajectory balance", "sub-trajectory balance")
_STATES = '<div data-part="states"><div class="kit state-graph"></div></div>'
_GRAPH = '<div class="kit player graph-view"></div>'
_STOPS = '<div data-part="stops"><div class="kit stops"></div></div>'
"""What views of the explorer expect to stand in."""


def _buttons(**labels: str) -> str:
    made = (f'<button type="button" class="button" data-do="{name}">{label}</button>' for name, label in labels.items())
    return f'<div class="buttons">{"".join(made)}</div>'


def _graph_data(points: Points, names: Sequence[str], edges: Sequence[Edge], height: int) -> dict[str, Any]:
    """What the small graph whose nodes are buttons draws."""
    nodes = [
        {"id": node, "x": round(float(x), 3), "y": round(float(y), 3), "label": names[node], "tip": ""}
        for node, (x, y) in enumerate(points)
    ]
    drawn = {"hulls": {}, "highlighted": [], "edits": False, "bare": False, "height": height}
    return {"nodes": nodes, "edges": edges, "description": "A graph", "clickable": [], **drawn}


def _instance_data(instance: Instance, height: int) -> dict[str, Any]:
    names = [instance.node_label(node) for node in range(instance.num_nodes)]
    edges = [(int(a), int(b)) for a, b in instance.edge_index[:, instance.undirected].T]
    return _graph_data(instance_layout(instance), names, edges, height)


def water() -> str:
    """Lesson 1: the state graph with a slider for each reward, and the table of where walks stop."""
    toy = ground(Practice.TOY)
    flows = solve_flows(toy.dag, toy.reward)
    picture = dag_picture(toy.dag, toy.instance, DagNumbers(flows.log_edge, flows.stop, flows.target, flows.reward))
    value = {"picture": asdict(picture), "reward": toy.reward.tolist(), "most": MOST_FLOW, "goal": GOAL}
    beside = f'<p data-part="reached"></p>{_buttons(double="Double all", halve="Halve all", reset="Reset")}'
    inside = f'<div class="two">{_STATES}<div>{_STOPS}{beside}</div></div><p data-part="balance"></p>'
    return view("water", value | {"chosen": toy.names.index("acd")}, inside)


def orders() -> str:
    """Lesson 2: a graph to click, and the state graph that follows."""
    toy = ground(Practice.TOY)
    value = {
        "graph": _instance_data(toy.instance, 250),
        "picture": asdict(dag_picture(toy.dag, toy.instance)),
        "goal": toy.read_nodes(WANTED),
        "ways": len(toy.tree.orders_of(toy.names.index(WANTED))),
    }
    clicked = f'<div><div data-part="nodes">{_GRAPH}</div>{_buttons(again="Start again", back="Step back")}</div>'
    return view("orders", value, f'<div class="two even">{clicked}{_STATES}</div><p data-part="way"></p>')


def sequences() -> str:
    """Lesson 3: 20,000 samples from the tree and from the DAG."""
    toy = ground(Practice.TOY)
    reward = np.ones(toy.dag.num_states)
    views, words = [], []
    for merged in (False, True):
        drawn = draw(toy.dag, toy.tree, reward, batches=20, merged=merged, seed=0)
        views.append(sequence_data(toy.instance, toy.dag, toy.tree, drawn, merged=merged))
        words.append(plain(draws_words(drawn, toy.names, reward, merged=merged)))
    inside = '<div data-part="view"><div class="kit sequences"></div></div><p data-part="said"></p>'
    return view("sequences", {"views": views, "words": words}, _buttons(merge="Merge equal sets") + inside)


def by_hand() -> str:
    """Lesson 4: one state whose flows are set by hand."""
    toy = ground(Practice.TOY)
    state = toy.names.index(BALANCED)
    value = {
        "state": BALANCED,
        "parents": [toy.names[parent] for parent in toy.dag.parent[toy.dag.child == state]],
        "children": [toy.names[child] for child in toy.dag.child[toy.dag.parent == state]],
        "reward": float(toy.reward[state]),
        "flows": [1.0, 1.0, 2.0],
        "most": MOST_FLOW,
        "step": FLOW_STEP,
        "fixed": False,
    }
    return view("hand", value, '<div class="kit hand"></div>')


def puzzles() -> str:
    """Lesson 5: sets in small graphs; which nodes may be removed?"""
    inside = f'<div class="two even"><div data-part="graph">{_GRAPH}</div><div><p data-part="hint"></p>'
    inside += f'{_buttons(check="Check", another="Another state")}<ul data-part="answers"></ul></div></div>'
    return view("puzzles", list(map(_puzzle, PUZZLES)), inside)


def _puzzle(puzzle: Puzzle) -> dict[str, Any]:
    graph, every = puzzle.graph, set(puzzle.order)
    view = _graph_data(graph.points, graph.names, graph.edges, 330) | {"clickable": sorted(every)}
    for node in view["nodes"]:
        node["roles"] = node_roles(puzzle, node["id"], (), None)
    return {
        "words": puzzle.hint,
        "view": view,
        "removable": sorted(removable(graph, puzzle.order, puzzle.start)),
        "reasons": check_picks(puzzle, every).reasons,
    }


@cache
def _answers() -> known.SubgraphAnswers:
    """What the GNN predicts for every subgraph of the node of lesson 6."""
    from gfx_core.job_context import JobContext
    from gfx_core.teaching.lesson_jobs import ask_all

    return ask_all(JobContext(), index=NODE)["sum"]


def rewards() -> str:
    """Lesson 6: click a subgraph together; the GNN was asked about each."""
    answers, instance, dag = _answers(), known.real_instance(NODE), known.real_states(NODE)
    assert instance.target is not None
    keys = (",".join(str(node) for node in sorted(subset) if node >= 0) for subset in dag.subsets.tolist())
    value = {
        "graph": _instance_data(instance, 330),
        "start": instance.target,
        "predicted": known.CLASS_NAMES[answers.explained],
        "best": sorted(known.Weighing(NODE).best_sets(answers)[0]),
        "sets": {key: round(cost, 5) for key, cost in zip(keys, answers.cross_entropy.tolist(), strict=True)},
    }
    inside = f'<div class="two even"><div data-part="nodes">{_GRAPH}</div><div><p data-part="says" class="lead"></p>'
    inside += f"{_buttons(best='Show the best', again='Start again')}</div></div>"
    return view("rewards", value, inside)


def four_losses() -> str:
    """Lesson 7: the four ways, in the glossary's words."""
    found = [entry for entry in map(find, LOSSES) if entry is not None]
    cards = (f"<article><h3>{rich(each.name)}</h3><p>{rich(each.meaning)}</p></article>" for each in found)
    return f'<div class="entries">{"".join(cards)}</div>'


def hidden_gnn() -> str:
    """Lesson 9: what a hidden GNN predicts for some graphs."""
    graphs = [nx.path_graph(4), nx.cycle_graph(4), nx.star_graph(3), nx.star_graph(4), nx.cycle_graph(6)]
    graphs += [nx.path_graph(6), nx.complete_graph(4), nx.wheel_graph(5)]
    cards = []
    for graph, share in zip(graphs, hidden_gnns.probabilities(HIDDEN, graphs), strict=True):
        kind = shape_name(graph).text
        form = Form((), tuple((min(edge), max(edge)) for edge in graph.edges), (), ())
        picture = form_picture(form, kind).svg()
        answer = f"{'Yes' if share > 0.5 else 'No'} ({percent(max(share, 1 - share))})"
        cards.append(f'<div class="card">{picture}<strong>{answer}</strong><span>{rich(kind)}</span></div>')
    return f'<div class="cards small">{"".join(cards)}</div>'


DRAWN: dict[int, Callable[[], str]] = {
    1: water,
    2: orders,
    3: sequences,
    4: by_hand,
    5: puzzles,
    6: rewards,
    7: four_losses,
    9: hidden_gnn,
}
"""What each lesson draws besides recorded trainings, by its number."""
RECORDED = {
    4: {"epsilon": "Let it learn: it fails without random steps, and learns with some"},
    7: {"tb": "One start node: both learn the same flows (the question is about two)"},
    8: {"orders": "Two policies, one clock"},
}
"""Recorded trainings that lessons show, by the names of their stories, with a heading each."""
PARTLY, HALF, SEEN = (6, 7, 9), (4, 6), (7, 9)
"""The lessons that need the explorer for a part of them, those whose task can be begun here, and not be done at all."""


def question(number: int, orders_recording: Recording) -> str:
    """The question of a lesson; every answer is told why it is right or wrong."""
    states = final_states(orders_recording)
    worst = states[most_wrong(states, 1)]
    item = {
        1: questions.about_scaling,
        2: lambda: questions.about_orders(WANTED),
        3: questions.about_copies,
        4: questions.about_exploring,
        5: lambda: questions.about_a_ring(RING, ring_with_a_tail(RING)),
        6: lambda: questions.about_the_best(NODE, _answers()),
        7: questions.about_one_log_z,
        8: lambda: questions.about_the_last_step(worst.name, worst.orders),
        9: lambda: questions.about_the_rule(HIDDEN),
    }[number]()
    replies = [plain(item.say(answer)) for answer in range(len(item.options) or questions.NUMBERS)]
    options = "".join(
        f'<label><input type="radio" name="answer" value="{at}">{rich(option)}</label>'
        for at, option in enumerate(item.options)
    )
    field = options or '<input type="number" min="0" step="1" aria-label="Your answer" placeholder="a number">'
    return (
        f'<fieldset class="question"><legend><b>Question.</b> {rich(item.text)}</legend>{field}<output></output>'
        f"</fieldset>{data({'right': item.right, 'replies': replies})}"
    )
