"""What if without a browser: own data, hostile names, links that cannot be, Compare on what was edited."""

from collections.abc import Iterator

import pytest

from gfx_core.datasets.edits import Edit
from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation.counterfactual import flip
from gfx_core.explanation.question import Question
from gfx_core.job_context import JobContext
from gfx_core.jobs.requests import TrainGnn
from gfx_core.user_data import store
from gfx_core.user_data.build import preview
from gfx_core.user_data.examples import files_of
from pages.ui.sessions import Visit
from tests.pages.hostile import check_that_nothing_is_markdown
from tests.pages.page_reading import (
    Open,
    answered,
    component,
    has,
    looked_until,
    opened_with,
    read,
    table_lines,
    texts,
    url,
)


@pytest.fixture
def visit() -> Iterator[Visit]:
    made = Visit()
    yield made
    store.forget_visit(made.name)


def test_own_data_are_edited_and_flipped(visit: Visit) -> None:
    name = preview(files_of("karate"), visit.name).name
    store.accept(name)
    TrainGnn(name, hidden=8, num_layers=2, fragments=True, seconds=2.0).answer(JobContext())
    instance = load_dataset(name).instance(0)
    edits = Edit.edge(*instance.nodes[instance.edge_index[:, 0]].tolist()).text
    link = {"dataset": name, "index": "0", "whatif": "1", "edits": edits, "k": "4"}
    at = opened_with({"visit": visit}, "explain", **link)
    looked_until(at, lambda: component(at, "edit-view")["now"]["words"])
    shown = component(at, "edit-view")
    assert shown["sentence"].startswith("Without the edge ")
    assert [edge["mark"] for edge in shown["now"]["edges"]].count("gone") == 1
    assert sum(shown["probabilities"]["now"]) == pytest.approx(1)
    check_that_nothing_is_markdown(at)
    assert flip(Question(name, "0", edits=edits), seconds=1).tried


def test_a_link_that_cannot_be_says_why(open_page: Open) -> None:
    for edits, sentence in (
        ("700", "cannot be removed"),
        ("1-2", "not see node 1"),
        ("![x](http://y)", "is not an edit"),
    ):
        at = open_page("explain", dataset="tree_grid", index="700", edits=edits)
        assert sentence in read(at.error[0].value)
        check_that_nothing_is_markdown(at)
        at.button(key="drop-edits").click().run()
        assert url(at, "edits") is None
        assert not at.error


def test_the_player_says_that_it_shows_an_edited_one_and_the_way_back(open_page: Open) -> None:
    at = answered(open_page("explain", dataset="tree_grid", index="700", edits="700-701.76~704"))
    assert has(at, "player")
    assert "This explains an edited graph: without the edge 700–701, with a new edge 76–704." in texts(at)
    at.button(key="undo").click().run()
    assert url(at, "edits") == "700-701"
    at.button(key="undo-all").click().run()
    assert url(at, "edits") is None


def test_other_explainers_explain_the_edited_one_too(open_page: Open) -> None:
    at = open_page("compare", dataset="tree_grid", index="700", edits="700-703.700-701", methods="saliency,degree")
    looked_until(at, lambda: "Saliency" in table_lines(at) if at.get("html") else False)
    assert not at.error


def test_an_edit_belongs_to_its_prediction(open_page: Open) -> None:
    at = answered(open_page("explain", dataset="tree_grid", index="514", edits="514-515"))
    at.number_input(key="index").set_value(700).run()
    assert url(at, "edits") is None
