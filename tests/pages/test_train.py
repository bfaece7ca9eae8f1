"""Train: what links say, what is shown at once, and a training that is begun, steered and ended."""

import re
from collections.abc import Callable

import pytest

from gfx_core.config import ASSETS
from gfx_core.files import DIGITS
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.own_policies import policy_file
from gfx_core.gfn.settings import GFNConfig
from gfx_core.jobs.job import Client
from gfx_core.training.training import STORIES
from pages.ui import train
from pages.ui.train import FIELDS, TEXTS, Run
from tests.pages.page_reading import Open, component, has, keys, looked_until, read, texts, url
from tests.toys.trainings import policy_of

LINK = {"story": "none", "graph": "toy"}


@pytest.mark.parametrize("name", STORIES)
def test_each_story_says_what_to_watch_and_is_drawn(open_page: Open, name: str) -> None:
    at = open_page("train", story=name)
    assert not at.warning
    assert read(STORIES[name].watch) in texts(at)
    assert len({"beta1", "beta2"} & keys(at.select_slider)) == len(STORIES[name].trainings)
    assert has(at, "train-view")
    assert "Shown: " not in texts(at)


def test_a_knob_that_was_changed_since_is_told(open_page: Open) -> None:
    said = texts(open_page("train", story="epsilon", beta2="5", loss2="tb"))
    assert "Shown: " in said
    assert "β = 1" in said


def test_another_story_begins_anew(open_page: Open) -> None:
    first, other = list(STORIES)[:2]
    at = open_page("train", story=first, eps2="0.3", at="3", dataset="tree_cycles", index="612")
    assert at.selectbox(key="train-story").value == ""  # a prediction in the link is a training of one's own
    at.selectbox(key="train-story").set_value(other).run()
    assert dict(at.query_params) == {"story": other}
    at.selectbox(key="train-story").set_value("").run()
    assert url(at, "story") == "none"
    at.selectbox(key="train-graph").set_value("toy").run()
    assert (url(at, "graph"), url(at, "dataset")) == ("toy", None)
    at.selectbox(key="train-graph").set_value("").run()
    assert url(at, "graph") == "none"
    assert has(open_page("train", story="orders"), "train-view")
    at = open_page("train", story="orders", graph="none")
    assert at.selectbox(key="train-story").value == ""


def test_what_cannot_be_is_left_out_with_a_sentence_each(open_page: Open) -> None:
    at = open_page("train", **LINK, learner1="network")
    assert len(at.warning) == 1
    at = open_page("train", **LINK, eps1="7", loss1="hope", seed1="3")
    assert [re.search(r"\((got .*)\)", read(each.value))[1] for each in at.warning] == ["got hope", "got 7"]  # type: ignore[index]
    assert at.number_input(key="seed1").value == 3
    assert open_page("train", dataset="mutagenicity", smiles="(((").error


def test_every_knob_has_a_parameter_and_a_widget(open_page: Open) -> None:
    every = knobs(GFNConfig)
    assert all(set(FIELDS[number]) == set(every) for number in (1, 2))
    at = open_page("train", story="none", dataset="tree_cycles", index="612")
    widgets = keys(at.select_slider, at.selectbox, at.number_input)
    assert {f"{knob.link}1" for knob in every.values()} <= widgets


@pytest.mark.usefixtures("data_folder", "no_workers")
def test_what_was_saved_is_opened_again(open_page: Open) -> None:
    at = open_page("train", **LINK)
    for file, names in (("orders.json", 2), ("first.json", 1)):
        at.file_uploader(key="train-upload").upload(file, (ASSETS / "trainings" / file).read_bytes()).run()
        assert len(component(at, "train-view")["lanes"]) == names
    at.file_uploader(key="train-upload").upload("p.safetensors", policy_of("tree_cycles").read_bytes()).run()
    at.button(key="use-uploaded").click().run()
    assert len(url(at, "policy")) == DIGITS
    assert at.title[0].value == "Explain one prediction"


def test_a_training_is_begun_changed_and_ended(open_page: Open) -> None:
    at = open_page("train", **LINK, steps1="20000")

    def trained_on(more: Callable[[Run], object]) -> Run:
        """The visitor's training, once it has come so far."""
        looked_until(at, lambda: more(at.session_state["train:run"]))
        return at.session_state["train:run"]

    at.button(key="train-live").click().run()
    trained_on(lambda run: run.assembler.length > 1)
    assert "train-live" not in keys(at.button)
    assert read(TEXTS["own"]) in texts(at)
    at.select_slider(key="eps1").set_value(0.5).run()  # acts at once
    trained_on(lambda run: any("change" in frame for frame in run.as_dict()["lanes"][0]["frames"]))
    at.button(key="train-end").click().run()
    run = trained_on(lambda run: not run.pending)
    assert (len(run.policies), run.failure) == (1, "")
    at.select_slider(key="eps1").set_value(0.2).run()
    assert "Shown: " in texts(at)
    at.toggle(key="train-two").set_value(True).run()
    assert (url(at, "lanes"), at.select_slider(key="eps2").value) == ("2", 0.2)  # it begins like the first
    at.button(key="train-live").click().run()
    both = trained_on(lambda now: now is not run and len(now.as_dict()["lanes"]) == 2)
    both.job.cancel()
    assert trained_on(lambda run: not run.pending).failure in [read(warning.value) for warning in at.warning]
    assert has(at, "train-view")  # what was recorded stays


def test_who_keeps_many_policies_deletes_none_of_another_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "MOST_KEPT", 1)
    files = []
    for visitor, dataset in (("a", "tree_cycles"), ("b", "tree_grid"), ("b", "ba_shapes"), ("b", "ba_shapes")):
        monkeypatch.setattr(train.sessions, "client", lambda visitor=visitor: Client("a page", visitor))
        policy = train.keep(policy_of(dataset).read_bytes(), dataset)
        files.append(policy_file(dataset, own=policy.name))
    assert [file.is_file() for file in files] == [True, False, True, True]
