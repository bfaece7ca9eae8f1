"""Recording: everything that is shown of a training, as plain immutable data ↔ JSON. Needs no torch.

A recording has lanes, trainings on one clock. A lane has scenes (the instance, its states and what is exactly true of
them; one more each time the reward was changed) and frames, what the policy did at one moment. A file may come from
anyone: each value is checked against its type hint, then the lists of a lane against each other.

Long lists of numbers are short texts, see `gfx_core.training.codes`.
"""

import csv as writer
import io
from collections.abc import Iterable, Sequence, Sized
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from gfx_core import json_files
from gfx_core.errors import UserError
from gfx_core.files import write_text
from gfx_core.json_files import Json, JsonError
from gfx_core.text.numbers import counted
from gfx_core.trace.schema import MAX_EDGES, MAX_MEMBERS, MAX_NODES, Count, Free, Label, Line, Number
from gfx_core.training.codes import decode_probabilities
from gfx_core.training.training import Training

MAX_BYTES = 64 * 2**20

_State = Annotated[list[Count], Meta(max_length=MAX_MEMBERS)]
_States = Annotated[list[_State], Meta(max_length=50_000)]
_Links = Annotated[list[tuple[Count, Count, Count]], Meta(max_length=500_000)]
_Numbers = list[Number]
_Edge = tuple[Count, Count, Annotated[int, Meta(ge=0, le=6)], bool]


class SceneNode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A node of the instance: where it is drawn (y upwards), what is written on it, and whether the motif holds it."""

    x: Number
    y: Number
    label: Label
    element: Annotated[str, Meta(max_length=10)] | None
    motif: bool


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"first": "from"}):
    """An instance, its states, and what is exactly true of them.

    Attributes:
        first: The first frame that belongs to it; ``from`` in JSON.
        nodes: Of the instance. [m]
        edges: Of the instance: two ends, bond order, whether it is in the motif. [e]
        start: v₀.
        classes: Those of the GNN.
        predicted: Which of them the GNN predicts.
        probability: How sure it is.
        has_truth: Whether it is known which edges are the reason.
        listed: Whether all states are listed; else they are the small ones, from which larger ones grow.
        states: Nodes of each, the start node first. [S]
        log_reward: log R of each; ``None`` where a trajectory cannot end. [S]
        links: Edges of the DAG: parent, child, node added. [E]
        target: R/Z of each state, as a code, if listed. [S]
        exact: The flow of each link ÷ Z under exact flows, as a code, if listed. [E]
        log_z: The true log Z, if listed.
        target_marginals: Chance of each edge of the instance under R/Z, if listed. [e]
        modes: The most probable state of each mode of R/Z, by number, if listed.
        labels: What states are called where there is no instance: a training of any GFlowNet. [S]
    """

    first: Count
    nodes: Annotated[list[SceneNode], Meta(max_length=MAX_NODES)]
    edges: Annotated[list[_Edge], Meta(max_length=MAX_EDGES)]
    start: Count
    classes: Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=1000)]
    predicted: Count
    probability: Number
    has_truth: bool
    listed: bool
    states: _States
    log_reward: list[Number | None]
    links: _Links
    target: str | None
    exact: str | None
    log_z: Number | None
    target_marginals: _Numbers | None
    modes: list[Count] | None
    labels: Annotated[list[Label], Meta(max_length=50_000)] | None = None


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the policy does at one moment.

    Attributes:
        step: Gradient steps so far.
        seconds: Of training so far.
        scene: Which scene it belongs to.
        residual: Mean |log in-flow − log out-flow| over visited states, those of the latest trajectories.
        size: Mean nodes of the latest final subgraphs.
        visits: Share of all trajectories so far that passed each state, as a code. [S]
        residuals: log in-flow − log out-flow of each state, as a code; 0 at the start, and of the largest states that
            are listed where larger ones grow from them. [S]
        marginals: Chance of each edge of the instance. [e]
        loss: Of the latest step.
        log_reward: Mean log R of the latest final subgraphs.
        total_variation: Of where the policy stops from R/Z, where that is known.
        log_z: What the policy takes for log Z.
        auc: Of the marginals against the motif, where that is known.
        modes: Share of the modes in which trajectories have ended so far, if all states are listed.
        stop: P(a trajectory ends here), as a code; ``None`` if not all states are listed. [S]
        flow: P(a trajectory passes this link), as a code. [E]
        change: What was changed here, left out of JSON where nothing was.
    """

    step: Count
    seconds: Number
    scene: Count
    residual: Number | None
    size: Number | None
    visits: str
    residuals: str
    marginals: _Numbers
    loss: Number | None
    log_reward: Number | None
    total_variation: Number | None
    log_z: Number | None
    auc: Number | None
    modes: Number | None
    stop: str | None
    flow: str
    change: Free | None = None


CURVES = ("loss", "residual", "total_variation", "log_z", "log_reward", "size", "auc", "modes")


class Lane(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training: its name, what it is (as JSON), what was recorded of it, and how it ended (a sentence)."""

    name: Line
    question: Free
    config: Free
    scenes: Annotated[tuple[Scene, ...], Meta(max_length=200)]
    frames: Annotated[tuple[Frame, ...], Meta(max_length=20_000)]
    end: Annotated[str, Meta(max_length=600)] | None

    def __post_init__(self) -> None:
        if max((frame.scene for frame in self.frames), default=-1) >= len(self.scenes):
            raise ValueError("frames name a scene that is not there")
        for number, scene in enumerate(self.scenes):
            _check(scene, [frame for frame in self.frames if frame.scene == number])

    @property
    def training(self) -> Training:
        """What was trained, and how."""
        return Training.from_dict({"question": self.question, "config": self.config})


LENGTHS = {
    "labels": "states",
    "log_reward": "states",
    "target": "states",
    "stop": "states",
    "visits": "states",
    "residuals": "states",
    "exact": "links",
    "flow": "links",
    "target_marginals": "edges",
    "marginals": "edges",
}
"""What the lists and codes of scenes and frames hold a number for each of."""


def _check(scene: Scene, frames: Sequence[Frame]) -> None:
    """Refuse lists that do not fit each other."""
    if (scene.target is None) == scene.listed:
        raise ValueError("the target is known where all states are listed, and only there")
    if any(parent >= child for parent, child, _ in scene.links):
        raise ValueError("links lead back: a cycle has no flow")
    nodes = [scene.start, *chain(*scene.states), *chain(*(edge[:2] for edge in scene.edges))]
    nodes += [node for *_, node in scene.links]
    states = [*(scene.modes or ()), *(child for _, child, _ in scene.links)]
    if max(nodes) >= max(1, len(scene.nodes)) or max(states, default=-1) >= len(scene.states):
        raise ValueError("a state or a link names a node or a state that is not there")
    parts: list[Scene | Frame] = [scene, *frames]
    for part in parts:
        for name in LENGTHS.keys() & part.__struct_fields__:
            values, size = getattr(part, name), len(getattr(scene, LENGTHS[name]))
            if isinstance(values, str):
                values = decode_probabilities(values)
            if isinstance(values, Sized) and len(values) != size:
                raise ValueError(f"{name} must contain {counted(size, 'number')}")


class Recording(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Some lanes on one clock."""

    schema: Literal[2] = 2
    kind: Literal["training"] = "training"
    title: Line
    made: Free
    lanes: Annotated[tuple[Lane, ...], Meta(min_length=1, max_length=4)]

    def as_dict(self) -> Json:
        """As JSON."""
        values: Json = msgspec.to_builtins(self)
        return values

    @classmethod
    def from_dict(cls, values: Any) -> "Recording":
        """Back from :meth:`as_dict`; all of it is checked."""
        try:
            recording = json_files.convert(values, cls)
        except JsonError as error:
            why = f"This is not a complete recording of a training: {error}. Choose a JSON file that Train saved."
            raise UserError(why) from error
        for lane in recording.lanes:
            if not any(scene.labels for scene in lane.scenes):
                _ = lane.training  # a `UserError` names what is wrong with it
        return recording


def to_json(recording: Recording) -> str:
    """The recording as text; it can stand inside a script element."""
    return json_files.dump(recording, order=None)


def from_json(text: str | bytes, name: str = "This recording") -> Recording:
    """Read a recording and check all of it; one sentence names what is wrong."""
    try:
        if len(text) > MAX_BYTES:
            raise JsonError(f"the file is larger than {MAX_BYTES // 2**20} MiB, too large for a recording")
        return Recording.from_dict(json_files.parse(text))
    except JsonError as error:
        raise UserError(f"{name[:100]}: {error}.") from error


def write(recording: Recording, path: Path) -> None:
    """Write a recording; an existing file is replaced only once the new one is whole."""
    write_text(path, to_json(recording))


def read(path: Path) -> Recording:
    """Read a recording from a file."""
    return from_json(path.read_bytes(), path.name)


def csv(recording: Recording) -> str:
    """The curves of all lanes as a table."""
    out = io.StringIO()
    table = writer.writer(out, lineterminator="\n")
    table.writerow(["lane", "step", "seconds", *CURVES, "true_log_z", "change"])
    for lane in recording.lanes:
        for frame in lane.frames:
            curves = [getattr(frame, name) for name in CURVES]
            change = ", ".join(f"{name} = {value}" for name, value in (frame.change or {}).items())
            table.writerow([lane.name, frame.step, frame.seconds, *curves, lane.scenes[frame.scene].log_z, change])
    return out.getvalue()


class Assembler:
    """Puts a recording together from the events of a training, as they come; ``lane`` is the number of a training.

    Events: ``{"is": "begin", "made", "lanes": [{"name", "question", "config"}]}`` at the beginning, and again where it
    begins anew; ``scene`` and ``frame`` with their ``lane``; ``{"is": "changed", "lanes"}``, like those of ``begin``,
    after a change while it runs; ``{"is": "state", "running", "step", "words", "error"}``; ``{"is": "end", "lane",
    "end"}``, a sentence.

    Args:
        title: Of the recording.

    Attributes:
        generation: Rises when frames that were there are gone: a reader that keeps frames must take all of them anew.
        num_events: How many events were taken.
        state: The latest ``state`` event: whether it runs, its step, and words; empty before the first.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.made: Json = {}
        self.generation, self.num_events = 0, 0
        self.state: Json = {}
        self.lanes: list[Json] = []

    @property
    def length(self) -> int:
        """Frames of the longest training."""
        return max((len(lane["frames"]) for lane in self.lanes), default=0)

    def feed(self, events: Iterable[Json]) -> None:
        """Take some events, in the order in which they were sent."""
        for event in events:
            self.num_events += 1
            match event:
                case {"is": "state"}:
                    self.state = event
                case {"is": "begin"}:
                    self.generation += bool(self.lanes)
                    self.made |= event["made"]
                    self.lanes = [lane | {"scenes": [], "frames": [], "end": None} for lane in event["lanes"]]
                case {"is": "changed"}:
                    self.lanes = [old | new for old, new in zip(self.lanes, event["lanes"], strict=True)]
                case {"is": "end", "lane": number}:
                    self.lanes[number]["end"] = event["end"]
                case {"is": kind, "lane": number}:
                    self.lanes[number][f"{kind}s"].append(event[kind])

    def lose(self, why: str) -> None:
        """End all trainings that had not ended, as their worker is gone."""
        for lane in self.lanes:
            lane["end"] = lane["end"] or why

    def as_dict(self) -> Json:
        """The recording so far, as JSON."""
        return {"title": self.title, "made": self.made, "lanes": [dict(lane) for lane in self.lanes]}

    def recording(self) -> Recording:
        """The recording so far, checked."""
        return Recording.from_dict(self.as_dict())
