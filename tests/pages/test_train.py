"""Train: what links say, what is shown at once, and a training that is begun, steered and ended."""

import re
from dataclasses import replace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from gfx_core.drawing.export import train_parts
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig
from gfx_core.jobs.job import JobState, JobStatus
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.live import begin_event
from gfx_core.training.stories import STORIES
from gfx_core.training.training import TrainingResult, defaults_for, training_names
from pages.ui.components import train_view
from pages.ui.train import live_run
from pages.ui.train.link import FIELDS, Plan
from pages.ui.train.live_run import Run
from tests.pages.page_reading import Open, has, keys, read, texts, url
from tests.patience import PATIENCE_S
from tests.training.toy_recording import Toy, toy_recording

TOY = LessonGraph("toy")
LINK = {"story": "none", "graph": "toy"}


def lanes(at: AppTest) -> int:
    return len({"beta1", "beta2"} & keys(at.select_slider))


# The link


@pytest.mark.parametrize("name", STORIES)
def test_each_story_says_what_to_watch_and_is_drawn(open_page: Open, name: str) -> None:
    at = open_page("train", story=name)
    assert not at.warning
    assert read(STORIES[name].watch) in texts(at)
    assert lanes(at) == len(STORIES[name].trainings)
    assert has(at, "train-view")
    assert "Shown: " not in texts(at)


def test_a_knob_that_was_changed_since_is_told(open_page: Open) -> None:
    said = texts(open_page("train", story="epsilon", beta2="5", loss2="tb"))
    assert "Shown: " in said
    assert "β = 1" in said


def test_a_knob_is_in_the_link_and_its_own_value_is_not(open_page: Open) -> None:
    at = open_page("train", **LINK, sliders="all")
    usual = at.select_slider(key="eps1").value
    at.select_slider(key="eps1").set_value(0.5).run()
    at.selectbox(key="loss1").set_value("tb").run()
    assert (url(at, "eps1"), url(at, "loss1")) == ("0.5", "tb")
    again = open_page("train", **LINK, eps1="0.5", loss1="tb")
    assert (again.select_slider(key="eps1").value, again.selectbox(key="loss1").value) == (0.5, "tb")
    at.select_slider(key="eps1").set_value(usual).run()
    assert url(at, "eps1") is None


def test_a_second_lane_begins_like_the_first(open_page: Open) -> None:
    at = open_page("train", **LINK, lr1="0.3")
    at.toggle(key="train-two").set_value(True).run()
    assert (url(at, "lanes"), at.select_slider(key="lr2").value) == ("2", 0.3)
    at.select_slider(key="lr2").set_value(0.01).run()
    assert (url(at, "lr1"), url(at, "lr2")) == ("0.3", "0.01")
    at.toggle(key="train-two").set_value(False).run()
    assert lanes(at) == 1


def test_another_story_begins_anew_and_no_story_keeps_the_prediction(open_page: Open) -> None:
    first, other = list(STORIES)[:2]
    at = open_page("train", story=first, eps2="0.3", at="3", dataset="tree_cycles", index="612")
    assert at.selectbox(key="train-story").value == ""  # a prediction in the link is a training of one's own
    at.selectbox(key="train-story").set_value(other).run()
    assert dict(at.query_params) == {"story": other}
    about = STORIES[other].trainings[-1].question
    at.selectbox(key="train-story").set_value("").run()
    assert url(at, "story") == "none"
    assert url(at, "graph" if isinstance(about, LessonGraph) else about.source) == about.name


def test_what_cannot_be_is_left_out_with_a_sentence_each(open_page: Open) -> None:
    at = open_page("train", **LINK, plain1="1", begin1="shipped")
    assert len(at.warning) == 2
    at = open_page("train", **LINK, eps1="7", loss1="hope", seed1="3")
    assert [re.search(r"\((got .*)\)", read(each.value))[1] for each in at.warning] == ["got hope", "got 7"]  # type: ignore[index]
    assert at.number_input(key="seed1").value == 3
    assert open_page("train", dataset="mutagenicity", smiles="(((").error


def test_every_knob_has_a_parameter_and_a_widget(open_page: Open) -> None:
    every = knobs(GFNConfig)
    assert all(set(FIELDS[number]) == set(every) for number in (1, 2))
    at = open_page("train", story="none", dataset="tree_cycles", index="612", sliders="all")
    widgets = keys(at.select_slider, at.selectbox, at.number_input, at.toggle)
    assert {"plain1", *(f"{knob.link}1" for knob in every.values())} <= widgets


def test_a_training_on_a_large_one_can_be_shorter(open_page: Open) -> None:
    at = open_page("train", story="none", dataset="ba_community", index="700")  # a hub
    at.button(key="train-shorter").click().run()
    assert int(url(at, "steps1")) < 600
    assert "train-shorter" not in keys(at.button)


# A training of one's own


class FakeJob:
    """A job whose state and events are set by the test."""

    def __init__(self) -> None:
        self.status = JobStatus(JobState.RUNNING)
        self.said: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        self.cancelled = False

    def events(self, since: int = 0) -> list[dict[str, Any]]:
        return self.said[since:]

    def send(self, command: dict[str, Any]) -> None:
        self.sent.append(command)

    def cancel(self) -> None:
        self.cancelled = True

    def detach(self, on: bool) -> None:
        self.outlives = on

    def result(self) -> tuple[TrainingResult, ...]:
        return (TrainingResult(3, "Done.", b"policy"),)


@pytest.fixture
def run() -> Run:
    return Run(FakeJob(), "A toy", [defaults_for(TOY)], ())  # type: ignore[arg-type]


def job(run: Run) -> FakeJob:
    return run.job  # type: ignore[return-value]


BEGIN = begin_event([defaults_for(TOY)])


def frame(step: int, **more: Any) -> dict[str, Any]:
    return {"is": "frame", "lane": 0, "frame": {"step": step, **more}}


def test_what_acts_at_once_is_sent_and_what_does_not_begins_anew(run: Run) -> None:
    changed = run.trainings[0].changed({"epsilon": 0.4, "lr": 0.01})
    assert not run.change([changed])
    assert job(run).sent == [{"do": "change", "trainings": [changed.as_dict()]}]
    assert run.trainings == (changed,)
    for name, value in {"seed": 1, "loss": "tb", "max_nodes": 4}.items():
        assert run.change([changed.changed({name: value})])
        assert job(run).sent[-1]["trainings"][0]["config"][name] == value


def test_a_training_says_what_was_changed_at_which_step(run: Run) -> None:
    plan = Plan(TOY, run.trainings, run.trainings, None)
    job(run).said = [BEGIN, frame(1)]
    run.update()
    assert not run.departures(plan)  # then the story's words hold
    job(run).said.append(frame(1200, change={"beta": 10.0, "epsilon": 0.4}))
    run.update()
    assert run.departures(plan) == "Changed at step 1,200: β = 10 and ε = 0.4."
    run.change([run.trainings[0].changed({"loss": "tb"})])
    job(run).said.append(BEGIN)
    run.update()
    assert run.departures(plan).startswith("Begun with trajectory balance")


def test_a_training_that_ended_leaves_its_policies(run: Run) -> None:
    job(run).said = [BEGIN, {"is": "end", "lane": 0, "end": "Done."}]
    run.update()
    assert not run.policies
    job(run).status = JobStatus(JobState.DONE)
    run.update()
    assert run.policies == [b"policy"]
    assert run.assembler.lanes[0]["end"] == "Done."
    assert not run.failure
    run.send({"do": "run"})
    assert not job(run).sent  # nobody is there to hear it


def test_one_that_has_ended_becomes_a_lane_beside_a_second(run: Run) -> None:
    first, second = defaults_for(TOY), defaults_for(TOY).changed({"epsilon": 0.4})
    job(run).said = [BEGIN, frame(0), frame(9)]
    run.update()
    plan = Plan(TOY, (first, second), (first, first), None)
    run.key = plan.key
    assert not run.stays_beside(plan)  # it still goes on
    job(run).status = JobStatus(JobState.DONE)
    run.update()
    assert run.stays_beside(plan)
    assert not run.stays_beside(replace(plan, trainings=(second, first)))  # the first one was changed: trained anew
    both = Run(FakeJob(), "A toy", plan.trainings, plan.key, run)  # type: ignore[arg-type]
    job(both).said = [begin_event([second]), frame(0)]
    both.update()
    assert both.length == 2
    assert [len(lane["frames"]) for lane in both.as_dict(2)["lanes"]] == [2, 1]
    assert [lane["name"] for lane in both.as_dict(2)["lanes"]] == list(training_names(plan.trainings))
    assert not both.change([first.changed({"epsilon": 0.7}), second])  # what has ended cannot be changed
    assert not job(both).sent
    job(both).status = JobStatus(JobState.DONE)
    both.update()
    assert both.policies == [b"policy", b"policy"]


class EndsMeanwhile(FakeJob):
    """It ends as soon as it was listened to."""

    def events(self, since: int = 0) -> list[dict[str, Any]]:
        self.status = JobStatus(JobState.DONE)
        return super().events(since)


def test_one_that_ends_while_the_page_is_drawn_is_drawn_as_ended(open_page: Open) -> None:
    at = open_page("train", **LINK)
    ended = Run(EndsMeanwhile(), "A toy", [defaults_for(TOY).changed({"beta": 50.0})], (None, TOY))  # type: ignore[arg-type]
    at.session_state["train:run"] = ended
    at.run()
    assert not at.exception
    assert not ended.pending
    assert ended.policies == [b"policy"]  # it was heard to the end
    assert keys(at.button) & {"train-live", "train-end"} == {"train-live"}


@pytest.mark.parametrize(
    "status", [JobStatus(JobState.FAILED, sentence="It was ended from outside."), JobStatus(JobState.CANCELLED)]
)
def test_one_that_was_lost_says_so_and_its_frames_stay(run: Run, status: JobStatus) -> None:
    job(run).said = [BEGIN, frame(0)]
    job(run).status = status
    run.update()
    assert (status.sentence or "cancelled") in run.failure
    assert run.assembler.lanes[0]["frames"] == [{"step": 0}]
    assert run.failure in run.assembler.lanes[0]["end"]


def test_a_run_that_stays_outlives_its_page_and_ends_when_it_is_told(run: Run) -> None:
    run.set_stay(True)
    assert job(run).outlives
    assert live_run._pageless == {run.name: run}
    run.set_stay(False)
    assert not live_run._pageless
    run.end()
    assert job(run).sent == [{"do": "stay", "on": True}, {"do": "stay", "on": False}, {"do": "end"}]
    job(run).status = JobStatus(JobState.QUEUED)
    run.end()
    assert job(run).cancelled


# News of a training


def test_frames_that_are_lost_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that keeps frames as `assets/train/stream.js` does, and loses every third message."""
    recording = toy_recording(Toy(lanes=1, frames=40))
    frames = recording["lanes"][0]["frames"]
    monkeypatch.setattr(st, "session_state", {})
    steps: list[int] = []
    for number in range(30):
        recording["lanes"][0]["frames"] = frames[: 2 * min(number, 20)]  # in the end nothing new comes
        (lane,) = train_parts(recording, "toy", train_view._known(recording, "key", "toy"))["lanes"]
        if number % 3 == 1 and number < 20:
            continue
        if lane["from"] > len(steps):
            train_view._lacked([len(steps)], "key", "toy")
        else:
            steps[lane["from"] :] = [frame["step"] for frame in lane["frames"]]
    assert steps == [frame["step"] for frame in frames]
    clicks = [{"value": "step", "stamp": stamp} for stamp in ("1", "1", "2")]
    assert [train_view._is_new(click, "key") for click in clicks] == [True, False, True]  # told twice is one


def _page() -> None:
    from pages.ui.components.train_view import Live, train_view
    from tests.training.toy_recording import Toy, toy_recording

    train_view(toy_recording(Toy(lanes=1)), key="watched", token="toy", live=Live(False))


def test_no_message_is_like_the_last_one() -> None:
    at = AppTest.from_function(_page, default_timeout=PATIENCE_S)
    messages = []
    for _ in range(3):
        at.run()
        (news,) = (part.proto for part in at.get("bidi_component") if part.proto.component_name.endswith("train_news"))
        messages.append(news.json)
    assert len(set(messages[1:])) == 2
