"""The Explain page: a shipped trace at once and without torch, links that reopen a view, and bad links."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.config import ASSETS, FlowSource
from gfx_core.datasets.chosen_examples import examples
from gfx_core.datasets.molecules import COMPOUNDS
from gfx_core.drawing.state_graph import PolicyDag, dag_picture
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.files import DIGITS
from gfx_core.gfn.own_policies import keep_policy, policy_path
from gfx_core.text.answers import only_fewer
from gfx_core.trace import serialize
from gfx_core.trace.schema import TUNED
from gfx_core.training.lesson_graphs import Practice, practice_instance
from pages.ui.explain import trace_views
from pages.ui.explain.playback import state_space_text
from tests.pages.page_reading import Open, answered, component, has, link_of, looked_until, read, texts, url

TRACE = ASSETS / "traces" / "tree_cycles-612.json"


def open_tab(at: AppTest) -> str:
    """The name of the tab that the browser is told to open."""
    return at.tabs[at.get("tab_container")[0].proto.tab_container.default_tab_index].label


def computed(at: AppTest) -> dict[str, Any]:
    """The trace that is played, once a worker has computed it."""
    looked_until(at, lambda: has(at, "player") and not at.get("progress"))  # one answer may ask for another
    shown: dict[str, Any] = json.loads(component(at, "player")["trace"])
    return shown


def test_a_shipped_trace_is_played(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612", tools="all")
    shown = json.loads(component(at, "player")["trace"])
    assert shown == json.loads(serialize.to_json(replace(serialize.load(TRACE), masks=())))  # the player needs no masks
    assert "predict **cycle** for this node? That is correct." in texts(at)
    assert "the GNN (trained on whole graphs" in texts(at)
    drawn = component(at, "samples-gallery")["cards"]
    assert len(drawn) == min(12, len(shown["samples"]))
    assert all(card["svg"].startswith("<svg") for card in drawn)
    assert [card["selected"] for card in drawn].count(True) == 1


def test_few_tools_at_first_and_all_where_the_link_uses_one(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612")
    assert (at.toggle(key="tools").value, component(at, "player")["few"]) == (False, True)
    assert not at.get("tab_container")
    assert {each.key for each in at.toggle} == {"tools"}
    assert "trained on" not in texts(at)
    at.toggle(key="tools").set_value(True).run()
    assert (url(at, "tools"), component(at, "player")["few"]) == ("all", False)
    assert open_tab(at) == "Sampled subgraphs"
    for link in ({"tab": "files"}, {"mode": "hand"}, {"flows": "exact"}, {"whatif": "1"}):
        at = open_page("explain", dataset="tree_cycles", index="612", **link)
        assert at.toggle(key="tools").value
        at.toggle(key="tools").set_value(False).run()  # and goes with them, but for how it is explained
        assert link_of(at) == {"dataset": "tree_cycles", "index": "612", "tools": "few"} | (
            link if "flows" in link else {}
        )


def test_what_cannot_be_had_is_said_on_the_page_and_not_behind_a_button(open_page: Open) -> None:
    def behind(at: AppTest) -> list[str]:
        return [read(each.proto.popover.label) for each in at.get("popover")]

    assert behind(open_page("explain", dataset="tree_cycles", index="612")) == ["Tree-Cycles: node 612"]
    assert behind(open_page("explain", dataset="mutagenicity", compound="aspirin")) == ["Mutagenicity: Aspirin"]
    for link in ({"dataset": "mutagenicity", "smiles": "C(C"}, {"dataset": "tree_cycles", "index": "99999"}):
        at = open_page("explain", **link)
        assert not behind(at)
        assert at.error or at.warning


def test_what_the_link_says_is_shown(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612", step="1", view="states", tab="marginals")
    options = component(at, "player")
    assert (options["view"], options["initialStep"], options["autoplay"]) == ("states", 1, False)
    assert open_tab(at) == "Edge marginals"
    looked_until(at, lambda: component(at, "player")["states"] is not None)  # the player is there all the while
    data = component(at, "player")
    assert len(data["states"]["picture"]["path"]) == len(json.loads(data["trace"])["steps"])
    assert "Total variation between the two" in data["states"]["words"]
    at.toggle(key="by-hand").set_value(True).run()  # whatever else is changed
    assert open_tab(at) == "Edge marginals"


def test_building_by_hand_begins_at_once(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612", tools="all")
    known = json.loads(component(at, "player")["trace"])
    at.toggle(key="by-hand").set_value(True).run()
    assert component(at, "player")["manual"]
    shown = json.loads(component(at, "player")["trace"])
    assert [step["members"] for step in shown["steps"]] == [known["steps"][0]["members"]]  # nothing is computed for it
    assert shown["steps"][0]["frontier"] == known["steps"][0]["frontier"]
    assert "Your turn" in texts(at)
    order = ".".join(map(str, known["steps"][1]["members"]))
    at = open_page("explain", dataset="tree_cycles", index="612", mode="hand", order=order)
    assert len(json.loads(component(at, "player")["trace"])["steps"]) == 2


def test_the_next_example_opens_at_once_and_is_not_trained_on(open_page: Open) -> None:
    at = open_page("explain", dataset="ba_shapes", index="423", tune="1")
    at.button(key="example-button").click().run()
    assert not at.exception
    assert (ASSETS / "traces" / f"ba_shapes-{url(at, 'index')}.json").is_file()
    assert json.loads(component(at, "player")["trace"])["index"] == int(url(at, "index"))
    assert (url(at, "tune"), at.toggle(key="tune").value) == (None, False)


@pytest.mark.parametrize(("dataset", "name"), [("tree_cycles", "index"), ("mutagenicity", "compound")])
def test_the_next_example_is_another_one_until_all_were_seen(open_page: Open, dataset: str, name: str) -> None:
    chosen = examples(dataset, name)
    at = open_page("explain", dataset=dataset)
    assert f"Example 1 of {len(chosen)}, a clear case" in texts(at)
    for number, each in enumerate(chosen[1:], 2):
        at.button(key="example-button").click().run()
        assert url(at, name) == each.name
        assert f"Example {number} of {len(chosen)}" in texts(at)
    at.button(key="example-button").click().run()
    assert url(at, name) == chosen[0].name


def test_the_next_example_is_never_the_one_that_is_shown_however_it_was_named(open_page: Open) -> None:
    first, second, *_ = examples("mutagenicity", "compound")
    at = open_page("explain", dataset="mutagenicity", smiles=COMPOUNDS[first.name])
    at.button(key="example-button").click().run()
    assert url(at, "compound") == second.name
    assert len(examples("ba_shapes")) > 3


def test_a_gnn_without_a_policy_is_explained_by_exact_flows(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("gfx_core.gfn.own_policies.POLICIES", tmp_path)
    at = open_page("explain", dataset="tree_cycles", index="612", gnn="gcn", tools="all")
    assert at.segmented_control(key="flows").value == "exact"
    assert not at.error
    (tmp_path / "tree_cycles-gcn.safetensors").write_bytes(b"nothing")
    at = open_page("explain", dataset="tree_cycles", index="612", gnn="gcn")
    assert "Exact flows need no policy" in at.error[0].value
    at.button(key="use-exact-flows").click().run()
    assert not at.exception
    assert url(at, "flows") == "exact"


def test_a_gnn_that_never_saw_a_fragment_is_a_choice_and_so_is_who_is_asked(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612", tools="all")
    assert "fragments" not in {each.key for each in at.segmented_control}  # it has a policy
    at.selectbox(key="gnn").set_value("sum-plain").run()
    assert url(at, "gnn") == "sum-plain"
    shown = computed(at)
    assert shown["flows"] == "exact"
    note = "We explain it through a student that agrees with it on"
    assert note in texts(at)
    assert "the GNN (trained on whole graphs only)" in texts(at)
    at.segmented_control(key="fragments").set_value("as is").run()
    assert url(at, "fragments") == "as is"
    assert computed(at)["answer"]["reasons"] != shown["answer"]["reasons"]
    assert note not in texts(at)
    at = open_page("explain", dataset="graph_sst2", gnn="sum-plain")  # a data set without one
    assert not at.error
    at = open_page("compare", dataset="tree_cycles", index="612", gnn="sum-plain", methods="gflowexplainer,most_links")
    looked_until(at, lambda: not at.get("progress"))
    assert not at.error
    assert note in texts(at)


def test_another_instance_is_computed_by_a_worker(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="530", choice="greedy", k="6")
    shown = computed(at)
    assert shown["index"] == 530
    assert shown["made"]["choice"] == "greedy"
    assert len(shown["final"]["nodes"]) <= 6


def test_several_predictions_are_a_table_with_a_row_for_each(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612", beta="30", tab="all")
    computed(at)
    assert open_tab(at) == "All predictions"
    assert not at.dataframe  # nobody has asked
    assert at.number_input(key="predictions-first").value == 612
    at.number_input(key="predictions-first").set_value(869)
    at.button(key="predictions-start").click().run()
    assert url(at, "rows") == "869-10"
    looked_until(at, lambda: at.dataframe)
    table = at.dataframe[0].value
    assert table["node"].tolist() == [869, 870]  # the last ones
    trace = explain(Question("tree_cycles", "870", beta=30.0))
    assert trace.answer is not None
    assert table["answer"][1] == trace.answer.sentence
    assert table["alone"][1] == pytest.approx(trace.answer.first.alone[trace.prediction.predicted])
    assert "opens its player above" in texts(at)
    at.button(key="example-button").click().run()  # the table stays where another prediction is looked at
    assert (url(at, "rows"), url(at, "index") != "612") == ("869-10", True)
    at.select_slider(key="beta").set_value(10.0).run()  # and goes where they would be explained in another way
    assert url(at, "rows") is None
    for senseless in ("5", "0-999", "-1-5", "a-b", "1-2-3"):
        assert not open_page("explain", dataset="tree_cycles", index="612", tab="all", rows=senseless).dataframe


def test_a_policy_tuned_on_this_one_is_told_of() -> None:
    trace = serialize.load(TRACE)
    told = {"epochs": 200, "seconds": 17.4, "residuals": [0.941, 0.5, 0.06]}
    tuned = replace(trace, made={**trace.made, "policy": {**trace.made["policy"], TUNED: told}})
    words = trace_views.verdict(tuned)
    assert "trained on this one for 200 epochs (17 s): its mean residual went from 0.94 to 0.06." in words
    known = {**told, "distances": [0.31, 0.004]}  # one honest distance, where it is known
    tuned = replace(trace, made={**trace.made, "policy": {**trace.made["policy"], TUNED: known}})
    assert "200 epochs (17 s): its total variation from R/Z went from 0.310 to 0.004." in trace_views.verdict(tuned)
    assert "R/Z is 0.400" in trace_views.verdict(replace(trace, total_variation=0.4))
    assert "Train on this one" in trace_views.verdict(replace(trace, total_variation=0.4))
    assert "Train on this one" not in trace_views.verdict(replace(trace, total_variation=0.04))

    unknown = trace_views.verdict(replace(trace, total_variation=None))
    assert "is not known" in unknown
    assert f"a mean residual of {trace.mean_residual:.2f}" in unknown
    assert "total variation" not in unknown
    one = trace_views.verdict(replace(trace, num_states_exact=1, total_variation=0.0))
    assert "there is only one, so we can check it" in one


def test_counts_are_told_as_people_do() -> None:
    trace = serialize.load(TRACE)
    first = replace(trace.samples[0], count=64)
    assert trace_views.samples_text(replace(trace, samples=(first,))) == "We took 64 samples, all the same."
    assert trace_views.samples_text(replace(trace, samples=(replace(first, count=1),))) == "We took 1 sample."
    both = (first, replace(first, count=1))
    assert trace_views.samples_text(replace(trace, samples=both)) == "We took 65 samples, 2 different ones."


def test_exact_flows(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612", tools="all")
    assert at.segmented_control(key="flows").value == "learned"
    at.segmented_control(key="flows").set_value(FlowSource.EXACT).run()
    assert at.query_params["flows"] in ("exact", ["exact"])
    shown = computed(at)
    assert shown["flows"] == "exact"
    assert max(abs(step["residual"] or 0) for step in shown["steps"]) <= 1e-6
    assert shown["total_variation"] <= 1e-9
    assert all(step["other"] for step in shown["steps"])  # the learned policy beside
    said = texts(at)
    assert "Exact flows, computed from all 38 connected subgraphs: largest residual on the way" in said
    assert f"total variation from R/Z {shown['total_variation']:.2g}." in said  # as computed, not a literal
    assert "these come from R/Z itself" in said
    at.segmented_control(key="flows").set_value(FlowSource.LEARNED).run()
    assert url(at, "flows") == "learned"  # and so it stays, however far from exact flows
    assert not any("Exact flows" in caption.value for caption in at.caption)


def test_exact_flows_follow_a_moved_reward(open_page: Open) -> None:
    link = {"dataset": "tree_cycles", "index": "612", "beta": "3", "price": "0.5", "order": "0.1.3"}
    at = open_page("explain", **link, flows="exact")
    shown = computed(at)
    assert (shown["flows"], shown["made"]["choice"], len(shown["steps"])) == ("exact", "by hand", 3)
    assert at.select_slider(key="price").value == 0.5
    assert at.select_slider(key="beta").value == 3
    assert (shown["steps"][0]["reward"]["beta"], shown["made"]["config"]["reward"]["nodes"]) == (3, 0.5)
    assert shown["total_variation"] <= 1e-9
    at.segmented_control(key="flows").set_value(FlowSource.LEARNED).run()
    assert link_of(at) == link | {"flows": "learned"}  # the same trajectory can be looked at under both


def test_beyond_what_can_be_listed_smaller_subgraphs_and_a_note(open_page: Open) -> None:
    at = open_page("explain", dataset="ba_shapes", index="363", flows="exact", seconds="600")
    shown = computed(at)
    assert (shown["flows"], shown["made"]["config"]["max_nodes"]) == ("exact", 7)
    assert only_fewer(7) in texts(at)
    at.button(key="flows-for-more").click().run()
    assert url(at, "flows") == "learned"
    assert not at.error


def test_a_policy_of_ones_own_that_is_gone_says_so_and_leads_back(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612", policy="0" * DIGITS)
    assert "been deleted" in read(at.error[0].value)
    at.button(key="use-shipped").click().run()
    assert not at.exception
    assert not at.error
    assert url(at, "policy") is None


@pytest.mark.usefixtures("data_folder")
def test_a_policy_of_ones_own_explains_and_says_so(open_page: Open) -> None:
    name = keep_policy(policy_path("tree_cycles").read_bytes()).name
    at = answered(open_page("explain", dataset="tree_cycles", index="612", policy=name))
    assert component(at, "player")
    assert "Explained by **your own policy**" in texts(at)
    assert not at.error
    other = open_page("explain", dataset="tree_grid", index="512", policy=name)
    assert "GNN of Tree-Cycles" in read(other.error[0].value)


def test_what_is_said_of_the_states() -> None:
    instance = practice_instance(Practice.TOY)
    picture = dag_picture(enumerate_states(instance), instance)
    found = PolicyDag(picture, max_nodes=10, cap=4000, total_variation=0.123)
    assert "8 states of at most 10 nodes, all shown" in state_space_text(found)
    assert "Total variation between the two: 0.12." in state_space_text(found)
    assert "how likely the policy goes that way" in state_space_text(found)
    assert "how likely exact flows go that way" in state_space_text(replace(found, flows=FlowSource.EXACT))
    assert "only those around" in state_space_text(replace(found, picture=replace(picture, whole=False)))
    assert "More than 4,000 states" in state_space_text(replace(found, total_variation=None))


def test_the_link_of_the_plain_view_can_be_copied(open_page: Open) -> None:
    prediction = {"dataset": "tree_cycles", "index": "612"}
    at = open_page("explain", **prediction)
    assert has(at, "copy-link")
    assert link_of(at) == prediction
    at = open_page("explain", **prediction, tools="all", tab="files")
    assert has(at, "copy-link")
    at.toggle(key="tools").set_value(False).run()
    assert has(at, "copy-link")
    assert "tab" not in link_of(at)
    assert url(at, "tools") != "all"
