"""Assembler: puts a recording together from the events of a training, as they come. Needs no torch."""

from collections.abc import Iterable, Sequence
from typing import Any

from gfx_core.training.recording import SCHEMA, Recording
from gfx_core.training.setting import LaneSetting
from gfx_core.training.setting_words import lane_names

LOST = "The process that trained was lost: this is what it had sent until then."


class Assembler:
    """Keeps what a training has said so far.

    Args:
        title: What the recording is called.
        settings: Of its lanes, as they begin.
        names: Of its lanes; by default what tells them apart.
        made: Device, versions and date, where known.

    Attributes:
        generation: Rises when frames that were there are gone (a reset, or a restart from a kept moment): who has kept
            frames must take all of them anew.
        heard: How many events were taken.
        state: The latest ``state`` event: whether it runs, its step, and words; empty before the first.
        ended: Whether every lane has ended.
    """

    def __init__(
        self,
        title: str,
        settings: Sequence[LaneSetting],
        names: Sequence[str] | None = None,
        made: dict[str, Any] | None = None,
    ) -> None:
        self.title, self.made = title, dict(made or {})
        self.generation, self.heard = 0, 0
        self.state: dict[str, Any] = {}
        self.lanes: list[dict[str, Any]] = [
            {"name": name, "setting": setting.as_dict(), "scenes": [], "frames": [], "end": None}
            for name, setting in zip(names or lane_names(settings), settings, strict=True)
        ]

    @property
    def ended(self) -> bool:
        return all(lane["end"] is not None for lane in self.lanes)

    @property
    def length(self) -> int:
        """Frames of the longest lane."""
        return max(len(lane["frames"]) for lane in self.lanes)

    def feed(self, events: Iterable[dict[str, Any]]) -> None:
        """Take some events, in the order in which they were sent."""
        for event in events:
            self.heard += 1
            kind = event.get("is")
            if kind == "state":
                self.state = {name: value for name, value in event.items() if name != "is"}
            elif kind == "made":
                self.made |= event["made"]
            elif kind in ("scene", "frame", "setting", "cut", "end"):
                self._take(kind, self.lanes[event["lane"]], event)

    def _take(self, kind: str, lane: dict[str, Any], event: dict[str, Any]) -> None:
        if kind == "scene":
            lane["scenes"].append(event["scene"])
        elif kind == "frame":
            lane["frames"].append(event["frame"])
        elif kind == "setting":
            lane["setting"] = event["setting"]
        elif kind == "cut":
            del lane["frames"][event["frames"] :]
            del lane["scenes"][event["scenes"] :]
            lane["end"] = None
            self.generation += 1
        else:
            lane["end"] = event["says"]

    def lose(self, says: str = LOST) -> None:
        """The worker is gone: lanes that had not ended end here."""
        for lane in self.lanes:
            lane["end"] = lane["end"] if lane["end"] is not None else says

    def as_dict(self) -> dict[str, Any]:
        """The recording so far, as JSON."""
        return {
            "schema": SCHEMA,
            "kind": "training",
            "title": self.title,
            "made": self.made,
            "lanes": [dict(lane) for lane in self.lanes],
        }

    def recording(self) -> Recording:
        """The recording so far, checked."""
        return Recording.from_dict(self.as_dict())


class SetAssembler:
    """Keeps what a training on a whole data set has said so far.

    Args:
        title: What the recording of its watched instances is called.

    Attributes:
        epochs: One report for each epoch: ``epoch``, ``epochs``, ``loss``, ``residual``, ``log_reward``, ``size``,
            ``seconds``, ``eta``.
        residuals: The latest mean residuals: ``epoch``, ``instances`` (their numbers) and ``values``; empty at first.
        kept: The epoch up to which it could be resumed.
        watched: The watched instances, as lanes of a recording; their steps are epochs. None where there are none.
        state: As of an `Assembler`.
        end: How it ended.
    """

    def __init__(self, title: str) -> None:
        self.title, self.heard, self.kept = title, 0, 0
        self.epochs: list[dict[str, Any]] = []
        self.residuals: dict[str, Any] = {}
        self.watched: Assembler | None = None
        self.state: dict[str, Any] = {}
        self.end: str | None = None

    def feed(self, events: Iterable[dict[str, Any]]) -> None:
        """Take some events, in the order in which they were sent."""
        for event in events:
            self.heard += 1
            kind, rest = event.get("is"), {name: value for name, value in event.items() if name != "is"}
            if kind == "epoch":
                self.epochs.append(rest["report"])
            elif kind == "residuals":
                self.residuals = rest
            elif kind == "kept":
                self.kept = rest["epoch"]
            elif kind == "lanes":
                settings = [LaneSetting.from_dict(lane["setting"]) for lane in rest["lanes"]]
                names = [lane["name"] for lane in rest["lanes"]]
                self.watched = Assembler(self.title, settings, names) if settings else None
            elif kind == "state":
                self.state = rest
            elif kind == "over":
                self.end = rest["says"]
            elif self.watched is not None:
                self.watched.feed([event])
