"""The Explain page: a shipped trace at once, links that reopen a view, what is computed, and What if."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from gfx_core.config import TRACES, FlowSource
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.files import DIGITS
from gfx_core.gfn.own_policies import keep_policy
from gfx_core.text.answers import note
from gfx_core.trace import serialize
from gfx_core.training.recording import read as read_recording
from gfx_core.training.training import STORIES
from tests.pages.hostile import check_that_nothing_is_markdown
from tests.pages.page_reading import Open, component, has, keys, link_of, looked_until, read, texts, url
from tests.toys.trainings import policy_of

TRACE = TRACES / "tree_cycles-612.json"
CYCLE = {"dataset": "tree_cycles", "index": "612"}
GRID = {"dataset": "tree_grid", "index": "700"}


def played(at: AppTest) -> dict[str, Any]:
    """The trace that is played."""
    trace: dict[str, Any] = json.loads(component(at, "player")["trace"])
    return trace


def computed(at: AppTest) -> dict[str, Any]:
    """The trace that is played, once a worker has computed it."""
    looked_until(at, lambda: has(at, "player") and not at.get("progress"))  # one answer may ask for another
    return played(at)


def test_a_shipped_trace_is_played(open_page: Open) -> None:
    at = open_page("explain", **CYCLE, tools="all")
    shown = played(at)
    assert shown == json.loads(serialize.to_json(replace(serialize.load(TRACE), masks=())))  # the player needs no masks


def test_few_tools_at_first_and_all_where_the_link_uses_one(open_page: Open) -> None:
    at = open_page("explain", **CYCLE)
    assert (at.toggle(key="tools").value, component(at, "player")["few"]) == (False, True)
    assert not at.get("tab_container")
    at.toggle(key="tools").set_value(True).run()
    assert (url(at, "tools"), component(at, "player")["few"]) == ("all", False)
    for link in ({"tab": "files"}, {"flows": "exact"}):
        at = open_page("explain", **CYCLE, **link)
        assert at.toggle(key="tools").value
        at.toggle(key="tools").set_value(False).run()  # and goes with them, but for how it is explained
        assert link_of(at) == CYCLE | {"tools": "few"} | (link if "flows" in link else {})


def test_a_gnn_that_never_saw_a_fragment_is_a_choice_and_so_is_who_is_asked(open_page: Open) -> None:
    at = open_page("explain", **CYCLE, tools="all")
    assert "fragments" not in keys(at.segmented_control)  # the look-ahead policy answers
    at.selectbox(key="gnn").set_value("sum-plain").run()
    shown = computed(at)
    assert (url(at, "gnn"), shown["flows"]) == ("sum-plain", "exact")
    assert "through a student" in texts(at)
    at.segmented_control(key="fragments").set_value("as is").run()
    assert url(at, "fragments") == "as is"
    assert computed(at)["answer"]["reasons"] != shown["answer"]["reasons"]
    assert "through a student" not in texts(at)


def test_exact_flows_follow_a_moved_reward(open_page: Open) -> None:
    at = open_page("explain", **CYCLE, tools="all")
    at.segmented_control(key="flows").set_value(FlowSource.EXACT).run()
    shown = computed(at)
    assert shown["flows"] == "exact"
    assert max(abs(step["residual"] or 0) for step in shown["steps"]) <= 1e-6
    assert shown["total_variation"] <= 1e-9
    assert all(step["other"] for step in shown["steps"])  # the learned policy beside
    link = CYCLE | {"beta": "3", "price": "0.5", "order": "0.1.3"}
    at = open_page("explain", **link, flows="exact")
    shown = computed(at)
    assert (shown["flows"], shown["made"]["choice"], len(shown["steps"])) == ("exact", "by hand", 3)
    assert (shown["steps"][0]["reward"]["beta"], shown["made"]["config"]["reward"]["nodes"]) == (3, 0.5)
    at.segmented_control(key="flows").set_value(FlowSource.LEARNED).run()
    assert link_of(at) == link  # the same trajectory can be looked at under both


def test_a_trajectory_by_hand_has_the_flows_of_the_answer(open_page: Open) -> None:
    link = {"dataset": "tree_cycles", "index": "395"}
    at = open_page("explain", **link, tools="all")
    shown = played(at)
    assert (shown["flows"], at.segmented_control(key="flows").value) == ("learned", "learned")
    assert note("never_seen") in texts(at)
    order = ".".join(map(str, shown["steps"][-1]["members"]))
    at = open_page("explain", **link, tools="all", order=order)
    stops = [[step["stop"]["probability"] for step in trace["steps"]] for trace in (computed(at), shown)]
    assert stops[0] == pytest.approx(stops[1], abs=1e-4)


@pytest.mark.usefixtures("no_workers")
def test_a_policy_of_ones_own(open_page: Open, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = open_page("explain", **CYCLE, policy="0" * DIGITS)
    assert at.error  # it is gone
    at.button(key="use-shipped").click().run()
    assert (url(at, "policy"), len(at.error)) == (None, 0)
    name = keep_policy(policy_of("tree_cycles").read_bytes()).name
    assert not open_page("explain", **CYCLE, policy=name).error
    other = open_page("explain", dataset="tree_grid", index="512", policy=name)
    assert "GNN of Tree-Cycles" in read(other.error[0].value)


def test_several_predictions_are_a_table_with_a_row_for_each(open_page: Open) -> None:
    at = open_page("explain", **CYCLE, tab="all")
    assert not at.dataframe  # nobody has asked
    at.number_input(key="predictions-first").set_value(870)
    at.button(key="predictions-start").click().run()
    assert url(at, "rows") == "870"
    looked_until(at, lambda: at.dataframe)
    table = at.dataframe[0].value
    assert table["index"].tolist() == [870]  # the last one
    trace = explain(Question("tree_cycles", "870"))
    assert trace.answer is not None
    assert table["sentence"][0] == trace.answer.sentence
    assert table["alone"][0] == pytest.approx(trace.answer.first.alone[trace.prediction.predicted])
    at.select_slider(key="beta").set_value(10.0).run()  # and goes where they would be explained in another way
    assert url(at, "rows") is None
    for senseless in ("x", "-1", "1-2"):
        assert not open_page("explain", **CYCLE, tab="all", rows=senseless).dataframe


def test_a_link_that_cannot_be_says_why(open_page: Open) -> None:
    for edits in ("700", "1-2", "![x](http://y)"):
        at = open_page("explain", **GRID, edits=edits)
        assert len(at.error) == 1
        check_that_nothing_is_markdown(at)
        at.button(key="drop-edits").click().run()
        assert (url(at, "edits"), len(at.error)) == (None, 0)


def test_a_training_on_one_prediction_is_shown_as_far_as_it_has_come() -> None:
    lane = read_recording(STORIES["first"].path).as_dict()["lanes"][0]
    scene, *frames = lane["scenes"][0], *lane["frames"][:3]
    events = [{"is": "begin", "made": {}, "lanes": [{name: lane[name] for name in ("name", "question", "config")}]}]
    events += [{"is": "scene", "lane": 0, "scene": scene}, *({"is": "frame", "lane": 0, "frame": f} for f in frames)]

    def page(events: "list[Any]") -> None:
        from pages.ui.explorer.pickers import _learning

        _learning("token", events)

    at = AppTest.from_function(page, kwargs={"events": events}).run()
    assert not at.exception
    assert component(at, "learning")["opened"]["step"] == frames[-1]["step"]
