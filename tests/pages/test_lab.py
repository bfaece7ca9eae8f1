"""The cut-vertex lab: what is in the URL is what is shown, with 𝒵 from a worker, and without torch here."""

import pytest

from gfx_core.drawing.charts import race_figure, race_verdict
from gfx_core.teaching.lab_graphs import GraphKind, flip_edges, growth_order, lab_graph
from tests.pages.page_reading import Open, component, looked_until, url

RACE = [
    {"sets": 1, "size": 10, "tracker": 0.004, "tarjan": 0.001},
    {"sets": 1, "size": 40, "tracker": 0.02, "tarjan": 0.001},
    {"sets": 256, "size": 10, "tracker": 0.01, "tarjan": 0.03},
    {"sets": 256, "size": 40, "tracker": 0.2, "tarjan": 0.1},
]


def test_the_steps_come_from_a_worker(open_page: Open) -> None:
    at = open_page("lab", graph="cycle", size="6", order="0.1.2.3.4.5", step="5")
    shown = component(at, "lab-growth")
    assert (len(shown["nodes"]), shown["order"], shown["step"]) == (6, [0, 1, 2, 3, 4, 5], 5)
    looked_until(at, lambda: component(at, "lab-growth")["steps"])
    shown = component(at, "lab-growth")
    assert shown["agree"] == len(shown["steps"]) == 6
    assert [step["case"] for step in shown["steps"]] == [0, 0, 1, 1, 1, 2]
    assert shown["steps"][4]["cut"] == [1, 2, 3]
    assert shown["steps"][5]["cut"] == []  # the ring is closed


def test_edits_and_a_broken_order_of_the_link(open_page: Open) -> None:
    at = open_page("lab", graph="path", size="7", edit="0-6.2-3", order="0.6.1.4", seed="3")
    shown = component(at, "lab-growth")
    graph = flip_edges(lab_graph(GraphKind.PATH, 7, 3), [(0, 6), (2, 3)])
    assert [tuple(each) for each in shown["edges"]] == list(graph.edges)
    assert shown["order"] == growth_order(graph, [0, 6, 1], 3)  # node 4 does not touch the set
    assert any(button.label == "Undo all edits" for button in at.button)


def test_controls_change_the_url_and_the_graph(open_page: Open) -> None:
    at = open_page("lab", edit="0-5", order="0.1", step="1")
    at.selectbox(key="lab-kind").set_value(GraphKind.GRID).run()
    assert (url(at, "graph"), url(at, "edit"), url(at, "order")) == ("grid", None, None)
    at.slider(key="lab-size").set_value(9).run()
    assert len(component(at, "lab-growth")["nodes"]) == 9
    assert len(component(at, "lab-growth")["edges"]) == 12
    at.toggle(key="lab-edits").set_value(True).run()
    assert component(at, "lab-growth")["edits"] is True
    at.selectbox(key="lab-kind").set_value(GraphKind.INSTANCE).run()
    assert component(at, "lab-growth")["nodes"][0]["label"] == "612"
    at.selectbox(key="lab-dataset").set_value("ba_2motifs").run()
    assert len(component(at, "lab-growth")["nodes"]) == 25
    assert not at.exception


def test_what_is_sent_stays_the_same_while_stepping(open_page: Open) -> None:
    at = open_page("lab", graph="tree", step="3")
    first = component(at, "lab-growth")
    at.query_params["step"] = "6"
    at.run()
    assert component(at, "lab-growth")["step"] == first["step"] == 3


def test_a_graph_without_links_is_no_dead_end(open_page: Open) -> None:
    at = open_page("lab", graph="path", size="3", edit="0-1")
    assert component(at, "lab-growth")["order"] == [0]
    assert "Edit links" in at.info[0].value


def test_the_race_says_who_wins_where() -> None:
    alone, many = race_verdict(RACE)
    assert alone == "One set at a time: Tarjan's search is faster at 10, 40 nodes (at 40 nodes by a factor of 20)."
    assert "𝒵 (Theorem 1) is faster at 10 nodes and Tarjan's search is faster at 40 nodes" in many
    figure = race_figure(RACE)
    assert figure.data[0].name == "𝒵 (Theorem 1), 1 at a time"
    assert list(figure.data[2].y) == pytest.approx([1e3 * 0.01 / 256, 1e3 * 0.2 / 256])


def test_the_race_waits_until_it_is_asked_for(open_page: Open) -> None:
    at = open_page("lab", graph="path")
    at.button(key="lab-race").click().run()
    assert not at.exception
    assert "lab-race" not in {button.key for button in at.button}
    cancel = next(button for button in at.button if button.key == "cancel-lab-race")
    cancel.click().run()
    assert not at.exception
