"""The lessons one by one: what the link says is shown, and what is done is written there.

Their walks, with each question, are in `tests.browser.test_learn`; nonsense in links is in `test_fuzz`, and what a
teacher's link hides in `test_learn`.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.bench.report import STUDIES, read_records
from gfx_core.gfn.settings import Loss, RewardConfig
from gfx_core.job_context import JobContext
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.hidden_gnns import all_graphs, spell_graph
from gfx_core.teaching.known_subgraphs import SHIPPED, SubgraphAnswers
from gfx_core.teaching.lab_graphs import PUZZLES, puzzle, removable
from gfx_core.teaching.lesson_jobs import ask_all
from gfx_core.teaching.practice import final_states, most_wrong
from gfx_core.teaching.questions import about_the_rule
from gfx_core.text.numbers import counted, percent, signed
from pages.ui.explorer.loaders import shipped_recording
from pages.ui.lessons import lesson_4, lesson_6, lesson_7
from pages.ui.lessons.lesson_7 import METHODS
from pages.ui.lessons.lesson_8 import SEQUENCE
from tests.pages.page_reading import component, has, link_of, looked_until, opened, texts, url
from tests.patience import PATIENCE_S


def lesson(number: int, **link: str) -> AppTest:
    """A lesson, once a worker has answered what it asks first."""
    at = opened("learn", lesson=str(number), **link)
    return ready(at) if number == 6 else at


def ready(at: AppTest) -> AppTest:
    return looked_until(at, lambda: not any(button.label == "Cancel" for button in at.button))


def roles(at: AppTest, key: str) -> dict[str, list[str]]:
    return {node["label"]: node["roles"] for node in component(at, key)["nodes"]}


# 1: water

REWARDS = [0.5, 0.5, 0.5, 6.0, 1.0, 0.5, 0.5, 3.0]


def rows(at: AppTest) -> dict[str, dict[str, float]]:
    return {row["name"]: row for row in component(at, "lesson-1-stops")["rows"]}


def test_the_river_follows_the_rewards() -> None:
    at = lesson(1)
    before = rows(at)
    boxes = {box["name"]: box for box in component(at, "lesson-1-dag")["picture"]["boxes"]}
    assert [row["reward"] for row in before.values()] == REWARDS
    for name, row in before.items():
        assert row["stop"] == pytest.approx(row["reward"] / 12.5) == pytest.approx(row["target"])
        assert boxes[name]["stop"] == pytest.approx(row["stop"], abs=1e-5)
    assert "4 from ac" in texts(at)  # the balance of acd
    at.button(key="double").click().run()
    assert [row["reward"] for row in rows(at).values()] == [2 * reward for reward in REWARDS]
    assert [row["stop"] for row in rows(at).values()] == pytest.approx([row["stop"] for row in before.values()])
    assert at.button(key="double").disabled
    assert "Halve all" in at.button(key="double").help
    assert url(at, "r") == "1_1_1_12_2_1_1_6"
    at.radio(key="lesson-1-question").set_value(0).run()
    assert "Press “Halve all”" in at.warning[0].value  # a hint names what can be pressed
    at.button(key="halve").click().run()
    assert rows(at) == before
    assert "Press “Double all”" in at.warning[0].value
    for _ in range(9):
        if not at.button(key="halve").disabled:
            at.button(key="halve").click().run()
    assert at.button(key="halve").disabled
    assert [row["stop"] for row in rows(at).values()] == pytest.approx([row["stop"] for row in before.values()])
    at.button(key="reset").click().run()
    assert rows(at) == before
    assert url(at, "r") is None
    at = lesson(1, r="1_0_0_0_3_0_0_0", s="acd")
    assert "done. Now the question" in texts(at)
    assert "**acd** · in: 3 from ac = **3** = out: 3 stops here" in texts(at)


def dragging() -> None:
    """A page that drags rewards as the view reports it."""
    import streamlit as st

    from pages.ui.lessons import lesson_1

    lesson_1.set_reward(4, 4.0)
    st.text(lesson_1.rewards()[4])
    st.text(st.query_params.get("r", "none"))
    lesson_1.write_rewards()
    st.text(st.query_params["r"])
    for state in range(8):
        lesson_1.set_reward(state, 0.0)
    st.text(sum(lesson_1.rewards()))


def test_a_dragged_reward_reaches_the_url_when_it_is_let_go() -> None:
    at = AppTest.from_function(dragging, default_timeout=PATIENCE_S).run()
    assert [text.value for text in at.text] == ["4.0", "none", "0.5_0.5_0.5_6_4_0.5_0.5_3", "0.5"]


# 2: states


def test_what_was_clicked_is_a_path_in_the_dag() -> None:
    at = lesson(2, order="acb", found="abcde.acb")
    dag = component(at, "l2-dag")
    names = {box["id"]: box["name"] for box in dag["picture"]["boxes"]}
    assert [names[state] for state in dag["path"]] == ["a", "ac", "abc"]
    assert names[dag["selected"]] == "abc"
    assert "You went **a → c → b**" in texts(at)
    assert component(at, "l2-graph")["clickable"] == [3]
    assert "1 of 3" in at.info[0].value  # abcd is on the way to abcde
    at.button(key="l2-back").click().run()
    assert (url(at, "order"), url(at, "found")) == ("ac", "abcde.acb")
    at.button(key="l2-again").click().run()
    assert url(at, "order") == "a"
    assert at.button(key="l2-again").disabled
    assert roles(at, "l2-graph")["a"] == ["start", "member"]
    assert [node for node, its in roles(at, "l2-graph").items() if "frontier" in its] == ["b", "c"]


# 3: a tree is not a DAG


def test_merging_makes_the_tree_right() -> None:
    at = lesson(3, draws="100000")
    shown = component(at, "l3-view")
    assert (len(shown["sequences"]), len(shown["states"]), shown["merged"]) == (14, 8, False)
    assert sum(shown["bySequence"]) == sum(shown["byState"]) == shown["total"] == 100_000
    for orders_of, factor in zip(shown["orders"], shown["factor"], strict=True):
        assert factor / shown["factor"][0] == pytest.approx(orders_of, rel=0.1)
    at.toggle(key="l3-merge").set_value(True).run()
    shown = component(at, "l3-view")
    assert (url(at, "merge"), shown["merged"]) == ("1", True)
    assert shown["factor"] == pytest.approx([1.0] * 8, abs=0.1)
    assert "P = R/Z" in texts(at)
    at.button(key="l3-many").click().run()
    at.segmented_control(key="l3-reward").set_value("toy").run()
    assert (url(at, "draws"), url(at, "reward")) == (None, "toy")  # other rewards are drawn anew
    assert component(at, "l3-view")["target"] != shown["target"]


# 4: flow matching

LISTENERS: list[Callable[[int | None], None]] = []
"""What the view of a training would call."""


def test_it_opens_out_of_balance_and_a_link_in_balance_leads_on() -> None:
    at = lesson(4)
    shown = component(at, "l4-hand")
    assert (shown["state"], shown["parents"], shown["children"]) == ("abc", ["ab", "ac"], ["abcd"])
    assert (shown["reward"], shown["flows"]) == (6, list(lesson_4.FIRST_TRY))
    assert "**6** more flows out than in" in texts(at)
    assert "The graph. Shaded: abc." in {caption.value for caption in at.caption}  # dark, or light in dark mode
    assert "**6** more flows in than out" in texts(lesson(4, f="9_4_1"))
    at = lesson(4, f="3_4_1")
    at.button(key="l4-on").click().run()
    assert (url(at, "part"), url(at, "run")) == ("2", "1")


def test_a_playback_that_was_replaced_is_not_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def view(*_: object, heard: dict[str, Callable[[int | None], None]], **__: object) -> None:
        LISTENERS.append(heard["step"])

    monkeypatch.setattr(lesson_4, "train_view", view)
    at = AppTest.from_function(_replaced, default_timeout=PATIENCE_S).run()
    assert not at.exception
    assert [text.value for text in at.text] == ["12", "", "True"]


def _replaced() -> None:
    import streamlit as st

    from pages.ui.lessons import frame, lesson_4
    from tests.pages.test_lessons import LISTENERS

    st.query_params.from_dict({"lesson": "4", "part": "2", "run": "1"})
    frame.open_lesson()
    recording = {"lanes": [{"frames": [{"step": 300}]}]}
    lesson_4.play(recording, lesson_4.TRAINING.run)
    first = LISTENERS[-1]
    first(12)
    st.text(st.query_params.get("at", ""))
    lesson_4.TRAINING.train()
    lesson_4.play(recording, lesson_4.TRAINING.run)
    first(300)  # the one before ends while the next is computed
    st.text(st.query_params.get("at", ""))
    LISTENERS[-1](300)
    st.text(lesson_4.play(recording, lesson_4.TRAINING.run))


def test_settings_of_trainings_are_kept_in_the_url() -> None:
    at = lesson(4, part="2")
    at.slider(key="l4-eps").set_value(0.35).run()
    at.slider(key="l4-beta").set_value(1.5).run()
    at.select_slider(key="l4-lr").set_value(0.1).run()
    at.number_input(key="l4-seed").set_value(7).run()
    at.selectbox(key="l4-graph").set_value("two-modes").run()
    now = {"lesson": "4", "part": "2", "eps": "0.35", "beta": "1.5", "lr": "0.1", "seed": "7", "graph": "two-modes"}
    assert link_of(at) == now
    again = opened("learn", **now)
    assert (again.slider(key="l4-eps").value, again.number_input(key="l4-seed").value) == (0.35, 7)


# 5: valid parents


def test_every_prepared_state_accepts_its_answer_and_tells_what_is_wrong() -> None:
    at = lesson(5)
    shown = component(at, "lesson-5-graph")
    assert [shown["nodes"][i]["label"] for i in shown["clickable"]] == ["a", "b", "c", "d"]
    assert not any(
        {"cut", "parent"} & set(each) for each in roles(at, "lesson-5-graph").values()
    )  # nothing is given away
    for number in range(1, len(PUZZLES) + 2):
        asked = puzzle(number)
        assert ("Extra state 1" if number > len(PUZZLES) else f"State {number} of 6") in texts(at)
        at.session_state[f"lesson-5-picked-{number}"] = removable(asked.graph, asked.order, asked.start)
        at.button(key="lesson-5-check").click().run()
        assert at.success[0].value.startswith("Correct")
        at.button(key="lesson-5-another").click().run()
        assert url(at, "state") == str(number + 1)
    at = lesson(5, state="2")
    at.session_state["lesson-5-picked-2"] = {0, 1, 2}
    at.button(key="lesson-5-check").click().run()
    said, looks = texts(at), roles(at, "lesson-5-graph")
    assert "**c** · Not removable: without c the nodes d and e would be cut off." in said
    assert "**e** · Missed: without e the rest stays in one piece." in said
    assert "**b** · Right" in said
    assert ("right" in looks["b"], {"wrong", "cut"} <= set(looks["c"]), "parent" in looks["e"]) == (True, True, True)
    assert looks["f"] == ["outside"]
    hulls = component(at, "lesson-5-graph")["hulls"]
    assert hulls == {"without c: still with the start": [0, 1], "without c: cut off": [3, 4]}


# 6: rewards


@pytest.fixture(scope="module")
def tables() -> dict[str, SubgraphAnswers]:
    """What each GNN says of every subgraph."""
    return ask_all(JobContext(), index=612)


def metrics(at: AppTest) -> dict[str, str]:
    return {metric.label: metric.value.replace("−", "-").replace("\u00a0", " ") for metric in at.metric}


def test_the_reward_of_a_subgraph_and_the_best_one(tables: dict[str, SubgraphAnswers]) -> None:
    at, table, now = lesson(6), tables["sum"], known.Weighing(612)
    assert metrics(at)["log R"] == f"{-table.cross_entropy[0]:.2f}"
    assert metrics(at)["GNN predicts “cycle”"] == f"{100 * table.cycle[0]:.1f} %"
    assert at.button(key="l6-best").disabled  # first try one of your own
    at = lesson(6, set="1.2.4.5.7", best="1")
    assert metrics(at)["log R"] == f"{-table.cross_entropy[known.cycle_state(612)]:.3f}"
    assert metrics(at)["Better ones"] == "0 of 38"
    assert "You found a best one." in texts(at)
    assert "6 nodes, 6 edges." in texts(at)  # their distance counts only where it has a price
    assert (roles(at, "l6-graph")["612"][:2], roles(at, "l6-graph")["141"]) == (["start", "member"], ["outside"])
    at = lesson(6, set="1.2")
    assert "You found a best one." not in texts(at)
    ready(at.button(key="l6-best").click().run())
    mine = known.log_rewards(table, RewardConfig())[now.dag.index_of([0, 1, 2])]
    assert f"Yours {signed(mine)}, best {signed(-table.cross_entropy.min())}" in texts(at)
    best = now.best_sets(table)[0]
    assert f"The best: {now.label(best)}{', the whole cycle' * (best == now.nodes(now.cycle))}." in texts(at)
    shown = {label for label, has in roles(at, "l6-graph").items() if "right" in has}
    assert shown == {now.instance.node_label(node) for node in best}
    ready(at.button(key="l6-again").click().run())
    assert (url(at, "set"), url(at, "best")) == (None, None)
    assert "Not joined to the pink node: 141" in lesson(6, set="6").info[0].value
    at = lesson(6, set="1.2.4.5.7", k="4", distance="1")
    assert "at most 4 nodes" in at.info[0].value
    assert "You found a best one." not in texts(at)
    assert "6 edges, distance " in texts(at)


def test_what_is_offered_grows_with_what_was_done() -> None:
    def offered(at: AppTest) -> set[str]:
        return {str(each.key) for each in (*at.segmented_control, *at.selectbox)} & {"l6-trained", "l6-index"}

    at = lesson(6)
    assert not offered(at)
    tasks = lesson_6.LESSON.task.splitlines()
    for part, task in enumerate(tasks):
        ready(at.segmented_control(key="l6-part").set_value(part).run())
        assert [each in texts(at) for each in tasks] == [each == task for each in tasks]
        assert ("l6-index" in offered(at)) == (part > 0)
        assert ("l6-trained" in offered(at)) == (part == lesson_6.FRAGMENTS)
    assert offered(lesson(6, set="1.2.4.5.7")) == {"l6-index"}  # the first node is done


def test_the_sliders_weigh_all_subgraphs(tables: dict[str, SubgraphAnswers]) -> None:
    at, dag = lesson(6, part="2"), known.real_states(612)
    plain = known.probabilities(known.log_rewards(tables["sum"], RewardConfig()))
    assert f"**{known.number_sharing(plain)} of {dag.num_states}** subgraphs together have 90 %" in texts(at)
    before, picture = component(at, "l6-likeliest")["cards"], component(at, "l6-marginals")["svg"]
    at.select_slider(key="l6-beta").set_value(1000.0).run()
    ready(at.slider(key="l6-k").set_value(6).run())
    assert (url(at, "beta"), url(at, "k")) == ("1000", "6")
    share = known.Weighing(612, RewardConfig(beta=1000), 6).probabilities(tables["sum"])
    assert f"**{known.number_sharing(share)} of {int((dag.size <= 6).sum())}** subgraphs" in texts(at)
    cards = component(at, "l6-likeliest")["cards"]
    assert cards != before
    assert float(cards[0]["title"].replace("\u00a0%", "")) == pytest.approx(100 * share.max(), abs=0.06)
    assert component(at, "l6-marginals")["svg"] != picture
    at.select_slider(key="l6-edges").set_value(0.1).run()
    ready(at.select_slider(key="l6-distance").set_value(1.0).run())
    assert (url(at, "edges"), url(at, "distance")) == ("0.1", "1")
    assert component(at, "l6-likeliest")["cards"] != cards
    at = lesson(6, part="2")
    ready(at.button(key="l6-shipped").click().run())
    assert (url(at, "beta"), url(at, "nodes")) == (f"{SHIPPED.beta:g}", f"{SHIPPED.price('nodes'):g}")
    assert at.button(key="l6-shipped").disabled
    cycle = known.probabilities(known.log_rewards(tables["sum"], SHIPPED))[known.cycle_state(612)]
    assert f"whole cycle has **{percent(float(cycle))}**" in texts(at).replace("\u00a0", " ")


def test_gnns_trained_on_whole_graphs_and_on_fragments(tables: dict[str, SubgraphAnswers]) -> None:
    at = lesson(6, trained="whole", hide="theory")  # as a teacher may send it
    assert metrics(at)["GNN predicts “cycle”"] == f"{100 * tables['plain'].cycle[0]:.1f} %"
    ready(at.segmented_control(key="l6-trained").set_value("sum").run())
    assert url(at, "trained") is None
    assert metrics(at)["GNN predicts “cycle”"] == f"{100 * tables['sum'].cycle[0]:.1f} %"
    at = lesson(6, part="4", set="1.2")
    said, states = texts(at).replace("\u00a0", " "), known.growing_ring(612)
    mine = known.real_states(612).index_of([0, 1, 2])
    named = {"The pink node alone": 0, "3 nodes of its ring": states[2], "**The whole cycle**": states[-1]}
    for name, state in {**named, "Your subgraph": mine}.items():
        plain, student, also = (percent(float(tables[gnn].cycle[state])) for gnn in ("plain", "student", "sum"))
        assert f"| {name} | {plain} | {student} | {also} |" in said
    assert f"**{percent(known.share_on_cycles())}** of all are on a cycle" in said
    for reward in (RewardConfig(), SHIPPED):
        rewards = (known.log_rewards(tables[gnn], reward) for gnn in ("plain", "student", "sum"))
        plain, student, also = (percent(float(known.probabilities(each)[states[-1]])) for each in rewards)
        assert f"| P(whole cycle) | **{plain}** | **{student}** | **{also}** |" in said
    assert f"agrees with the GNN on **{percent(tables['student'].agreement)}** of the whole nodes" in said


def test_what_is_said_follows_the_answers(tables: dict[str, SubgraphAnswers]) -> None:
    assert "“I cannot know”" in known.lone_node_words(dict.fromkeys(known.COLUMNS, tables["sum"]))
    sure = known.lone_node_words(dict.fromkeys(known.COLUMNS, tables["plain"]))
    assert (sure.count("sure of what it cannot know") == 3) == (tables["plain"].cycle[0] < 0.1)
    for gnn in ("sum", "plain"):
        open_rings = tables[gnn].cycle[known.growing_ring(612)[:-1]]
        said = known.open_ring_words(known.Weighing(612), dict.fromkeys(known.COLUMNS, tables[gnn]))
        assert ("not sure of ring nodes alone" in said) == (open_rings.max() < known.SURE)
    assert len(known.consequence_tables(known.Weighing(612, SHIPPED), tables)) == 1


def test_another_instance_and_the_same_in_explain() -> None:
    at = lesson(6, set="1.2", best="1", part="2")
    ready(at.selectbox(key="l6-index").set_value(559).run())
    assert (url(at, "index"), url(at, "set")) == ("559", None)
    for shown, link in (
        (at, "dataset=tree_cycles&index=559&gnn=sum"),
        (lesson(6, trained="whole"), "dataset=tree_cycles&index=612&gnn=sum-plain&fragments=as+is"),
        (lesson(6, part="4"), "dataset=tree_cycles&index=612&gnn=sum-plain&fragments=student"),
        (
            lesson(6, part="2", beta="30", nodes="0.1", k="5"),
            "dataset=tree_cycles&index=612&gnn=sum&flows=exact&beta=30&price=0.1&k=5",
        ),
    ):
        assert link in [each.proto.query_string for each in shown.get("page_link") if each.proto.page == "explain"]


# 7: four ways to balance


def test_what_each_needs_is_said_and_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    at = lesson(7)
    for shown, method in zip(at.latex, METHODS.values(), strict=True):
        assert all(side in shown.value for side in method.sides)
    decided = [
        c for c in STUDIES["losses"].claims(read_records(STUDIES["losses"])) if "flow matching" in c.sentence.lower()
    ]
    assert len(decided) == 2
    for claim in decided:  # of tables and of networks
        assert f"n {claim.number.partition(';')[0]}" in texts(at)
    assert not {"l7-pb", "l7-lr"} & {str(each.key) for each in (*at.segmented_control, *at.select_slider)}
    assert "study=losses" in [each.proto.query_string for each in at.get("page_link")]
    monkeypatch.setattr(lesson_7, "RESULTS", tmp_path)
    assert "General libraries" not in texts(lesson(7))
    (tmp_path / "losses.json").write_text("[]", encoding="utf-8")
    at = lesson(7)
    assert not at.exception
    assert "General libraries" not in texts(at)


def test_four_trainings_side_by_side() -> None:
    at = lesson(7, starts="ae", pb="1")
    at.button(key="l7-train").click().run()
    looked_until(at, lambda: any(slider.key == "l7-step" for slider in at.select_slider))
    levels, curves = (json.loads(chart.proto.spec) for chart in at.get("plotly_chart"))
    assert levels["layout"]["xaxis"]["ticktext"] == ["a", "e"]
    assert {"l7-pb", "l7-lr"} <= {str(each.key) for each in (*at.segmented_control, *at.select_slider)}
    assert [trace["name"] for trace in levels["data"]][1:] == [trace["name"] for trace in curves["data"]]
    assert [trace["name"] for trace in curves["data"]] == [method.short for method in METHODS.values()]
    assert len({trace["line"]["dash"] for trace in curves["data"]}) == len(METHODS)
    assert f"**{METHODS[Loss.TRAJECTORY_BALANCE].title}** ends at" in texts(at)
    at.select_slider(key="l7-step").set_value(0).run()
    assert url(at, "at") == "0"
    before = json.loads(at.get("plotly_chart")[1].proto.spec)
    assert len(before["data"][0]["x"]) < len(curves["data"][0]["x"])
    at.query_params["at"] = "199"  # of which there is no snapshot
    assert at.run().select_slider(key="l7-step").value == 200


# 8: watch it learn


def test_the_state_that_was_clicked_is_told() -> None:
    recording = shipped_recording(SEQUENCE)
    assert recording is not None
    at = lesson(8, pin="77.78")
    assert not at.warning
    assert len(component(at, "l8-view")["lanes"]) == 2
    assert "Now click a state" in texts(at)
    assert f"story={SEQUENCE}" in [each.proto.query_string for each in at.get("page_link")]
    states = final_states(recording)
    worst = most_wrong(states, 1)
    pin = ".".join(map(str, recording.lanes[0].scenes[-1].states[worst]))
    at = lesson(8, pin=pin)
    assert f"can be built in **{counted(states[worst].orders, 'order')}**" in texts(at)
    assert "l8-show" not in {button.key for button in at.button}
    seldom = next(number for number, state in enumerate(states) if state.drawn[1] < state.target)
    at = lesson(8, pin=".".join(map(str, recording.lanes[0].scenes[-1].states[seldom])))
    assert "samples it too seldom" in texts(at)
    assert at.button(key="l8-show")


def test_the_second_lane_ends_where_orders_count() -> None:
    """What the lesson tells is what was trained: the shares of GFlow-Sequence are nearer to orders · R than to R."""
    recording = shipped_recording(SEQUENCE)
    assert recording is not None
    scene = recording.lanes[0].scenes[-1]
    parents: dict[int, list[int]] = {}
    for parent, child, _ in scene.links:
        parents.setdefault(child, []).append(parent)

    def slowly(state: int) -> int:
        return 1 if len(scene.states[state]) == 1 else sum(map(slowly, parents[state]))

    small = [state for state, nodes in enumerate(scene.states) if len(nodes) <= 5]
    states = final_states(recording)
    assert [states[state].orders for state in small] == [slowly(state) for state in small]
    right, wrong = (np.array([state.drawn[lane] for state in states]) for lane in (0, 1))
    target, by_orders = np.array([s.target for s in states]), np.array([s.by_orders for s in states])
    for shares in (right, wrong, target, by_orders):
        assert shares.sum() == pytest.approx(1, abs=0.01)
    assert np.abs(right - target).sum() / 2 < 0.05
    assert np.abs(wrong - by_orders).sum() / 2 < np.abs(wrong - target).sum() / 2
    assert states[most_wrong(states, 1)].orders > 1


# 9: guess the rule


def test_a_hidden_gnn_is_asked_and_revealed() -> None:
    at = lesson(9, gnn="B", asked="CF.Bw")  # a star with three arms, a triangle
    looked_until(at, lambda: has(at, "l9-answers"))
    cards = component(at, "l9-answers")["cards"]
    assert [(card["title"].split()[0], card["note"]) for card in cards] == [
        ("Yes", "a triangle"),
        ("No", "a star with three arms"),
    ]
    assert "8 questions left" in at.button(key="l9-ask").label
    at.button(key="l9-ask").click().run()  # the path that is on the sheet
    assert url(at, "asked") == "CF.Bw.Ch"
    assert at.button(key="l9-ask").disabled  # it was asked about
    question = about_the_rule("B")
    wrong = next(number for number in range(5) if number != question.right)
    at.radio(key="lesson-9-question-B").set_value(wrong).run()
    assert "Not “when " in at.warning[-1].value
    assert not has(at, "l9-rules")
    at.button(key="l9-reveal").click().run()
    assert url(at, "reveal") == "1"
    looked_until(at, lambda: has(at, "l9-rules"))
    assert component(at, "l9-rules")["cards"][0]["title"] == "a triangle"
    at.button(key="l9-next").click().run()
    assert (url(at, "gnn"), url(at, "asked"), url(at, "reveal")) == ("C", None, None)


def test_ten_questions_are_all_there_are() -> None:
    many = ".".join(spell_graph(graph) for graph in all_graphs()[:12])
    at = lesson(9, asked=many)
    assert at.button(key="l9-ask").disabled
    assert "ten questions" in texts(at)
    looked_until(at, lambda: has(at, "l9-answers"))
    assert len(component(at, "l9-answers")["cards"]) == 10
