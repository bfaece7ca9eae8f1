"""Recording: everything that is shown of a training, as plain immutable data ↔ JSON. Needs no torch.

A recording has lanes, trainings on one clock. A lane has scenes (the instance, its states and what is exactly true of
them; one more each time somebody changed the reward) and frames, what the policy did at one moment. Long lists of
numbers are texts, see `gfx_core.training.codes`.
"""

import csv as writer
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from gfx_core.errors import UserError
from gfx_core.files import replacing
from gfx_core.training.recording_checks import checked_recording
from gfx_core.training.setting import LaneSetting

SCHEMA = 1
MAX_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Scene:
    """An instance, its states, and what is exactly true of them.

    Attributes:
        first: The first frame that belongs to it; ``from`` in JSON.
        nodes: Of the instance: ``x``, ``y`` (upwards), ``label``, ``element`` and ``motif``. [m]
        edges: Of the instance: two ends, bond order, whether it is in the motif. [e]
        start: v₀.
        classes: What the GNN tells apart.
        predicted: Which of them it says.
        probability: How sure it is.
        has_truth: Whether it is known which edges are the reason.
        listed: Whether all states are listed; else they are those visited so far, and frames bring more.
        states: Nodes of each, the start node first. [S]
        log_reward: log R of each. [S]
        links: Edges of the DAG: parent, child, node added. [E]
        target: R/Z of each state, as a code, if listed. [S]
        exact: The flow of each link ÷ Z under exact flows, as a code, if listed. [E]
        log_z: The true log Z, if listed.
        target_marginals: Chance of each edge of the instance under R/Z, if listed. [e]
    """

    first: int
    nodes: list[dict[str, Any]]
    edges: list[list[Any]]
    start: int
    classes: list[str]
    predicted: int
    probability: float
    has_truth: bool
    listed: bool
    states: list[list[int]]
    log_reward: list[float]
    links: list[list[int]]
    target: str | None = None
    exact: str | None = None
    log_z: float | None = None
    target_marginals: list[float] | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        rest = {name: getattr(self, name) for name in _names(Scene) if name != "first"}
        return {"from": self.first, **rest}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Scene":
        """Back from :meth:`as_dict`, unchecked."""
        return cls(first=values["from"], **{name: value for name, value in values.items() if name != "from"})


@dataclass(frozen=True)
class Frame:
    """What the policy does at one moment.

    Attributes:
        step: Gradient steps so far.
        seconds: Of training so far.
        scene: Which scene it belongs to.
        residual: Mean |log in-flow − log out-flow|, over the states that were looked at.
        size: Mean nodes of the latest final subgraphs.
        visits: Share of all trajectories so far that passed each state, as a code. [S]
        residuals: log in-flow − log out-flow of each state, as a code; 0 at the start. [S]
        marginals: Chance of each edge of the instance. [e]
        loss: Of the latest step.
        log_reward: Mean log R of the latest final subgraphs.
        total_variation: Of where the policy stops from R/Z, where that is known.
        log_z: What the policy takes for log Z.
        auc: Of the marginals against the motif, where that is known.
        stop: P(a trajectory ends here), as a code; ``None`` if not all states are listed. [S]
        flow: P(a trajectory passes this link), as a code; if not all states are listed P_F of the link. [E]
        change: What somebody changed here.
        states: Only if not all states are listed: those new since the frame before.
        log_rewards: log R of these.
        links: New links.
    """

    step: int
    seconds: float
    scene: int
    residual: float | None
    size: float | None
    visits: str
    residuals: str
    marginals: list[float]
    loss: float | None = None
    log_reward: float | None = None
    total_variation: float | None = None
    log_z: float | None = None
    auc: float | None = None
    stop: str | None = None
    flow: str | None = None
    change: dict[str, Any] | None = None
    states: list[list[int]] | None = None
    log_rewards: list[float] | None = None
    links: list[list[int]] | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON; what plays no part is left out."""
        every = {name: getattr(self, name) for name in _names(Frame)}
        return {name: value for name, value in every.items() if value is not None or name not in ABSENT}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Frame":
        """Back from :meth:`as_dict`, unchecked."""
        return cls(**values)


ABSENT = frozenset({"change", "states", "log_rewards", "links"})
"""Entries of a frame that are left out where there is nothing to say."""
CURVES = ("loss", "residual", "total_variation", "log_z", "log_reward", "size", "auc")


@dataclass(frozen=True)
class Lane:
    """One training: its name, how it was done, what was seen of it, and how it ended (a sentence)."""

    name: str
    setting: LaneSetting
    scenes: tuple[Scene, ...]
    frames: tuple[Frame, ...]
    end: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "name": self.name,
            "setting": self.setting.as_dict(),
            "scenes": [scene.as_dict() for scene in self.scenes],
            "frames": [frame.as_dict() for frame in self.frames],
            "end": self.end,
        }


@dataclass(frozen=True)
class Recording:
    """Some lanes on one clock."""

    title: str
    lanes: tuple[Lane, ...]
    made: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "schema": SCHEMA,
            "kind": "training",
            "title": self.title,
            "made": self.made,
            "lanes": [lane.as_dict() for lane in self.lanes],
        }

    @classmethod
    def from_dict(cls, values: Any) -> "Recording":
        """Back from :meth:`as_dict`; all of it is checked."""
        if isinstance(values, dict) and values.get("kind") == "training" and values.get("schema") != SCHEMA:
            raise UserError(
                f"This recording has version {str(values.get('schema'))[:20]}, this program reads {SCHEMA}: "
                "record it again."
            )
        checked = checked_recording(values)
        lanes = tuple(
            Lane(
                lane["name"],
                LaneSetting.from_dict(lane["setting"]),
                tuple(map(Scene.from_dict, lane["scenes"])),
                tuple(map(Frame.from_dict, lane["frames"])),
                lane["end"],
            )
            for lane in checked["lanes"]
        )
        return cls(checked["title"], lanes, checked["made"])


def to_json(recording: Recording) -> str:
    """The recording as text; it can stand inside a script element."""
    text = json.dumps(recording.as_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def from_json(text: str | bytes, name: str = "This recording") -> Recording:
    """Read a recording and check all of it; one sentence says what is wrong."""
    if len(text) > MAX_BYTES:
        raise UserError(f"{name[:100]} is larger than {MAX_BYTES // 2**20} MiB, too large for a recording.")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:  # also what is no UTF-8
        raise UserError(f"{name[:100]} is cut off or not JSON.") from error
    return Recording.from_dict(values)


def write(recording: Recording, path: Path) -> None:
    """Write a recording; an existing file is replaced only once the new one is whole."""
    try:
        with replacing(path) as part:
            part.write_text(to_json(recording), encoding="utf-8")
    except OSError as error:
        raise UserError(f"The recording cannot be written to {path.parent}: choose another folder.") from error


def read(path: Path) -> Recording:
    """Read a recording from a file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"There is no recording {path.name}.") from error
    return from_json(data, path.name)


def csv(recording: Recording) -> str:
    """The curves of all lanes as a table."""
    out = io.StringIO()
    table = writer.writer(out, lineterminator="\n")
    table.writerow(["lane", "step", "seconds", *CURVES, "true_log_z", "change"])
    for lane in recording.lanes:
        for frame in lane.frames:
            curves = ["" if getattr(frame, name) is None else getattr(frame, name) for name in CURVES]
            true = lane.scenes[frame.scene].log_z
            change = ", ".join(f"{name} = {value}" for name, value in (frame.change or {}).items())
            table.writerow([lane.name, frame.step, frame.seconds, *curves, "" if true is None else true, change])
    return out.getvalue()


def _names(kind: Any) -> Sequence[str]:
    return [each.name for each in fields(kind)]
