"""Lesson 6: a live GNN call for the student's subgraph, the best one, P ∝ R re-weighed, and the GCN's blindness."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.gfn.settings import RewardConfig
from gfx_core.job_context import JobContext
from gfx_core.teaching import known_subgraphs as real
from gfx_core.teaching.known_subgraphs import SHIPPED
from gfx_core.teaching.lesson_jobs import ask_all
from gfx_core.text.numbers import percent, signed
from tests.pages.page_reading import Open, component, looked_until, texts, url

QUESTION = "l6-question"
JOB = JobContext("cpu", lambda _share, _words: None, lambda: False)


def ready(at: AppTest) -> AppTest:
    """Wait for the worker."""
    return looked_until(at, lambda: not any(button.label == "Cancel" for button in at.button))


def opened(open_page: Open, **parameters: str) -> AppTest:
    return ready(open_page("learn", lesson="6", **parameters))


def metrics(at: AppTest) -> dict[str, str]:
    return {metric.label: metric.value.replace("−", "-").replace("\u00a0", " ") for metric in at.metric}


def roles(at: AppTest) -> dict[str, list[str]]:
    return {node["label"]: node["roles"] for node in component(at, "l6-graph")["nodes"]}


def test_the_reward_of_a_subgraph(open_page: Open) -> None:
    at = opened(open_page)
    table = ask_all(JOB, index=612)["sum"]
    assert "takes node 612 for **cycle**" in texts(at)
    assert metrics(at)["log R"] == f"{-table.cross_entropy[0]:.2f}"
    assert metrics(at)["GNN says “cycle”"] == f"{100 * table.cycle[0]:.1f} %"
    assert at.button(key="l6-best").disabled  # first try one of your own
    at = opened(open_page, set="1.2.4.5.7")
    found = metrics(at)
    assert found["log R"] == f"{-table.cross_entropy[real.cycle_state(612)]:.3f}"
    assert found["Better than"] == "36 of 38"  # itself, and one that looks alike to the GNN
    assert roles(at)["612"] == ["start", "member"]
    assert roles(at)["141"] == ["outside"]


def test_the_best_one_is_shown_after_a_try(open_page: Open) -> None:
    at = opened(open_page, set="1.2")
    assert "best −" not in texts(at)
    at.button(key="l6-best").click().run()
    ready(at)
    assert url(at, "best") == "1"
    now, table = real.Weighing(612), ask_all(JOB, index=612)["sum"]
    mine = real.log_rewards(table, RewardConfig())[now.dag.index_of([0, 1, 2])]
    assert f"Yours {signed(mine)}, best {signed(-table.cross_entropy.min())}" in texts(at)
    best = now.best_sets(table)[0]
    assert f"The best: {now.label(best)}{', the whole cycle' * (best == now.nodes(now.cycle))}." in texts(at)
    shown = {label for label, has in roles(at).items() if "right" in has}
    assert shown == {now.instance.node_label(node) for node in best}
    at.button(key="l6-again").click().run()
    ready(at)
    assert url(at, "set") is None
    assert url(at, "best") is None
    found = opened(open_page, set="1.2.4.5.7", best="1")
    assert "You found a best one." in texts(found)


def test_a_set_that_is_not_joined_or_too_large(open_page: Open) -> None:
    at = opened(open_page, set="6")
    assert "Not joined to the pink node: 141" in at.info[0].value
    at = opened(open_page, set="1.2.4.5.7", k="4")
    assert "at most 4 nodes" in at.info[0].value


def test_the_sliders_weigh_all_subgraphs(open_page: Open) -> None:
    at = opened(open_page, part="2")
    dag, table = real.real_states(612), ask_all(JOB, index=612)["sum"]
    plain = real.probabilities(real.log_rewards(table, RewardConfig()))
    assert f"**{real.number_sharing(plain)} of {dag.num_states}** subgraphs share 90 %" in texts(at)
    before = component(at, "l6-likeliest")["cards"]
    picture = component(at, "l6-marginals")["svg"]
    at.select_slider(key="l6-beta").set_value(1000.0).run()
    at.slider(key="l6-k").set_value(6).run()
    ready(at)
    assert (url(at, "beta"), url(at, "k")) == ("1000", "6")
    sharp = real.up_to(dag, real.log_rewards(table, RewardConfig(beta=1000)), 6)
    share = real.probabilities(sharp)
    assert f"**{real.number_sharing(share)} of {int((dag.size <= 6).sum())}** subgraphs" in texts(at)
    cards = component(at, "l6-likeliest")["cards"]
    assert cards != before
    assert float(cards[0]["title"].replace("\u00a0%", "")) == pytest.approx(100 * share.max(), abs=0.06)
    assert component(at, "l6-marginals")["svg"] != picture
    at.slider(key="l6-k").set_value(4).run()
    assert "more than the 4 that are allowed" in texts(ready(at))


def test_other_prices(open_page: Open) -> None:
    at = opened(open_page, set="1.2", edges="0.1", distance="1")
    assert "price · edges + price · distance" in texts(at)
    at = opened(open_page, part="2")
    before = texts(at)
    at.select_slider(key="l6-edges").set_value(0.1).run()
    at.select_slider(key="l6-distance").set_value(1.0).run()
    assert texts(ready(at)) != before
    assert (url(at, "edges"), url(at, "distance")) == ("0.1", "1")


def test_the_gcn_cannot_tell(open_page: Open) -> None:
    at = opened(open_page, part="3", set="1.2.4.5.7")
    said = texts(at).replace("\u00a0", " ")
    lone = re.search(r"\| The pink node alone \| ([\d.]+) % \| ([\d.]+) % \|", said)
    cycle = re.search(r"\| \*\*The whole cycle\*\* \| ([\d.]+) % \| ([\d.]+) % \|", said)
    mine = re.search(r"\| Your subgraph \| ([\d.]+) % \| ([\d.]+) % \|", said)
    assert lone is not None
    assert cycle is not None
    assert mine is not None
    assert mine.groups() == cycle.groups()
    assert abs(float(cycle[1]) - float(lone[1])) > 20
    assert cycle[2] == lone[2]
    assert "cannot tell the cycle from a lone node" in said
    assert "hears **0** alone and **2** on the cycle" in re.sub(r"\s+", " ", said)


@pytest.mark.parametrize(("trained", "gnn"), [("whole", "plain"), ("fragments", "sum")])
def test_the_switch_and_its_link(open_page: Open, trained: str, gnn: str) -> None:
    at = opened(open_page, trained=trained, hide="theory")  # as a teacher may send it
    table = ask_all(JOB, index=612)[gnn]
    assert at.segmented_control(key="l6-trained").value == gnn
    assert metrics(at)["GNN says “cycle”"] == f"{100 * table.cycle[0]:.1f} %"
    other = {"sum": "plain", "plain": "sum"}[gnn]
    at.segmented_control(key="l6-trained").set_value(other).run()
    ready(at)
    assert url(at, "trained") == {"sum": None, "plain": "whole"}[other]
    assert metrics(at)["GNN says “cycle”"] == f"{100 * ask_all(JOB, index=612)[other].cycle[0]:.1f} %"


def test_fragments_side_by_side(open_page: Open) -> None:
    at = opened(open_page, part="4", set="1.2")
    said = texts(at).replace("\u00a0", " ")
    tables, states = ask_all(JOB, index=612), real.growing_ring(612)
    mine = real.real_states(612).index_of([0, 1, 2])
    rows = {"The pink node alone": 0, "3 nodes of its ring": states[2], "**The whole cycle**": states[-1]}
    for name, state in {**rows, "Your subgraph": mine}.items():
        plain, also = (percent(float(tables[gnn].cycle[state])) for gnn in ("plain", "sum"))
        assert f"| {name} | {plain} | {also} |" in said
    assert f"**{percent(real.share_on_cycles())}** of all are on a cycle" in said
    for reward in (RewardConfig(), SHIPPED):
        shares = (real.probabilities(real.log_rewards(tables[gnn], reward))[states[-1]] for gnn in ("plain", "sum"))
        plain, also = (percent(float(share)) for share in shares)
        assert f"| P(whole cycle) | **{plain}** | **{also}** |" in said
    assert "l6-trained" not in {each.key for each in at.segmented_control}  # both are shown
    assert "What can be known" not in texts(opened(open_page, part="4", hide="theory"))


def test_what_is_said_follows_the_answers() -> None:
    answers = ask_all(JOB, index=612)
    assert "“I cannot know”" in real.lone_node_words({"plain": answers["sum"], "sum": answers["sum"]})
    sure = real.lone_node_words({"plain": answers["plain"], "sum": answers["plain"]})
    assert (sure.count("sure of what it cannot know") == 2) == (answers["plain"].cycle[0] < 0.1)
    now = real.Weighing(612)
    for gnn in ("sum", "plain"):
        open_rings = answers[gnn].cycle[real.growing_ring(612)[:-1]]
        said = real.open_ring_words(now, {"plain": answers[gnn], "sum": answers[gnn]})
        assert ("sure of no open ring" in said) == (open_rings.max() < real.SURE)
    assert len(real.consequence_tables(real.Weighing(612, SHIPPED), answers)) == 1


def test_the_reward_of_the_shipped_policies(open_page: Open) -> None:
    at = opened(open_page, part="2")
    at.button(key="l6-shipped").click().run()
    ready(at)
    assert (url(at, "beta"), url(at, "nodes")) == (f"{SHIPPED.beta:g}", f"{SHIPPED.price('nodes'):g}")
    assert at.button(key="l6-shipped").disabled
    table, cycle = ask_all(JOB, index=612)["sum"], real.cycle_state(612)
    share = real.probabilities(real.log_rewards(table, SHIPPED))[cycle]
    assert f"drawn with **{percent(float(share))}**" in texts(at).replace("\u00a0", " ")
    at = opened(open_page, set="1.2", beta=f"{SHIPPED.beta:g}", nodes=f"{SHIPPED.price('nodes'):g}")
    assert "price · nodes" in texts(at)


def test_wrong_and_right_answers(open_page: Open) -> None:
    at = opened(open_page)
    said = []
    for wrong in (0, 2, 3):
        at.radio(key=QUESTION).set_value(wrong).run()
        ready(at)
        said.append(at.warning[0].value)
        assert url(at, "done") is None
    assert len(set(said)) == 3
    at.radio(key=QUESTION).set_value(1).run()
    ready(at)
    assert at.success[0].value.startswith("Right.")
    assert url(at, "done") == "6"


def test_another_instance(open_page: Open) -> None:
    at = opened(open_page, set="1.2", best="1")
    at.selectbox(key="l6-index").set_value(559).run()
    ready(at)
    assert url(at, "index") == "559"
    assert url(at, "set") is None
    assert "takes node 559" in texts(at)
    links = [link.proto.query_string for link in at.get("page_link") if link.proto.page == "explain"]
    assert links == ["dataset=tree_cycles&index=559&gnn=sum"]
    at = opened(open_page, part="2", beta="30", nodes="0.1", k="5")
    link = next(link.proto.query_string for link in at.get("page_link") if link.proto.page == "explain")
    assert link == "dataset=tree_cycles&index=612&gnn=sum&flows=exact&beta=30&price=0.1&k=5"


@pytest.mark.parametrize(
    "link",
    [
        {
            "index": "7",
            "set": "<b>",
            "trained": "<i>",
            "nodes": "-1",
            "part": "9",
            "beta": "nan",
            "k": "1e9",
            "edges": "-1",
            "distance": "x",
        },
        {"index": "-1", "set": "999.-4", "part": "-2", "beta": "2", "k": "-3", "best": "yes"},
        {"index": "612", "set": "1.2." + "9" * 40, "part": "", "k": ""},
    ],
)
def test_links_that_make_no_sense(open_page: Open, link: dict[str, str]) -> None:
    at = opened(open_page, **link)
    assert not at.error
    assert "takes node 612 for **cycle**" in texts(at)


def test_a_teacher_hides_parts(open_page: Open) -> None:
    at = opened(open_page, hide="controls,question,theory", part="2", beta="30")
    assert not at.radio
    assert not at.selectbox
    assert not at.select_slider
    assert component(at, "l6-marginals")["svg"]
    at = opened(open_page, hide="controls", set="1.2")
    assert not component(at, "l6-graph")["clickable"]
    assert "l6-best" not in {button.key for button in at.button}
    at = opened(open_page, hide="theory", part="3")
    assert "Why? Every node" not in texts(at)
    assert at.radio
