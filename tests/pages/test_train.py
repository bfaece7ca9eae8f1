"""Train without a browser: what links say, what is shown at once, and a training that is begun, steered and ended."""

import re
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.explanation.question import Question
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig, Loss
from gfx_core.jobs.job import JobState, JobStatus
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.live import begin_event
from gfx_core.training.stories import STORIES
from gfx_core.training.training import TrainingResult, defaults_for, training_names
from pages.ui.train import live_run as runs
from pages.ui.train.link import FIELDS, Plan
from pages.ui.train.live_run import Run
from tests.pages.page_reading import Open, read, texts, url

TOY, TREE = LessonGraph("toy"), Question("tree_cycles", "612")


def shows(at: AppTest) -> bool:
    """Whether a training is drawn."""
    return any("train-view" in each.proto.id for each in at.get("bidi_component"))


def lanes(at: AppTest) -> int:
    return sum(slider.key in ("beta1", "beta2") for slider in at.select_slider)


# What is shown at once


@pytest.mark.parametrize("name", STORIES)
def test_each_story_says_what_to_watch_and_is_drawn(open_page: Open, name: str) -> None:
    at = open_page("train", story=name)
    assert not at.error
    assert not at.warning
    assert read(STORIES[name].watch) in texts(at)
    assert lanes(at) == len(STORIES[name].trainings)
    assert shows(at)
    assert "Shown: " not in texts(at)


def test_a_knob_that_was_changed_since_is_told(open_page: Open) -> None:
    at = open_page("train", story="epsilon", beta2="5", loss2="tb")
    assert "Shown: in **B**, trained with flow matching, β = 1. Press" in texts(at)
    at = open_page("train", story="none", graph="toy", beta1="50")
    assert "Shown: " not in texts(at)  # there is nothing to be seen yet
    ended = Run(FakeJob(), "A toy", [defaults_for(TOY).changed({"beta": 50.0})], (None, TOY))  # type: ignore[arg-type]
    job(ended).said = [BEGIN, {"is": "frame", "lane": 0, "frame": {"step": 0}}]
    ended.update()
    job(ended).status = JobStatus(JobState.DONE)
    at.session_state["train:run"] = ended
    at.run()
    assert "Shown: " not in texts(at)
    at.select_slider(key="beta1").set_value(1.0).run()
    assert "Shown: trained with β = 50. Press **Train live** for β = 1." in texts(at)


# The link


def test_a_knob_is_in_the_link_and_its_own_value_is_not(open_page: Open) -> None:
    at = open_page("train", story="none", graph="toy", sliders="all")
    usual = at.select_slider(key="eps1").value
    at.select_slider(key="eps1").set_value(0.5).run()
    at.selectbox(key="loss1").set_value("tb").run()
    assert not at.exception
    assert (url(at, "eps1"), url(at, "loss1")) == ("0.5", "tb")
    again = open_page("train", story="none", graph="toy", eps1="0.5", loss1="tb")
    assert again.select_slider(key="eps1").value == 0.5
    assert again.selectbox(key="loss1").value == "tb"
    at.select_slider(key="eps1").set_value(usual).run()
    assert url(at, "eps1") is None


def test_a_second_lane_begins_like_the_first(open_page: Open) -> None:
    at = open_page("train", story="none", graph="toy", lr1="0.3")
    at.toggle(key="train-two").set_value(True).run()
    assert url(at, "lanes") == "2"
    assert at.select_slider(key="lr2").value == 0.3
    at.select_slider(key="lr2").set_value(0.01).run()
    assert (url(at, "lr1"), url(at, "lr2")) == ("0.3", "0.01")
    at.toggle(key="train-two").set_value(False).run()
    assert lanes(at) == 1


def test_another_story_begins_anew_and_no_story_keeps_the_prediction(open_page: Open) -> None:
    first, other = list(STORIES)[:2]
    at = open_page("train", story=first, eps2="0.3", at="3", dataset="tree_cycles", index="612")
    assert at.selectbox(key="train-story").value == ""  # a prediction in the link is a training of one's own
    assert "Press **Train live**" in at.info[0].value
    at.selectbox(key="train-story").set_value(other).run()
    assert dict(at.query_params) == {"story": other}
    about = STORIES[other].trainings[-1].question
    at.selectbox(key="train-story").set_value("").run()
    assert not at.exception
    assert url(at, "story") == "none"
    named = url(at, "graph") if isinstance(about, LessonGraph) else url(at, about.source)
    assert named == about.name


def test_what_cannot_be_is_told_and_left_out(open_page: Open) -> None:
    at = open_page("train", story="none", graph="toy", plain1="1", begin1="shipped")
    assert [read(each.value) for each in at.warning] == [
        "A lesson’s graph has no GNN: its rewards are given.",
        "There is no trained policy to begin with here: begin from scratch.",
    ]
    assert "Press **Train live**" in at.info[0].value
    at = open_page("train", dataset="mutagenicity", smiles="(((")
    assert "not a valid SMILES" in read(at.error[0].value)
    assert "is not available" in at.warning[0].value


def test_a_knob_out_of_range_is_told(open_page: Open) -> None:
    at = open_page("train", story="none", graph="toy", eps1="7", loss1="hope", seed1="3")
    assert [read(each.value) for each in at.warning] == [
        f"Loss must be one of {', '.join(Loss)} (got hope).",
        "ε must be a number from 0 to 1 (got 7).",
    ]
    assert at.number_input(key="seed1").value == 3


def test_every_knob_has_a_parameter_and_a_widget(open_page: Open) -> None:
    every = knobs(GFNConfig)
    assert all(set(FIELDS[number]) == set(every) for number in (1, 2))
    at = open_page("train", story="none", dataset="tree_cycles", index="612", sliders="all")
    widgets = {each.key for kind in (at.select_slider, at.selectbox, at.number_input, at.toggle) for each in kind}
    assert {f"{knob.link}1" for knob in every.values()} <= widgets
    assert "plain1" in widgets


def test_what_a_training_on_a_large_one_takes_is_said_with_a_choice(open_page: Open) -> None:
    at = open_page("train", story="none", dataset="ba_community", index="700")  # a hub
    assert re.search(r"\d\d\d nodes: 600 steps take about \d+ min here", texts(at))
    at.button(key="train-shorter").click().run()
    assert int(url(at, "steps1")) < 600
    assert " nodes: " not in texts(at)
    at = open_page("explain", dataset="ba_community", index="700", tune="1")
    assert re.search(r"on a CPU, \d+ epochs instead of 30 because it has \d+ nodes\)", at.toggle(key="tune").help)


# A training of one's own


class FakeJob:
    """A job that says what it is told to say."""

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


def test_what_acts_at_once_is_sent_and_what_does_not_begins_anew(run: Run) -> None:
    changed = run.trainings[0].changed({"epsilon": 0.4, "lr": 0.01})
    assert not run.change([changed])
    assert job(run).sent == [{"do": "change", "trainings": [changed.as_dict()]}]
    assert run.trainings == (changed,)
    for name, value in {"seed": 1, "loss": "tb", "max_nodes": 4}.items():
        assert run.change([changed.changed({name: value})])
        assert job(run).sent[-1]["trainings"][0]["config"][name] == value


def test_a_training_says_what_was_changed_at_which_step(run: Run) -> None:
    told = run.trainings
    plan = Plan(TOY, told, told, None)
    job(run).said = [BEGIN, {"is": "frame", "lane": 0, "frame": {"step": 1}}]
    run.update()
    assert not run.departures(plan)  # then the story's words hold
    job(run).said.append({"is": "frame", "lane": 0, "frame": {"step": 1200, "change": {"beta": 10.0, "epsilon": 0.4}}})
    run.update()
    assert run.departures(plan) == "Changed at step 1,200: β = 10 and ε = 0.4."
    run.change([told[0].changed({"loss": "tb"})])
    job(run).said.append(BEGIN)
    run.update()
    assert run.departures(plan) == "Begun with trajectory balance, one log Z."


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
    frames = [{"step": 0}, {"step": 9}]
    job(run).said = [BEGIN, *({"is": "frame", "lane": 0, "frame": frame} for frame in frames)]
    run.update()
    plan = Plan(TOY, (first, second), (first, first), None)
    run.key = plan.key
    assert not run.stays_beside(plan)  # it still goes on
    job(run).status = JobStatus(JobState.DONE)
    run.update()
    assert run.stays_beside(plan)
    assert not run.stays_beside(replace(plan, trainings=(second, first)))  # the first one was changed: trained anew
    both = Run(FakeJob(), "A toy", plan.trainings, plan.key, run)  # type: ignore[arg-type]
    job(both).said = [begin_event([second]), {"is": "frame", "lane": 0, "frame": frames[0]}]
    both.update()
    assert both.length == 2
    assert [len(lane["frames"]) for lane in both.as_dict(2)["lanes"]] == [2, 1]
    assert [lane["name"] for lane in both.as_dict(2)["lanes"]] == list(training_names(plan.trainings))
    assert not both.change([first.changed({"epsilon": 0.7}), second])  # what has ended cannot be changed
    assert not job(both).sent
    job(both).status = JobStatus(JobState.DONE)
    both.update()
    assert both.policies == [b"policy", b"policy"]
    assert [lane["name"] for lane in both.as_dict(1)["lanes"]] == list(training_names([first]))


class EndsMeanwhile(FakeJob):
    """It ends as soon as it was listened to."""

    def events(self, since: int = 0) -> list[dict[str, Any]]:
        self.status = JobStatus(JobState.DONE)
        return super().events(since)


def test_one_that_ends_while_the_page_is_drawn_is_drawn_as_ended(open_page: Open) -> None:
    at = open_page("train", story="none", graph="toy")
    ended = Run(EndsMeanwhile(), "A toy", [defaults_for(TOY)], (None, TOY))  # type: ignore[arg-type]
    at.session_state["train:run"] = ended
    at.run()
    assert not at.exception
    assert not ended.pending
    assert ended.policies == [b"policy"]  # it was heard to the end
    assert {button.key for button in at.button} & {"train-live", "train-end"} == {"train-live"}


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (JobStatus(JobState.FAILED, sentence="The computation was ended from outside."), "ended from outside"),
        (JobStatus(JobState.CANCELLED), "was cancelled"),
    ],
)
def test_one_that_was_lost_says_so_and_what_it_said_stays(run: Run, status: JobStatus, words: str) -> None:
    frame = {"step": 0}
    job(run).said = [BEGIN, {"is": "frame", "lane": 0, "frame": frame}]
    job(run).status = status
    run.update()
    assert words in run.failure
    assert run.assembler.lanes[0]["frames"] == [frame]
    assert words in run.assembler.lanes[0]["end"]


def test_ending_keeps_what_was_learnt_and_a_waiting_one_is_cancelled(run: Run) -> None:
    run.end()
    assert job(run).sent == [{"do": "end"}]
    job(run).status = JobStatus(JobState.QUEUED)
    run.end()
    assert job(run).cancelled


def test_what_stays_is_found_by_its_name_and_by_no_other(run: Run) -> None:
    run.set_stay(True)
    assert run.job.outlives  # type: ignore[attr-defined]
    assert job(run).sent == [{"do": "stay", "on": True}]
    assert runs._pageless == {run.name: run}
    run.set_stay(False)
    assert not runs._pageless
