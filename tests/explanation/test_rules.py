"""The rules of a GNN: reasons grouped by canonical form, counted by name."""

from itertools import permutations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from gfx_core import UserError
from gfx_core.config import Task
from gfx_core.datasets.info import HOUSE
from gfx_core.datasets.registry import dataset_info
from gfx_core.explanation import rules as module
from gfx_core.explanation.many import NamedQuestions, Row
from gfx_core.explanation.rules import Rules, class_rules, find_rules, forms_of, shipped_rules
from gfx_core.job_context import JobContext


def row(index: int, graph: nx.Graph, labels: dict[int, str] | None = None, start: int = 0, **more: object) -> Row:
    """An explained prediction whose answer is a graph; the explained node is the start."""
    order = [start, *(node for node in graph if node != start)]
    shift = index - start
    return Row(
        index,
        nodes=tuple(node + shift for node in order),
        edges=tuple((u + shift, v + shift) for u, v in graph.edges),
        labels=tuple(labels[node] for node in order) if labels else (),
        orders=tuple(graph.edges[edge].get("order", 1) for edge in graph.edges) if labels else (),
        **{"verdict": "needed", "prediction": "yes", **more},  # type: ignore[arg-type]
    )


def slow_form(one: Row) -> tuple[object, ...]:
    """The canonical form by trying every order of the nodes: the least of all that can be written."""
    labels, orders = one.labels or ("",) * len(one.nodes), one.orders or (1,) * len(one.edges)
    forms = []
    for order in permutations(range(len(one.nodes))):
        place = {one.nodes[node]: at for at, node in enumerate(order)}
        bonds = sorted((*sorted((place[u], place[v])), bond) for (u, v), bond in zip(one.edges, orders, strict=True))
        forms.append((tuple(labels[node] for node in order), tuple(bonds)))
    return min(forms)


def test_forms_are_those_of_a_slow_reference() -> None:
    """Random molecules of up to five atoms with single and double bonds."""
    random, rows = np.random.RandomState(0), []
    for index in range(150):
        graph = nx.gnp_random_graph(random.randint(2, 6), 0.6, seed=int(random.randint(10**6)))
        for edge in graph.edges:
            graph.edges[edge]["order"] = int(random.randint(1, 3))
        rows.append(row(index, graph, {node: "CN"[random.randint(2)] for node in graph}))
    expected: dict[object, list[int]] = {}
    for each in rows:
        expected.setdefault(slow_form(each), []).append(each.index)
    found = forms_of(rows, Task.GRAPH)
    assert sorted(form.instances for form in found) == sorted(map(tuple, expected.values()))
    assert 20 < len(found) < 150
    assert [len(form.instances) for form in found] == sorted((len(form.instances) for form in found), reverse=True)
    assert all(form.explained == () for form in found)


def test_a_form_says_where_the_explained_nodes_are() -> None:
    """Nodes that are alike are counted together: both middles of a house, its two bottoms, its top."""
    house = nx.Graph(HOUSE.edges)
    (form,) = forms_of([row(index, house, start=start) for index, start in enumerate((0, 1, 2, 3, 4, 4))], Task.NODE)
    assert form.instances == tuple(range(6))
    assert sorted(form.explained) == [0, 0, 2, 2, 2]
    graph = nx.Graph(form.edges)
    top = next(node for node in graph if graph.degree[node] == 2 and len(nx.ego_graph(graph, node).edges) == 3)
    assert form.explained[top] == 2


def test_rules_count_names_and_keep_what_explains_nothing_apart() -> None:
    ring, path = nx.cycle_graph(6), nx.path_graph(3)
    tailed = [nx.Graph([*ring.edges, (0, 6)]), nx.Graph([*ring.edges, (0, 6), (0, 7)])]
    rows = [
        row(0, ring, kind="a ring of six", true="yes"),
        row(1, path, kind="a path of three", true="no"),
        row(2, ring, kind="a ring of six", true="no"),
        *(row(3 + at, tailed[at % 2], kind="a tail", true=true) for at, true in enumerate(("yes", "", "yes"))),
        row(6, path, kind="a path of three", verdict="none"),
        Row(7, error="no"),
    ]
    found = class_rules("yes", rows, 20, dataset_info("tree_cycles"))
    assert [rule.instances for rule in found.rules] == [(3, 4, 5), (0, 2), (1,), (6,)]
    assert [form.instances for form in found.rules[0].forms] == [(3, 5), (4,)]
    assert found.rules[-1].forms == ()
    assert (found.failed, found.share(found.rules[1]), len(found.sentences)) == (1, 2 / 7, 3)
    wrong = [(true, rule.name, indices) for true, rule, indices in found.confusions]
    assert wrong == [("no", "a ring of six", (2,)), ("no", "a path of three", (1,))]


def test_a_named_gnn(tmp_path: Path) -> None:
    reports: list[float] = []
    job = JobContext(progress=lambda share, words: reports.append(share))
    found = find_rules(NamedQuestions("tree_cycles", "sum"), limit=6, job=job)
    tree, cycle = found.classes
    assert (tree.name, tree.predicted, tree.explained) == ("tree", 511, 6)
    assert found["cycle"] is cycle
    assert [rule.name for rule in cycle.rules] == ["a ring of six"]
    (form,) = cycle.rules[0].forms
    assert nx.is_isomorphic(nx.Graph(form.edges), nx.cycle_graph(6))
    assert sum(form.explained) == 6
    assert (reports[0], reports[-1]) == (0, 1)
    found.save(tmp_path / "rules.json")
    assert Rules.load(tmp_path / "rules.json") == found
    again = find_rules(NamedQuestions("tree_cycles", "sum"), "cycle", limit=6)
    assert again.classes == (cycle,)
    with pytest.raises(UserError, match="no class “ring”"):
        find_rules(NamedQuestions("tree_cycles", "sum"), "ring")
    with pytest.raises(UserError, match="limit must be"):
        find_rules(NamedQuestions("tree_cycles", "sum"), limit=0)


def test_shipped_rules_are_those_of_the_shipped_gnn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come with all data sets but sentences; where the GNN was trained again they do not count."""
    for name in ("ba_shapes", "ba_community", "tree_cycles", "tree_grid", "ba_2motifs", "mutagenicity"):
        found = shipped_rules(name, "sum")
        assert found is not None, f"make them again: python -m gfx_core rules --dataset {name} --out assets/rules"
        assert tuple(each.name for each in found.classes) == dataset_info(name).classes
    monkeypatch.setattr(module, "_files", lambda _dataset, _gnn: {"gnn": "another"})
    assert shipped_rules("tree_cycles", "sum") is None
    monkeypatch.setattr(module, "RULES", tmp_path)
    assert shipped_rules("tree_cycles", "sum") is None
    (tmp_path / "tree_cycles-sum.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="read as rules"):
        shipped_rules("tree_cycles", "sum")
