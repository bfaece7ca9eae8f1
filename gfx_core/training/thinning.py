"""Recordings with fewer frames: evenly spread, the beginning, the end and what somebody changed always among them."""

from collections.abc import Sequence

from msgspec.structs import replace

from gfx_core.training.recording import Frame, Lane, Recording, to_json


def thinned(recording: Recording, most: int) -> Recording:
    """The same recording with at most about so many frames in each lane."""
    return replace(recording, lanes=tuple(_thin(lane, most) for lane in recording.lanes))


def small_enough(recording: Recording, size: int) -> Recording:
    """The same recording, with as many frames as fit into so many bytes."""
    most = max(len(lane.frames) for lane in recording.lanes)
    while most > 4 and len(to_json(recording).encode()) > size:
        most = int(most * 0.9)
        recording = thinned(recording, most)
    return recording


def shown_steps(steps: int, frames: int) -> list[int]:
    """Steps of which about so many frames are taken: early ones, where most happens, more often."""
    return sorted({round(steps * (number / frames) ** 1.5) for number in range(frames + 1)})


def _thin(lane: Lane, most: int) -> Lane:
    count = len(lane.frames)
    if count <= most:
        return lane
    wanted = {round(number * (count - 1) / max(1, most - 1)) for number in range(most)} | {0, count - 1}
    wanted |= {number for number, frame in enumerate(lane.frames) if frame.change}
    wanted |= {scene.first for scene in lane.scenes if scene.first < count}
    kept = sorted(wanted)
    frames = [_with_new(lane.frames, after + 1, at) for after, at in zip([-1, *kept], kept, strict=False)]
    scenes = [replace(scene, first=_place(kept, scene.first)) for scene in lane.scenes]
    return replace(lane, frames=tuple(frames), scenes=tuple(scenes))


def _place(kept: Sequence[int], first: int) -> int:
    return sum(number < first for number in kept)


def _with_new(frames: Sequence[Frame], first: int, last: int) -> Frame:
    """A frame with the states that those left out before it had brought."""
    frame = frames[last]
    among = [each for each in frames[first : last + 1] if each.scene == frame.scene]
    states = [state for each in among for state in each.states or []]
    rewards = [value for each in among for value in each.log_rewards or []]
    links = [link for each in among for link in each.links or []]
    return replace(frame, states=states or None, log_rewards=rewards or None, links=links or None)
