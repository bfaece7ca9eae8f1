"""What is on each lesson's page. Small graphs are exact; predictions of all subgraphs were computed beforehand."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import networkx as nx
import numpy as np

from gfx_core.config import ASSETS
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.pictures import form_picture
from gfx_core.drawing.state_graph import DagNumbers, dag_picture
from gfx_core.explanation.rules import Form
from gfx_core.layout.instances import instance_layout
from gfx_core.layout.stress import Points
from gfx_core.site.markup import first_sentence, plain
from gfx_core.teaching import hidden_gnns, questions
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.glossary import find
from gfx_core.teaching.lab_graphs import PUZZLES, Edge, check_picks, node_roles, removable, ring_with_a_tail
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import Practice, final_states, ground, most_wrong, solve_flows
from gfx_core.teaching.sequences import draw, draws_words, sequence_data
from gfx_core.text.names import shape_name
from gfx_core.text.numbers import percent
from gfx_core.training.recording import read
from gfx_core.training.training import STORIES

GOAL, WANTED, BALANCED = "acd", "abcd", "abc"
"""The states that lessons 1, 2 and 4 are about."""
MOST_FLOW, FLOW_STEP = 12.0, 0.5
NODE = known.INDICES[0]
"""The node of Tree-Cycles that lesson 6 asks about, here as in the explorer."""
RING = 6
HIDDEN = "A"
LOSSES = ("flow matching", "detailed balance", "trajectory balance", "sub-trajectory balance")


def lesson_values(number: int, trainings: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a lesson's template.

    Args:
        number: Of the lesson.
        trainings: The views of recorded trainings, by the names of their stories.
    """
    content = tomllib.loads((ASSETS / "site" / "lessons.toml").read_text(encoding="utf-8"))[str(number)]
    text, todo = LESSONS[number], content.get("todo", "all")
    task = text["task"].splitlines()[0]  # of the first part
    question = _QUESTIONS[number]()
    answers = range(len(question.options) or questions.NUMBERS)
    return {
        "number": number,
        "task": {"all": task, "begin": first_sentence(task), "nothing": ""}[todo],
        "look": "" if todo == "all" else text["look"],
        "drawn": _DRAWN.get(number, dict)(),
        "recordings": {title: trainings[name] for name, title in content.get("stories", {}).items()},
        "rest": content.get("rest", False),
        "question": question,
        "answers": {"right": question.right, "replies": [plain(question.say(answer)) for answer in answers]},
    }


def _graph_data(points: Points, names: Sequence[str], edges: Sequence[Edge], height: int) -> dict[str, Any]:
    """What the small graph whose nodes are buttons draws."""
    nodes = [
        {"id": node, "x": round(float(x), 3), "y": round(float(y), 3), "label": names[node], "tip": ""}
        for node, (x, y) in enumerate(points)
    ]
    looks = {"hulls": {}, "highlighted": [], "edits": False, "bare": False, "height": height}
    return {"nodes": nodes, "edges": edges, "description": "A graph", "clickable": [], **looks}


def _instance_data(instance: Instance, height: int) -> dict[str, Any]:
    names = [instance.node_label(node) for node in range(instance.num_nodes)]
    edges = [(int(a), int(b)) for a, b in instance.edge_index[:, instance.undirected].T]
    return _graph_data(instance_layout(instance), names, edges, height)


def water() -> dict[str, Any]:
    """Lesson 1: the state graph with a slider for each reward, and the table of where walks stop."""
    toy = ground(Practice.TOY)
    flows = solve_flows(toy.dag, toy.reward)
    picture = dag_picture(toy.dag, toy.instance, DagNumbers(flows.log_edge, flows.stop, flows.target, flows.reward))
    value = {"picture": asdict(picture), "reward": toy.reward.tolist(), "most": MOST_FLOW}
    return value | {"goal": GOAL, "chosen": toy.names.index(GOAL)}


def orders() -> dict[str, Any]:
    """Lesson 2: a graph to click, and the state graph that follows."""
    toy = ground(Practice.TOY)
    return {
        "graph": _instance_data(toy.instance, 250),
        "picture": asdict(dag_picture(toy.dag, toy.instance)),
        "goal": toy.read_nodes(WANTED),
        "ways": len(toy.tree.orders_of(toy.names.index(WANTED))),
    }


def sequences() -> dict[str, Any]:
    """Lesson 3: 20,000 samples from the tree and from the DAG."""
    toy = ground(Practice.TOY)
    reward = np.ones(toy.dag.num_states)
    views, words = [], []
    for merged in (False, True):
        samples = draw(toy.dag, toy.tree, reward, batches=20, merged=merged, seed=0)
        views.append(sequence_data(toy.instance, toy.dag, toy.tree, samples, merged=merged))
        words.append(plain(draws_words(samples, toy.names, reward, merged=merged)))
    return {"views": views, "words": words}


def by_hand() -> dict[str, Any]:
    """Lesson 4: one state whose flows are set by hand."""
    toy = ground(Practice.TOY)
    state = toy.names.index(BALANCED)
    return {
        "state": BALANCED,
        "parents": [toy.names[parent] for parent in toy.dag.parent[toy.dag.child == state]],
        "children": [toy.names[child] for child in toy.dag.child[toy.dag.parent == state]],
        "reward": float(toy.reward[state]),
        "flows": [1.0, 1.0, 2.0],
        "most": MOST_FLOW,
        "step": FLOW_STEP,
        "fixed": False,
    }


def puzzles() -> list[dict[str, Any]]:
    """Lesson 5: sets in small graphs; which nodes may be removed?"""
    values = []
    for puzzle in PUZZLES:
        graph, nodes = puzzle.graph, set(puzzle.order)
        view = _graph_data(graph.points, graph.names, graph.edges, 330) | {"clickable": sorted(nodes)}
        for node in view["nodes"]:
            node["roles"] = node_roles(puzzle, node["id"], (), None)
        free = sorted(removable(graph, puzzle.order, puzzle.start))
        reasons = check_picks(puzzle, nodes).reasons
        values.append({"words": puzzle.hint, "view": view, "removable": free, "reasons": reasons})
    return values


@cache
def _answers() -> known.SubgraphAnswers:
    """What the GNN predicts for every subgraph of the node of lesson 6."""
    from gfx_core.job_context import JobContext
    from gfx_core.teaching.lesson_jobs import ask_all

    return ask_all(JobContext(), index=NODE)["sum"]


def rewards() -> dict[str, Any]:
    """Lesson 6: click a subgraph together; all predictions are in the page."""
    answers, instance, dag = _answers(), known.real_instance(NODE), known.real_states(NODE)
    keys = (",".join(str(node) for node in sorted(subset) if node >= 0) for subset in dag.subsets.tolist())
    return {
        "graph": _instance_data(instance, 330),
        "start": instance.target,
        "predicted": known.CLASS_NAMES[answers.explained],
        "best": sorted(known.Weighing(NODE).best_sets(answers)[0]),
        "sets": {key: round(cost, 5) for key, cost in zip(keys, answers.cross_entropy.tolist(), strict=True)},
    }


def hidden_gnn() -> list[dict[str, str]]:
    """Lesson 9: what a hidden GNN predicts for some graphs."""
    graphs = [nx.path_graph(4), nx.cycle_graph(4), nx.star_graph(3), nx.star_graph(4), nx.cycle_graph(6)]
    graphs += [nx.path_graph(6), nx.complete_graph(4), nx.wheel_graph(5)]
    cards = []
    for graph, share in zip(graphs, hidden_gnns.probabilities(HIDDEN, graphs), strict=True):
        kind = shape_name(graph).text
        form = Form((), tuple((min(edge), max(edge)) for edge in graph.edges), (), ())
        answer = f"{'Yes' if share > 0.5 else 'No'} ({percent(max(share, 1 - share))})"
        cards.append({"picture": form_picture(form, kind).svg(), "answer": answer, "kind": kind})
    return cards


def last_step() -> questions.LessonQuestion:
    """Lesson 8: about the state that the second policy of its recording samples too often."""
    states = final_states(read(STORIES["orders"].path))
    worst = states[most_wrong(states, 1)]
    return questions.about_the_last_step(worst.name, worst.orders)


_DRAWN: dict[int, Callable[[], Any]] = {
    1: water,
    2: orders,
    3: sequences,
    4: by_hand,
    5: puzzles,
    6: rewards,
    7: lambda: [find(loss) for loss in LOSSES],
    9: hidden_gnn,
}
_QUESTIONS: dict[int, Callable[[], questions.LessonQuestion]] = {
    1: questions.about_scaling,
    2: lambda: questions.about_orders(WANTED),
    3: questions.about_copies,
    4: questions.about_exploring,
    5: lambda: questions.about_a_ring(RING, ring_with_a_tail(RING)),
    6: lambda: questions.about_the_best(NODE, _answers()),
    7: questions.about_one_log_z,
    8: last_step,
    9: lambda: questions.about_the_rule(HIDDEN),
}
