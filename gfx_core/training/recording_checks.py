"""Whether JSON is a whole recording: each value by itself, and lists against what they belong to. Needs no torch."""

from itertools import pairwise
from typing import Any

from gfx_core.training import checked_json as check
from gfx_core.training.checked_json import Check, refuse

MAX_LANES, MAX_SCENES, MAX_FRAMES = 4, 200, 20_000
MAX_NODES, MAX_EDGES, MAX_STATES, MAX_LINKS = 2048, 50_000, 50_000, 500_000
_CURVES = ("loss", "residual", "log_reward", "size", "total_variation", "log_z", "auc")
_OPTIONAL = frozenset({"change", "states", "log_rewards", "links"})


def checked_recording(values: Any) -> dict[str, Any]:
    """The recording, if nothing in it is wrong; a ``UserError`` says what is."""
    if not isinstance(values, dict) or values.get("kind") != "training":
        raise refuse("it", "is something else")
    outer = check.entries(
        {
            "schema": check.whole(),
            "kind": check.text(20),
            "title": check.text(200),
            "made": _object,
            "lanes": check.many(_lane, MAX_LANES),
        }
    )(values, "it")
    if not outer["lanes"]:
        raise refuse("it", "has no lanes")
    return outer


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > 100:
        raise refuse(where, "should be an object")
    return value


def _lane(value: Any, where: str) -> dict[str, Any]:
    lane = check.entries(
        {
            "name": check.text(200),
            "setting": _object,
            "scenes": check.many(_scene, MAX_SCENES),
            "frames": check.many(lambda frame, _where: frame, MAX_FRAMES),
            "end": check.maybe(check.text()),
        }
    )(value, where)
    known = [(len(scene["states"]), len(scene["links"])) for scene in lane["scenes"]]  # they grow with frames
    frames = []
    for number, frame in enumerate(lane["frames"]):
        at = f"{where} frame {number + 1},"
        scene = frame.get("scene") if isinstance(frame, dict) else None
        if isinstance(scene, bool) or not isinstance(scene, int) or not 0 <= scene < len(known):
            raise refuse(at, "belongs to no scene")
        states, links = known[scene]
        known[scene] = states + _length(frame, "states"), links + _length(frame, "links")
        frames.append(_frame(frame, at, lane["scenes"][scene], *known[scene]))
    if any(later["scene"] < earlier["scene"] for earlier, later in pairwise(frames)):
        raise refuse(where, "goes back to an earlier scene")
    return lane | {"frames": frames}


def _length(frame: dict[str, Any], name: str) -> int:
    value = frame.get(name)
    return len(value) if isinstance(value, list) else 0


def _scene(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refuse(where, "should be an object")
    counts = [_length(value, name) for name in ("nodes", "edges", "states", "links", "classes")]
    m, e, S, E, classes = counts
    node = check.whole(0, m - 1)
    listed = value.get("listed") is True

    def only_listed(inner: Check) -> Check:
        return inner if listed else _nothing

    return check.entries(
        {
            "from": check.whole(),
            "nodes": check.many(_NODE, MAX_NODES),
            "edges": check.many(check.row(node, node, check.whole(0, 6), check.boolean), MAX_EDGES),
            "start": node,
            "classes": check.many(check.text(100), 1000),
            "predicted": check.whole(0, max(0, classes - 1)),
            "probability": check.number,
            "has_truth": check.boolean,
            "listed": check.boolean,
            "states": check.many(check.many(node, 64), MAX_STATES),
            "log_reward": check.many(check.number, S, S),
            "links": check.many(_link(S, m), MAX_LINKS),
            "target": only_listed(check.code(S)),
            "exact": only_listed(check.code(E)),
            "log_z": only_listed(check.number),
            "target_marginals": only_listed(check.many(check.number, e, e)),
        }
    )(value, where)


def _nothing(value: Any, where: str) -> None:
    if value is not None:
        raise refuse(where, "can only be known where all states are listed")


def _link(states: int, nodes: int) -> Check:
    state = check.whole(0, states - 1)
    return check.row(state, state, check.whole(0, nodes - 1))


_NODE = check.entries(
    {
        "x": check.number,
        "y": check.number,
        "label": check.text(60),
        "element": check.maybe(check.text(10)),
        "motif": check.boolean,
    }
)


def _frame(value: Any, where: str, scene: dict[str, Any], states: int, links: int) -> dict[str, Any]:
    m, e, listed = len(scene["nodes"]), len(scene["edges"]), scene["listed"]
    node, value_or_none = check.whole(0, m - 1), check.maybe(check.number)
    new = _length(value, "states")
    grows: Check = _grows_not if listed else check.many(check.many(node, 64), MAX_STATES)
    return check.entries(
        {
            "step": check.whole(),
            "seconds": check.number,
            "scene": check.whole(),
            **dict.fromkeys(_CURVES, value_or_none),
            "stop": check.code(states) if listed else _nothing,
            "flow": check.maybe(check.code(links)),
            "residuals": check.code(states),
            "visits": check.code(states),
            "marginals": check.many(check.number, e, e),
            "change": _object,
            "states": grows,
            "log_rewards": _grows_not if listed else check.many(check.number, new, new),
            "links": _grows_not if listed else check.many(_link(states, m), MAX_LINKS),
        },
        _OPTIONAL,
    )(value, where)


def _grows_not(_value: Any, where: str) -> None:
    raise refuse(where, "adds to states that are all listed")
