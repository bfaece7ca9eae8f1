"""Train: its link, its widgets, the visitor's training on one prediction, and what can be taken along.

A link says only what does not go without saying: ``/train?story=sequence`` is a whole race, and ``&eps2=0.3`` changes
one knob of its second training. Numbers 1 and 2 end the names of what belongs to one of them.

A training is a live job. It stays when it has ended. One that goes on when its page is closed has a name that cannot be
guessed, which is in the link: a visitor with the link gets it back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any

import streamlit as st

from gfx_core import limits
from gfx_core.config import read_content
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.own_policies import OwnPolicy, dataset_of, keep_policy, policy_file
from gfx_core.gfn.settings import GFNConfig
from gfx_core.jobs.job import JobState, Request
from gfx_core.jobs.pool import Job
from gfx_core.storage import Recent
from gfx_core.training import recording as recordings
from gfx_core.training.lesson_graphs import TITLES, LessonGraph, Practice
from gfx_core.training.recording import Assembler, Recording
from gfx_core.training.training import (
    STORIES,
    TIME_UP,
    Story,
    Subject,
    Training,
    defaults_for,
    restarts,
    training_names,
)
from pages.ui import jobs, sessions
from pages.ui.address import Parameter, bind, nodes, one_of, spell_nodes, whole
from pages.ui.components.browser import save_button
from pages.ui.components.player import VIEWS
from pages.ui.explorer import loaders, pickers
from pages.ui.explorer.parameters import DATASET, EXPLORER, NAMED, NAMES, PREDICTION, read_query
from pages.ui.text import error_shown, file_name, plain, shortened
from pages.ui.uploads import find_upload, upload_field
from pages.ui.widgets import in_row, pick_knob, widget

NUMBERS = (1, 2)
STORY = EXPLORER.parameter(
    "story",
    next(iter(STORIES)),
    lambda text: "" if text == "none" else STORIES[text].name,
    spell=lambda name: name or "none",
)
"""Which story is shown; none for a training of one's own, which a prediction in the link is."""
GRAPH = EXPLORER.parameter(
    "graph",
    "",
    lambda text: "" if text == "none" else str(Practice(text)),
    spell=lambda name: name or "none",
    under=(DATASET, *NAMES.values()),
)
"""A lesson's graph in place of a prediction."""
TWO: Parameter[Any] = EXPLORER.parameter(
    "lanes", None, {"1": False, "2": True}.__getitem__, spell=lambda two: str(1 + two), under=(STORY,)
)
"""Whether there are two trainings, where it is another number than the story's."""

KNOBS = {name: knob for name, knob in knobs(GFNConfig).items() if knob.link}
"""What a link can set in each training."""

FIELDS: dict[int, dict[str, Parameter[Any]]] = {
    number: {
        name: EXPLORER.parameter(f"{knob.link}{number}", None, knob.read, spell=knob.spell, under=(STORY,))
        for name, knob in KNOBS.items()
    }
    for number in NUMBERS
}
"""The parameter of each knob, by training."""

_SUBJECT = (*PREDICTION, GRAPH)
AT = EXPLORER.parameter("at", None, whole(0, int(KNOBS["epochs"].high)), under=(STORY, TWO, *_SUBJECT))
"""The training step at which the clock stands; nothing where it plays or follows."""
PIN = EXPLORER.parameter("pin", (), nodes, spell=spell_nodes, under=(STORY, *_SUBJECT))
"""The nodes of the state that is pinned."""
VIEW = EXPLORER.parameter("see", VIEWS[0], one_of(VIEWS))
"""Which of the views is open, where there is room for one."""
RUN = EXPLORER.parameter("run", "", str, under=(STORY, *_SUBJECT))
"""A training that goes on without its page."""


@dataclass(frozen=True)
class Plan:
    """What is to be trained.

    Attributes:
        subject: On what.
        trainings: With all that the link changes.
        base: The same without what the link changes in single knobs.
        story: The story it belongs to, if any.
        problems: A sentence for each change that could not be made.
    """

    subject: Subject
    trainings: tuple[Training, ...]
    base: tuple[Training, ...]
    story: Story | None
    problems: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What a training must be of to be shown here."""
        return self.story and self.story.name, self.subject, len(self.trainings)


def linked_story() -> Story | None:
    """The story of the link; none where the link itself says what is trained on."""
    named = any(parameter.in_link for parameter in (*NAMED, GRAPH))
    return None if named else STORIES.get(STORY.read())


def read_plan(subject: Subject) -> Plan:
    """The trainings that the link asks for, on a prediction or graph."""
    story = linked_story()
    if story is not None and story.trainings[-1].question != subject:  # of another GNN
        story = None
    usual = (defaults_for(subject),) if story is None else story.trainings
    base: list[Training] = []
    trainings: list[Training] = []
    problems: list[str] = []
    for number in NUMBERS[: 1 + TWO.read(len(usual) == 2)]:
        base.append(usual[number - 1] if number <= len(usual) else trainings[0])
        fields = FIELDS[number].items()
        problems += [parameter.problem for _, parameter in fields if parameter.problem]
        values = {name: parameter.read() for name, parameter in fields if parameter.in_link}
        changes = {name: value for name, value in values.items() if value is not None or KNOBS[name].optional}
        try:
            trainings.append(base[-1].changed(changes))
        except UserError as error:  # some do not go together
            problems.append(str(error))
            trainings.append(base[-1])
    return Plan(subject, tuple(trainings), tuple(base), story, tuple(dict.fromkeys(problems)))


TEXTS = read_content("train")
STYLE = Path(__file__).with_name("train.css")
_LONGEST = 40  # letters of a training's name on its button


def pick_story() -> None:
    """A list of the stories, and one's own training."""
    story = linked_story()
    titles = {**{name: story.title for name, story in STORIES.items()}, "": "No story: a training of my own"}
    choice = {"shown": story.name if story else "", "drops": EXPLORER.parameters.values()}
    bind(st.selectbox, **widget("train-story"), parameter=STORY, titles=titles, **choice)


def pick_subject() -> Subject | None:
    """A popover with the pickers; what they pick, or ``None``, with a sentence on the page, if it cannot be had."""
    story = linked_story()
    subject = story.trainings[-1].question if story else LessonGraph(GRAPH.read()) if GRAPH.read() else None
    graph = subject if isinstance(subject, LessonGraph) else None
    view = read_query(subject if isinstance(subject, Question) else None)
    label = plain((graph.title if graph else f"{view.info.title} {shortened(view.name or '', 24)}").strip())
    selection, gnn = None, loaders.selected_gnn(view.info.name, view.gnn)
    if graph is None:
        selection = pickers.find_instance(view)
    with st.popover(**widget("train-prediction", label=label)):
        titles = {"": "A prediction", **TITLES}
        name = graph.name if graph else ""
        bind(st.selectbox, **widget("train-graph"), parameter=GRAPH, titles=titles, shown=name, drops=NAMED)
        if graph is None:
            pickers.pick_dataset(view)
            pickers.pick_instance(view, selection)
            pickers.pick_example(view.info.name, selection, gnn)
            pickers.pick_gnn(view)
    if graph is not None:
        return graph
    if selection is None or gnn is None:
        st.warning(TEXTS["missing"].format(label=label), icon=":material/link_off:")
        return None
    return selection.question(gnn)


def training_row(number: int, plan: Plan, name: str) -> None:
    """One training: the knobs of its reward in a row, and a popover with all others.

    Args:
        number: 1 or 2; where there are two they stand above their views, side by side.
        plan: What is trained.
        name: What it is called.
    """
    with in_row(f"lane-{number}", "bottom"):
        label = f"**{'AB'[number - 1]}** {plain(shortened(name, _LONGEST))}"
        with st.popover(**widget("train-setting", number=number, label=label, name=plain(name))):
            if number == 1:
                two, usual = len(plan.trainings) == 2, plan.story is not None and len(plan.story.trainings) == 2
                bind(st.toggle, **widget("train-two"), parameter=TWO, shown=two, own=usual)
            _knobs(number, plan, in_row=False)
        _knobs(number, plan, in_row=True)


def _knobs(number: int, plan: Plan, *, in_row: bool) -> None:
    """A widget for each knob that stands in the row, or in the popover."""
    training, base = plan.trainings[number - 1], plan.base[number - 1]
    for name, knob in KNOBS.items():
        if (knob.live and knob.rewards) is in_row and not (knob.gnn and training.is_lesson):
            acts = TEXTS["reward" if knob.rewards else "live"] if knob.live else TEXTS["anew"]
            pick_knob(knob, FIELDS[number][name], knob.of(training.config), knob.of(base.config), f"{acts} {{}}")


_RUN = "train:run"  # session state: the visitor's training
_pageless: "Recent[str, Run]" = Recent(16)  # those that go on without a page; the oldest go first


class Run:
    """A training that was started here.

    Args:
        job: Answers with the policy of each training.
        plan: What is trained.

    Attributes:
        assembler: What was recorded of it.
        stay: Whether it goes on when its page is closed.
        failure: Why it ended before its time; empty if it did not.
        name: In the link, where it goes on without a page: it cannot be guessed.
        policies: Of each training, once it has ended: the bytes of its file, None for a table.
        pending: Whether its end is still to come. Unlike `active` it changes in `update` alone, not while a page runs:
            one that drew half of it as active and half as ended would never look again.
    """

    def __init__(self, job: Job[tuple[bytes | None, ...]], plan: Plan) -> None:
        self.job, self.trainings, self.key = job, plan.trainings, plan.key
        self.assembler = Assembler(plan.story.title if plan.story else plan.subject.title)
        self.stay, self.failure, self.name, self.pending = False, "", token_hex(12), True
        self.policies: tuple[bytes | None, ...] = ()
        self._updating = Lock()  # two pages may show it

    @property
    def active(self) -> bool:
        """Whether it is waiting, running or paused."""
        return not self.job.finished

    @property
    def token(self) -> str:
        """Names what was recorded; another name where frames were taken back."""
        return f"run {self.name} {self.assembler.generation}"

    def as_dict(self) -> dict[str, Any]:
        """What was recorded so far, as JSON."""
        recording = self.assembler.as_dict()
        pairs = zip(recording["lanes"], training_names(self.trainings), strict=False)
        return {**recording, "lanes": [{**lane, "name": name} for lane, name in pairs]}

    def update(self) -> None:
        """Take the events that have come since, and how it ended."""
        with self._updating:
            finished = self.job.finished  # first: events that come afterwards are taken next time
            self.assembler.feed(self.job.events(self.assembler.num_events))
            if not finished or not self.pending:
                return
            self.pending = False
            status = self.job.status
            if status.state is JobState.DONE:
                self.policies = self.job.result()
                return
            why = "The training was cancelled." if status.state is JobState.CANCELLED else status.sentence
            self.failure = f"{why} The recording until then stays." if self.assembler.length else why
            self.assembler.lose(self.failure)

    def change(self, trainings: Sequence[Training]) -> bool:
        """Set other knobs; returns whether that begins the training anew."""
        before, self.trainings = self.trainings, tuple(trainings)
        if before == self.trainings:
            return False
        self.send({"do": "change", "trainings": [training.as_dict() for training in trainings]})
        return any(map(restarts, before, trainings))

    def send(self, command: dict[str, Any]) -> None:
        """Steer it, if it still goes on."""
        if self.active:
            self.job.send(command)

    def end(self) -> None:
        """End it and keep what it has learnt; one that still waits is cancelled."""
        if self.job.status.state is JobState.QUEUED:
            self.job.cancel()
        else:
            self.send({"do": "end"})

    def set_stay(self, on: bool) -> None:
        """Let it go on when its page is closed, or not; the link then has its name."""
        self.stay = on
        self.send({"do": "stay", "on": on})
        _pageless.pop(self.name, None)
        if on:
            _pageless[self.name] = self
        RUN.write(self.name if on else None)


def current(plan: Plan) -> Run | None:
    """The visitor's training, or the one that the link names, if it is of what is planned."""
    run: Run | None = st.session_state.get(_RUN) or _pageless.get(RUN.read())
    st.session_state[_RUN] = run
    return run if run is not None and run.key == plan.key else None


def begin(plan: Plan) -> None:
    """Start a training; the one before is cancelled and forgotten.

    Raises:
        UserError: Too many are waiting already.
    """
    request = Request[tuple[bytes | None, ...]](
        "gfx_core.training.live:train", {"trainings": plan.trainings}, live=TIME_UP, device="cpu", turn=token_hex(8)
    )
    st.session_state[_RUN] = Run(jobs.submit(request), plan)


_UPLOAD = "train-upload"
MOST_KEPT = 10
"""Policies that one visitor keeps: the oldest of the own ones goes first, and none of another visitor's."""
_kept: dict[str, list[Path]] = {}  # by visitor


def export_buttons(recording: Recording) -> None:
    """Download buttons; a file is made when its button is pressed."""
    name = file_name("training", recording.title)

    def page() -> bytes:
        from gfx_core.drawing.export import train_html

        return train_html(recording.as_dict()).encode()

    with in_row("train-exports"):
        save_button("Page that replays offline", page, f"{name}.html", "web")
        save_button("Curves (CSV)", lambda: recordings.csv(recording).encode(), f"{name}.csv", "table")
        save_button("JSON", lambda: recordings.to_json(recording).encode(), f"{name}.json", "data_object")


def policy_buttons(run: Run) -> None:
    """For each training whose network can explain: save its policy, and use it in Explain at once."""
    rows = zip(run.policies, run.trainings, training_names(run.trainings), strict=False)
    for number, (policy, training, name) in enumerate(rows):
        if policy is None:
            continue
        question = training.question
        with in_row(f"train-policy-{number}"):
            st.markdown(f"**{'AB'[number]}**: the policy of {plain(name)}", width="content")
            file = f"{file_name('policy', question.title, name)}.safetensors"
            save_button("Save (safetensors)", policy, file, "save", key=f"save-policy-{number}")
            if st.button(**widget("use-policy", number=number)):
                with error_shown("error"):
                    _explain_with(keep(policy, question.dataset), {question.source: question.name})


def keep(data: bytes, dataset: str) -> OwnPolicy:
    """Keep a visitor's policy, see `keep_policy`."""
    policy, visitor = keep_policy(data, dataset), sessions.client().user
    path = policy_file(policy.dataset, policy.name)
    files = [*(other for other in _kept.get(visitor, []) if other != path), path]
    for file in files[:-MOST_KEPT] if visitor else ():
        file.unlink(missing_ok=True)
    _kept[visitor] = files[-MOST_KEPT:]
    return policy


def _explain_with(policy: OwnPolicy, prediction: dict[str, str]) -> None:
    link = {"dataset": policy.dataset, "gnn": policy.gnn, "policy": policy.name, **prediction}
    st.switch_page("pages/explain.py", query_params=link)


def open_again() -> None:
    """Bring a recording (JSON) or a policy (safetensors) back."""

    def read(data: bytes, name: str) -> Recording | OwnPolicy:
        if name.endswith(".safetensors"):
            return keep(data, sessions.local_name(dataset_of(data)))
        return recordings.from_json(data, name)

    upload_field(
        "Open a recording (JSON) or a policy (safetensors)",
        read,
        type=["json", "safetensors"],
        key=_UPLOAD,
        most_mb=limits.RECORDING_MB,
        help="A file that was saved here. Nothing in it is executed.",
    )
    policy = find_upload(_UPLOAD)
    if isinstance(policy, OwnPolicy) and st.button(**widget("use-uploaded")):
        _explain_with(policy, {})


def uploaded_recording() -> Recording | None:
    """The recording that was brought back, as long as its file is there."""
    recording = find_upload(_UPLOAD)
    return recording if isinstance(recording, Recording) else None
