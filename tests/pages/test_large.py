"""Large instances: what a training will take is said before it is begun, with a choice."""

import re

from streamlit.testing.v1 import AppTest

from gfx_core.explanation.durations import tuning_plan
from tests.pages.page_reading import Open, texts, url
from tests.patience import PATIENCE_S


def _sampling(nodes: int) -> None:
    from gfx_core.explanation.question import Question
    from gfx_core.gfn.settings import policy_config
    from pages.ui.explain.sampling import pick_sampling

    pick_sampling(Question("tree_cycles", "511"), policy_config("tree_cycles").as_dict(), nodes)


def test_a_training_on_a_large_one_is_cut_with_a_choice() -> None:
    at = AppTest.from_function(_sampling, kwargs={"nodes": 10}, default_timeout=PATIENCE_S).run()
    assert re.search(r"\(about \d+ s on a CPU\)", at.toggle(key="tune").help)
    at.toggle(key="tune").set_value(True).run()
    assert [toggle.key for toggle in at.toggle] == ["tune"]
    at = AppTest.from_function(_sampling, kwargs={"nodes": 800}, default_timeout=PATIENCE_S).run()
    plan = tuning_plan(800)
    assert f"on a CPU, {plan.epochs} epochs in place of 30 as it has 800 nodes)" in at.toggle(key="tune").help
    at.toggle(key="tune").set_value(True).run()
    assert at.toggle(key="tune-whole").label.startswith("All 30 epochs (about ")
    at.toggle(key="tune-whole").set_value(True).run()
    assert not at.exception
    assert url(at, "tune-whole") == "1"


def test_a_live_training_on_a_large_one(open_page: Open) -> None:
    at = open_page("train", story="none", dataset="ba_community", index="700")  # a hub
    assert re.search(r"\d\d\d nodes: 600 steps take about \d+ min here", texts(at))
    at.button(key="train-shorter").click().run()
    assert not at.exception
    assert int(url(at, "steps1")) < 600
    assert " nodes: " not in texts(at)
