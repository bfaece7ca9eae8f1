"""Assembler: puts a recording together from the events of a training, as they come. Needs no torch."""

from collections.abc import Iterable, Sequence
from typing import Any

from gfx_core.training.recording import SCHEMA, Recording
from gfx_core.training.setting import LaneSetting, lane_names

LOST = "The process that trained was lost: this is what it had sent until then."


class Assembler:
    """Keeps what a training has said so far.

    Args:
        title: What the recording is called.
        settings: Of its lanes, as they begin; none where a ``lanes`` event is to name them.

    Attributes:
        generation: Rises when frames that were there are gone (a reset): who has kept frames must take all of them
            anew.
        heard: How many events were taken.
        state: The latest ``state`` event: whether it runs, its step, and words; empty before the first.
        ended: Whether every lane has ended.
    """

    def __init__(self, title: str, settings: Sequence[LaneSetting] = ()) -> None:
        self.title = title
        self.made: dict[str, Any] = {}
        self.generation, self.heard = 0, 0
        self.state: dict[str, Any] = {}
        self.lanes: list[dict[str, Any]] = [
            _lane(name, setting.as_dict()) for name, setting in zip(lane_names(settings), settings, strict=True)
        ]

    @property
    def ended(self) -> bool:
        return all(lane["end"] is not None for lane in self.lanes)

    @property
    def length(self) -> int:
        """Frames of the longest lane."""
        return max((len(lane["frames"]) for lane in self.lanes), default=0)

    def feed(self, events: Iterable[dict[str, Any]]) -> None:
        """Take some events, in the order in which they were sent."""
        for event in events:
            self.heard += 1
            kind = event.get("is")
            if kind == "state":
                self.state = {name: value for name, value in event.items() if name != "is"}
            elif kind == "made":
                self.made |= event["made"]
            elif kind == "lanes":
                self.lanes = [_lane(lane["name"], lane["setting"]) for lane in event["lanes"]]
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


def _lane(name: str, setting: dict[str, Any]) -> dict[str, Any]:
    """A lane of which nothing was said yet."""
    return {"name": name, "setting": setting, "scenes": [], "frames": [], "end": None}
