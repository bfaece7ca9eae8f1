"""The cut-vertex lab: what is in the URL is what is shown, with 𝒵 from a worker, and without torch here."""

import pytest

from gfx_core.teaching.lab_graphs import GraphKind, flip_edges, growth_order, lab_graph
from tests.pages.page_reading import Open, component, looked_until, url


def test_the_steps_come_from_a_worker(open_page: Open) -> None:
    at = open_page("lab", graph="cycle", size="6", order="0.1.2.3.4.5", step="5")
    looked_until(at, lambda: component(at, "lab-growth")["steps"])
    shown = component(at, "lab-growth")
    assert (len(shown["nodes"]), shown["order"], shown["step"]) == (6, [0, 1, 2, 3, 4, 5], 5)
    assert shown["agree"] == len(shown["steps"]) == 6
    assert [step["case"] for step in shown["steps"]] == [0, 0, 1, 1, 1, 2]
    assert [step["cut"] for step in shown["steps"]][4:] == [[1, 2, 3], []]  # the ring is closed
    at.query_params["step"] = "6"
    assert component(at.run(), "lab-growth")["step"] == 5  # while one steps, the same is sent


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
    at.selectbox(key="lab-kind").set_value(GraphKind.INSTANCE).run()
    assert component(at, "lab-growth")["nodes"][0]["label"] == "612"
    at.selectbox(key="lab-dataset").set_value("ba_2motifs").run()
    assert len(component(at, "lab-growth")["nodes"]) == 25
    at = open_page("lab", graph="path", size="3", edit="0-1")  # no dead end
    assert component(at, "lab-growth")["order"] == [0]
    assert at.info
