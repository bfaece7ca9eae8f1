"""The lessons one by one: what the link says is shown, and what is done is written there.

Their walks, with each question, are in `tests.browser.test_learn`.
"""

import json

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.job_context import JobContext
from gfx_core.teaching import lesson_jobs
from gfx_core.teaching.hidden_gnns import all_graphs, spell_graph
from gfx_core.teaching.lab_graphs import GraphKind, flip_edges, growth_order, lab_graph
from pages.ui.lessons import lesson_7
from tests.pages.page_reading import Open, by_link, component, has, link_of, looked_until, opened, texts, url


def lesson(number: int, **link: str) -> AppTest:
    """A lesson, once a worker has answered what it asks first."""
    at = opened("learn", lesson=str(number), **link)
    return ready(at) if number == 6 else at


def ready(at: AppTest) -> AppTest:
    return looked_until(at, lambda: not any(button.label == "Cancel" for button in at.button))


# 4: flow matching


@pytest.mark.parametrize(
    ("preset", "words"), [("l4-train", "every state is in balance"), ("l4-fail", "**acde** should get")]
)
def test_a_training_that_was_played_says_what_came_of_it(preset: str, words: str) -> None:
    at = lesson(4, part="2")
    at.button(key=preset).click().run()
    ready(at)
    by_link(at, {**link_of(at), "at": "300"})
    assert words in texts(at.run())


# 6: rewards


def test_a_subgraph_is_clicked_together_in_the_browser_and_weighed_in_other_parts() -> None:
    at = lesson(6, set="1.2", best="1")
    view = component(at, "lesson-rewards")
    assert ({**view["state"], "turn": 0}, len(view["sets"])) == ({"set": "1.2", "best": "1", "turn": 0}, 38)
    at = lesson(6, part="2")
    assert "of 38" in texts(at)
    at.select_slider(key="l6-beta").set_value(1000.0).run()
    assert float(url(at, "beta")) == 1000
    at.slider(key="l6-k").set_value(6).run()
    assert "**1 of 32**" in texts(ready(at))
    at = lesson(6, part="3")
    assert "both (apart by" in texts(at)
    assert list(at.table[0].value.columns)[1:] == ["GNN that adds up", "normalised GCN"]
    assert "5 nodes of its ring" in list(lesson(6, part="4").table[0].value["It is shown …"])


# 7: four ways to balance


def test_four_trainings_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_jobs, "COMPARING_STEPS", 20)
    monkeypatch.setattr(lesson_7, "run_job", lambda _, request, **__: request.answer(JobContext()))
    at = lesson(7, starts="ae")
    at.button(key="l7-train").click().run()
    levels, curves = (json.loads(chart.proto.spec) for chart in at.get("plotly_chart"))
    assert levels["layout"]["xaxis"]["ticktext"] == ["a", "e"]
    assert [trace["name"] for trace in curves["data"]] == [way["short"] for way in lesson_7.WAYS]
    by_link(at, {**link_of(at), "at": "199"})  # of which there is no snapshot
    assert at.run().select_slider(key="l7-step").value == 20


# 9: guess the rule


def test_a_hidden_gnn_is_asked_of_a_graph_once_and_of_ten() -> None:
    at = lesson(9, gnn="B", asked="CF.Bw")  # a star with three arms, a triangle
    at.button(key="l9-ask").click().run()  # the path that is on the sheet
    assert url(at, "asked") == "CF.Bw.Ch"
    assert at.button(key="l9-ask").disabled  # it was asked about
    assert not has(at, "l9-rules")
    at = lesson(9, asked=".".join(spell_graph(graph) for graph in all_graphs()[:12]))
    assert at.button(key="l9-ask").disabled
    looked_until(at, lambda: has(at, "l9-answers"))
    assert len(component(at, "l9-answers")["cards"]) == 10


# The lab


def test_the_steps_come_from_a_worker(open_page: Open) -> None:
    at = open_page("lab", graph="cycle", size="6", order="0.1.2.3.4.5", step="5")
    looked_until(at, lambda: component(at, "lab-growth")["steps"])
    shown = component(at, "lab-growth")
    assert (len(shown["nodes"]), shown["order"], shown["step"]) == (6, [0, 1, 2, 3, 4, 5], 5)
    assert len(shown["steps"]) == 6
    assert [step["case"] for step in shown["steps"]] == [0, 0, 1, 1, 1, 2]
    assert [step["cut"] for step in shown["steps"]][4:] == [[1, 2, 3], []]  # the ring is closed


@pytest.mark.usefixtures("no_workers")
def test_controls_and_edits_change_the_url_and_the_graph(open_page: Open) -> None:
    at = open_page("lab", graph="path", size="7", edit="0-6.2-3", order="0.6.1.4", seed="3")
    shown, graph = component(at, "lab-growth"), flip_edges(lab_graph(GraphKind.PATH, 7, 3), [(0, 6), (2, 3)])
    assert [tuple(each) for each in shown["edges"]] == list(graph.edges)
    assert shown["order"] == growth_order(graph, [0, 6, 1], 3)  # node 4 does not touch the set
    at.selectbox(key="lab-kind").set_value(GraphKind.GRID).run()
    assert (url(at, "graph"), url(at, "edit"), url(at, "order")) == ("grid", None, None)
    at.slider(key="lab-size").set_value(9).run()
    shown = component(at, "lab-growth")
    assert (len(shown["nodes"]), len(shown["edges"])) == (9, 12)
    at = open_page("lab", graph="path", size="3", edit="0-1")  # no dead end
    assert component(at, "lab-growth")["order"] == [0]
    assert at.info
