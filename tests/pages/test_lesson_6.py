"""Lesson 6: a live GNN call for the student's subgraph, the best one, P ∝ R re-weighed, and the GCN's blindness."""

import re
import time

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.crew.context import JobContext
from gfx_core.gfn.settings import RewardConfig
from gfx_core.teaching import known_subgraphs as real
from gfx_core.teaching.subgraph_answers import ask_all
from tests.pages.page_reading import Open, component, texts, url

QUESTION = "l6-question"
JOB = JobContext("cpu", lambda _share, _words: None, lambda: False)


def ready(at: AppTest) -> AppTest:
    """Wait for the worker."""
    for _ in range(120):
        if not any(button.label == "Cancel" for button in at.button):
            assert not at.exception
            return at
        time.sleep(0.25)
        at.run()
    raise AssertionError("the worker did not answer")


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
    assert re.search(r"Yours −4\.\d+, best −0\.009", texts(at))
    assert "the whole cycle" in texts(at)
    assert [label for label, has in roles(at).items() if "right" in has] == ["612", "607", "611", "608", "610", "609"]
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
    assert "larger than K_M = 4" in at.info[0].value


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
    assert "too large for this K_M" in texts(ready(at))


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
    assert float(cycle[1]) - float(lone[1]) > 90
    assert cycle[2] == lone[2]
    assert "cannot tell the cycle from a lone node" in said
    assert "hears **0** alone and **2** on the cycle" in re.sub(r"\s+", " ", said)


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
    assert links == ["dataset=tree_cycles&index=559"]


@pytest.mark.parametrize(
    "link",
    [
        {"index": "7", "set": "<b>", "part": "9", "beta": "nan", "k": "1e9", "edges": "-1", "distance": "x"},
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
