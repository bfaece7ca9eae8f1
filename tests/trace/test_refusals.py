"""Traces that are cut off, changed or something else entirely are refused in one sentence, which names the place."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from gfx_core.errors import UserError
from gfx_core.trace.serialize import MAX_BYTES, from_json, to_json
from tests.toys.traces import changed, make_trace, plain, with_two_reasons

JUNK = (None, True, "x", "-Infinity", "<script>alert(1)</script>", "a\nb", "\ud800", 1.5, -1, 77, 10**30, 1e308, [], {})
Place = tuple[Any, Any]  # a list or object of the parsed JSON, and a position in it


def refusal(text: str | bytes, name: str = "trace.json") -> str:
    """The sentence with which a text is refused."""
    with pytest.raises(UserError) as caught:
        from_json(text, name)
    message = str(caught.value)
    assert message.startswith(f"{name}: ")
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 300
    return message


def outcome(text: str | bytes) -> str:
    """The sentence with which a text is refused, empty if it is a trace."""
    try:
        from_json(text)
    except UserError as error:
        return str(error)
    return ""


def places(values: Any, path: str = "") -> Iterator[tuple[str, Place]]:
    """Every position in nested JSON, and its path, the same for all entries of a list."""
    keys = range(len(values)) if isinstance(values, list) else list(values) if isinstance(values, dict) else ()
    for key in keys:
        within = f"{path}[]" if isinstance(values, list) else f"{path}.{key}"
        yield within, (values, key)
        yield from places(values[key], within)


def one_of_each_path(values: Any, rng: random.Random) -> Iterator[tuple[str, Place]]:
    by_path: dict[str, list[Place]] = {}
    for path, place in places(values):
        by_path.setdefault(path, []).append(place)
    for path, alike in by_path.items():
        yield path, rng.choice(alike)


def test_cut_off_anywhere() -> None:
    data = to_json(make_trace()).encode()
    for end in [*range(0, len(data) - 1, 97), len(data) - 1]:
        assert re.search("cut off|UTF-8", refusal(data[:end]))


def test_each_value_is_checked_for_its_type() -> None:
    values, rng = plain(), random.Random(0)
    for path, (holder, key) in one_of_each_path(values, rng):
        original = holder[key]
        for wrong in () if path.startswith(".made") else ({"a": {}}, [[[{}]]]):
            holder[key] = wrong
            refusal(json.dumps(values))
        holder[key] = rng.choice(JUNK)
        assert "\n" not in outcome(json.dumps(values))
        holder[key] = original
    assert from_json(json.dumps(values)) == make_trace()


def test_no_field_is_unknown() -> None:
    values = plain()
    for path, (holder, key) in one_of_each_path(values, random.Random(1)):
        if isinstance(holder, dict) and not path.startswith((".made.", ".masks[].metrics")):
            missing = holder.pop(key)
            outcome(json.dumps(values))
            holder |= {key: missing, "colour": "red"}
            assert "unknown field `colour`" in refusal(json.dumps(values))
            del holder["colour"]


def test_fuzz_of_traces() -> None:
    data, rng = to_json(make_trace()).encode(), random.Random(1)
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 1, 5))):
            damaged[rng.randrange(len(data))] = rng.choice(b'0123456789-.eE"{}[],:nul\x00\xff\\')
        assert "\n" not in outcome(bytes(damaged))


REASON, SHORT = "answer.reasons.0", "answer.reasons[0]"


def replaced(path: str, value: Any) -> str:
    """The trace as JSON with another value at a dotted path."""
    return changed(*(int(key) if key.isdecimal() else key for key in path.split(".")), value=value)


@pytest.mark.parametrize(
    ("path", "value", "place"),  # which is the path itself where it is empty
    [
        ("schema", 5, "not a trace of version 7,"),
        ("task", "edge", ""),
        ("nodes", [], ""),
        ("nodes.2.label", "x" * 61, ""),
        ("nodes.2.label", "a\u202eb", "label"),
        ("nodes.2.position.1", 1e9, ""),
        ("edges.1.source", 2, "edges"),
        ("edges.4.target", 9, "edges"),
        ("edges.4", {"source": 0, "target": 1}, "edges"),  # twice
        ("prediction.predicted", 2, "prediction"),
        ("prediction.probabilities", [1.0], "prediction"),
        ("steps", plain()["steps"][:3] * 2, ""),
        ("steps.3.members", [0, 1, 1, 3], "steps"),
        ("steps.3.members", [0, 1, 2, 9], "steps"),
        ("steps.3.members", [0, 1, 2], "steps"),
        ("steps.1.frontier.1.node", 77, "steps[1]"),
        ("steps.1.frontier.1.node", 2, "steps[1]"),  # twice
        ("steps.1.frontier", [], "steps[1]"),  # without the next node
        ("steps.1.frontier.1.probability", 1.01, ""),
        ("steps.2.matrix.0", [0, 0], "steps[2]"),
        ("steps.2.matrix", [[0, 0, 0]], "steps[2]"),
        ("steps.2.parents.0.removed", 0, "steps[2]"),
        ("reward_terms.1.name", "nodes", "steps[0]"),
        ("steps.0.other.frontier", [0.75], "steps[0]"),
        ("steps.0.log_out_flow", "Infinity", ""),
        ("final.log_trajectory_probability", 0.5, ""),
        (f"{REASON}.nodes", [0, 1, 1], f"{SHORT}.steps"),
        (f"{REASON}.nodes", [0, 1, 9], f"{SHORT}.steps"),
        (f"{REASON}.nodes", [], f"{SHORT}.steps"),
        (f"{REASON}.share", 1.2, ""),
        (f"{REASON}.alone", [1.0], SHORT),
        (f"{REASON}.without", [0.5], SHORT),
        (f"{REASON}.steps", plain()["steps"][:2], ""),
        ("answer.without_all", [0.5], ""),
        ("answer.reasons", [], ""),
        ("answer.verdict", "maybe", ""),
        ("answer.sentence", "", ""),
        ("samples.1.order", [0, 3, 3], ""),
        ("samples.1.order", [0, 3, 9], ""),
        ("samples.1.order", [], ""),
        ("samples.0.log_reward", "-Infinity", ""),
        ("edge_marginals", [0.5], ""),
        ("masks.0.scores", [0.5], ""),
        ("masks.0.metrics.auc_own", None, "masks[0].metrics[...]"),
        ("masks.0.metrics", {"x" * 61: 1.0}, "masks[0].metrics"),
        ("made.notes", "x" * 100_001, "made"),
        ("made", {str(i): 0 for i in range(201)}, ""),
    ],
)
def test_a_contradiction_is_refused_with_its_place(path: str, value: Any, place: str) -> None:
    dotted = "".join(f"[{key}]" if key.isdecimal() else f".{key}" for key in path.split(".")).lstrip(".")
    assert f"{place or dotted} " in refusal(replaced(path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("start", 4),
        ("target", None),
        ("steps.2.members", [4, 4, 4]),
        ("steps.2.added", 3),
        ("steps.2.chosen", 4),
        ("steps.2.theorem_case", 2),
        ("steps.2.cut_vertices", [0]),
        ("steps.2.child_groups", []),
        ("steps.2.child_groups.0.groups", [[0, 2]]),
        ("steps.1.frontier.0.probability", 0.9),
        ("steps.1.stop", {"log_flow": -3.0, "probability": 1.0, "forced": True}),
        ("steps.2.log_in_flow", 9.0),
        ("steps.2.log_out_flow", "-Infinity"),
        ("steps.2.residual", None),
        ("steps.2.reward.terms.3.contribution", 9.0),
        ("steps.2.reward.log_reward", -9.0),
        ("final.nodes", [4]),
        ("final.edges", [0, 1, 2]),
        ("final.log_reward", 0.0),
        ("final.log_trajectory_probability", -9.0),
        (f"{REASON}.edges", [0]),
        (f"{REASON}.drawn", 1),
        ("samples.1.nodes", [77]),
        ("samples.1.edges", [77]),
    ],
)
def test_what_follows_from_the_rest_is_not_believed(path: str, value: Any) -> None:
    assert from_json(replaced(path, value)) == make_trace()


def test_each_reason_has_a_trajectory_of_its_own() -> None:
    values = json.loads(to_json(with_two_reasons()))
    steps = values["answer"]["reasons"][1]["steps"]
    steps[1]["log_out_flow"] = 9.0
    assert from_json(json.dumps(values)) == with_two_reasons()
    steps[1]["frontier"] = []
    assert "answer.reasons[1].steps[1] does not fit" in refusal(json.dumps(values))


def test_something_else_entirely() -> None:
    for text in ("", "{}", "[]", "1", "hello", "<html></html>", '{"schema": {}}', b"\xff\xfe", "\x00"):
        refusal(text)
    for literal in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400, "9" * 5000):
        for path in (("log_z_exact",), ("index",), ("made", "seconds")):
            refusal(changed(*path, value="HERE").replace('"HERE"', literal))
    for text in ("[" * 100_000, '{"schema":' * 100_000, "[" * 900 + "]" * 900):
        refusal(text)
        refusal(changed("nodes", 0, "label", value="HERE").replace('"HERE"', text))
        free = changed("made", "notes", value="HERE").replace('"HERE"', text)
        assert outcome(free) or from_json(to_json(from_json(free))) == from_json(free)  # it can be written, too


def test_too_many_and_a_name_of_several_lines() -> None:
    assert "16 MiB" in refusal(b" " * (MAX_BYTES + 1))
    assert "length <= 2048" in refusal(changed("nodes", value=[plain()["nodes"][0]] * 2049))
    with pytest.raises(UserError) as caught:
        from_json("", "a\nb" * 1000)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
