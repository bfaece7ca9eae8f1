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
NULLABLE = {
    *("element", "in_motif", "in_any_motif", "true", "target", "added", "chosen", "log_in_flow", "residual"),
    *("log_probability", "log_probability_exact", "log_z_exact", "num_states_exact", "total_variation", "other"),
    "answer",
}
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
        free = path.startswith(".made")
        nullable = free or key in NULLABLE or path.endswith("].probability")
        for wrong in () if free else ({"a": {}}, [[[{}]]], *(() if nullable else (None,))):
            holder[key] = wrong
            refusal(json.dumps(values))
        holder[key] = rng.choice(JUNK)
        assert "\n" not in outcome(json.dumps(values))
        holder[key] = original
    assert from_json(json.dumps(values)) == make_trace()


def test_each_field_is_needed_and_no_other() -> None:
    values = plain()
    for path, (holder, key) in one_of_each_path(values, random.Random(1)):
        if isinstance(holder, dict) and not path.startswith((".made.", ".masks[].metrics")):
            whole = dict(holder)
            del holder[key]
            assert f"{key} is missing" in refusal(json.dumps(values)) or key == "schema"
            holder.update(whole, colour="red")
            assert "colour is not known" in refusal(json.dumps(values))
            del holder["colour"]


def test_fuzz_of_traces() -> None:
    data, rng = to_json(make_trace()).encode(), random.Random(1)
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 1, 5))):
            damaged[rng.randrange(len(data))] = rng.choice(b'0123456789-.eE"{}[],:nul\x00\xff\\')
        assert "\n" not in outcome(bytes(damaged))


REASON = "answer.reasons.0"


@pytest.mark.parametrize(
    ("path", "value", "place"),  # which is the path itself where it is empty
    [
        ("schema", 5, "has version 5, but"),
        ("nodes", [], ""),
        ("nodes.2.id", 511, "nodes"),
        *(("nodes.2.label", value, "") for value in ("x" * 61, "a\u202eb")),
        ("nodes.2.position.1", 1e9, ""),
        ("edges.1.source", 2, "edges[1]"),
        ("edges.4.target", 9, ""),
        *((name, value, "") for name, value in (("task", "edge"), ("start", 9), ("target", None))),
        ("prediction.predicted", 2, ""),
        *(("prediction.probabilities", value, "") for value in ([0.5, 0.6], [1.0])),
        ("steps.0.frontier.0.node", 4, ""),  # not a neighbour
        ("steps.1.frontier.1.node", 77, ""),
        ("steps.1.frontier.1.node", 2, "steps[1].frontier"),  # twice
        ("steps.1.frontier.1.probability", 1.01, ""),
        ("steps.1.frontier.1.probability", 0.9, "steps[1].frontier"),
        ("steps.1.stop.forced", True, "steps[1].stop.probability"),
        ("steps.2.members", [0, 2, 1], ""),
        *((f"steps.{step}.{name}", value, "") for step, name, value in ((0, "added", 0), (3, "chosen", 4))),
        ("steps.2.added", 3, "steps[1].chosen"),
        ("steps.2.theorem_case", 2, ""),
        ("steps.2.matrix.0", [0, 0], "steps[2].matrix"),
        ("steps.2.matrix.1", [1, 1, 2], ""),
        ("steps.2.matrix.1", [0, 0, 0], "steps[2].cut_vertices"),
        ("steps.2.matrix.1", [1, 0, 1], "steps[2].child_groups[0].groups"),
        *((f"steps.2.{name}", [], "") for name in ("child_groups", "parents")),
        ("steps.2.parents.0.removed", 0, "steps[2].parents"),
        *(("steps.2.log_in_flow", value, "") for value in (None, 9.0)),
        *((f"steps.2.{name}", value, "") for name, value in (("log_out_flow", "-Infinity"), ("residual", 9.0))),
        ("reward_terms.1.name", "radius", "reward_terms"),  # twice
        ("reward_terms.1.name", "nodes", "steps[0].reward.terms"),
        ("steps.0.other.stop", 0.5, "steps[0].other"),
        ("steps.0.other.frontier", [0.75], ""),
        ("steps.2.reward.terms.3.price", 9.0, "steps[2].reward.terms[3].contribution"),
        ("steps.2.reward.log_reward", -9.0, ""),
        *((f"final.{name}", [0, 1, 2], "") for name in ("nodes", "edges")),
        ("final.log_reward", 0.0, ""),
        ("final.log_trajectory_probability", 0.5, ""),
        *((f"{REASON}.nodes", value, "") for value in ([1, 0, 2, 3], [0, 1, 1], [0, 2, 1, 3], [0, 1, 9])),
        *((f"{REASON}.{name}", value, "") for name, value in (("edges", [0, 1, 2]), ("share", 1.2), ("drawn", 61))),
        *((f"{REASON}.{name}", value, "") for name, value in (("alone", [1.0]), ("without", [0.5, 0.25]))),
        (f"{REASON}.steps", plain()["steps"][:2], ""),
        ("answer.without_all", [0.5, 0.25], ""),
        *((f"answer.{name}", value, "") for name, value in (("reasons", []), ("verdict", "maybe"), ("sentence", ""))),
        ("samples.1.order", [0, 3, 3], ""),
        *(("samples.1.nodes", value, "") for value in ([4, 3, 0], [0, 3, 9])),
        ("samples.1.edges.1", 5, "samples[1].edges"),
        *((name, [0.5], "") for name in ("edge_marginals", "masks.0.scores")),
        ("masks.0.metrics.auc_own", None, "masks[0].metrics[…]"),
        ("masks.0.metrics", {"x" * 61: 1.0}, "masks[0].metrics key"),
        ("made.config.seed", 2**60, "made[…][…]"),
        ("made.notes", "x" * 1001, "made[…]"),
        ("made.notes", [[[[[[[[[[1]]]]]]]]]], "made[…][0][0][0][0][0][0][0][0]"),
        ("made.notes", [[0] * 200] * 200, "more than 10000"),
        ("made", {str(i): 0 for i in range(201)}, ""),
    ],
)
def test_a_contradiction_is_refused_with_its_place(path: str, value: Any, place: str) -> None:
    keys = [int(key) if key.isdecimal() else key for key in path.split(".")]
    dotted = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).lstrip(".")
    assert f"{place or dotted} " in refusal(changed(*keys, value=value))


def test_shares_add_up_and_each_reason_has_a_trajectory_of_its_own() -> None:
    values = json.loads(to_json(with_two_reasons()))
    values["answer"]["reasons"][1]["share"] = 0.5
    assert "answer.reasons must" in refusal(json.dumps(values))
    values["answer"]["reasons"][1]["share"] = 0.3
    values["answer"]["reasons"][1]["steps"][1]["log_out_flow"] = 9.0
    assert "answer.reasons[1].steps[1].log_out_flow is" in refusal(json.dumps(values))


def test_something_else_entirely() -> None:
    for text in ("", "{}", "[]", "1", "hello", "<html></html>", '{"schema": {}}', b"\xff\xfe", "\x00"):
        refusal(text)
    for literal in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400, "9" * 5000):
        for path in (("log_z_exact",), ("index",), ("made", "seconds")):
            refusal(changed(*path, value="HERE").replace('"HERE"', literal))
    for text in ("[" * 100_000, '{"schema":' * 100_000, "[" * 900 + "]" * 900):
        refusal(text)
        refusal(changed("nodes", 0, "label", value="HERE").replace('"HERE"', text))
        refusal(changed("made", "notes", value="HERE").replace('"HERE"', text))


def test_twice_too_many_and_a_name_of_several_lines() -> None:
    assert "field twice" in refusal(to_json(make_trace())[:-1] + ',"start":0}')
    assert "16 MiB" in refusal(b" " * (MAX_BYTES + 1))
    assert "at most 2048" in refusal(changed("nodes", value=[plain()["nodes"][0]] * 2049))
    with pytest.raises(UserError) as caught:
        from_json("", "a\nb" * 1000)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
