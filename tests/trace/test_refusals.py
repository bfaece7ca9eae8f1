"""Traces that are cut off, changed or something else entirely are refused in one sentence."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from gfx_core.errors import UserError
from gfx_core.trace.serialize import MAX_BYTES, from_json, to_json
from tests.toys.traces import changed, make_trace, plain, with_two_reasons

JUNK = (None, True, "x", "-Infinity", "<script>alert(1)</script>", "a\nb", "\ud800", 1.5, -1, 77, 10**30, 1e308, [], {})
REASON = ("answer", "reasons", 0)
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
    """The sentence with which a text is refused, empty if it is not."""
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


def some_places(values: Any, rng: random.Random) -> Iterator[tuple[str, Place]]:
    """One position of each path."""
    all_of: dict[str, list[Place]] = {}
    for path, place in places(values):
        all_of.setdefault(path, []).append(place)
    for path, alike in all_of.items():
        yield path, rng.choice(alike)


def test_cut_off_anywhere() -> None:
    data = to_json(make_trace()).encode()
    for end in [*range(0, len(data) - 1, 41), len(data) - 1]:
        assert "cut off" in refusal(data[:end]) or "UTF-8" in refusal(data[:end])


def test_each_value_is_checked_for_its_type() -> None:
    values, rng = plain(), random.Random(0)
    for path, (holder, key) in some_places(values, rng):
        original = holder[key]
        free = path.startswith(".made")
        nullable = free or key in NULLABLE or path.endswith("].probability")
        for wrong in () if free else ({"a": {}}, [[[{}]]], *(() if nullable else (None,))):
            holder[key] = wrong
            refusal(json.dumps(values))
        for junk in rng.sample(JUNK, 3):
            holder[key] = junk
            assert "\n" not in outcome(json.dumps(values))
        holder[key] = original
    assert from_json(json.dumps(values)) == make_trace()


def test_each_field_is_needed_and_no_other() -> None:
    values = plain()
    for path, (holder, key) in some_places(values, random.Random(1)):
        if isinstance(holder, dict) and not path.startswith((".made.", ".masks[].metrics")):
            whole = dict(holder)
            del holder[key]
            assert f"{key} is missing" in refusal(json.dumps(values)) or key == "schema"
            holder.update(whole, colour="red")
            assert "colour is not known here" in refusal(json.dumps(values))
            del holder["colour"]


def test_fuzz_of_traces() -> None:
    data = to_json(make_trace()).encode()
    rng = random.Random(1)
    for _ in range(1000):
        changed_data = bytearray(data)
        for _ in range(rng.choice((1, 1, 5))):
            changed_data[rng.randrange(len(data))] = rng.choice(b'0123456789-.eE"{}[],:nul\x00\xff\\')
        assert "\n" not in outcome(bytes(changed_data))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("schema",), 5, "the trace has version 5, but this program reads 7: explain it again"),
        (("task",), "edge", "task cannot be 'edge'"),
        (("nodes",), [], "nodes must be a list of length at least 1"),
        (("nodes", 2, "id"), 511, "nodes must have different ids"),
        (("nodes", 2, "label"), "x" * 61, "nodes[2].label must be a text of length at most 60"),
        (("nodes", 2, "label"), "a\u202eb", "nodes[2].label contains a line break or another control character"),
        (("nodes", 2, "position", 1), 1e9, "nodes[2].position[1] must be a number of at most 1000000.0"),
        (("edges", 1, "source"), 2, "edges[1] must have source < target"),
        (("prediction", "predicted"), 2, "prediction.predicted is 2, but the task has 2 classes"),
        (("prediction", "probabilities"), [0.5, 0.6], "prediction.probabilities must add up to 1, not to 1.1"),
        (("prediction", "probabilities"), [1.0], "prediction.probabilities has 1 entry for 2 classes"),
        (("target",), None, "target must be the start node in a node task"),
        (("steps", 1, "frontier", 1, "node"), 77, "steps[1].frontier[1].node is 77, but the graph has 5 nodes"),
        (("steps", 1, "frontier", 1, "node"), 2, "steps[1].frontier must name each node once"),
        (("steps", 0, "frontier", 0, "node"), 4, "steps[0].frontier[0].node is 4, which is not a neighbour"),
        (
            ("steps", 1, "frontier", 1, "probability"),
            1.01,
            "steps[1].frontier[1].probability must be a number of at most 1.0",
        ),
        (("steps", 1, "frontier", 1, "probability"), 0.9, "steps[1].frontier and STOP must have probabilities that"),
        (("steps", 1, "stop", "forced"), True, "steps[1].stop.probability is 0.0"),
        (("steps", 0, "added"), 0, "steps[0].added must be a node, except at the first step"),
        (("steps", 2, "members"), [0, 2, 1], "steps[2].members must be those of the step before"),
        (("steps", 2, "added"), 3, "steps[1].chosen must be the frontier node that the next step adds"),
        (("steps", 3, "chosen"), 4, "steps[3].chosen must be the frontier node that the next step adds"),
        (("steps", 2, "theorem_case"), 2, "steps[2].theorem_case is 2, but the added node touches 1 of 2 members"),
        (("steps", 2, "matrix", 0), [0, 0], "steps[2].matrix must have 3 rows and columns"),
        (("steps", 2, "matrix", 1), [1, 1, 2], "steps[2].matrix[1] must label every member but its own"),
        (("steps", 2, "matrix", 1), [0, 0, 0], "steps[2].cut_vertices must be the members whose rows"),
        (("steps", 2, "matrix", 1), [1, 0, 1], "steps[2].child_groups[0].groups must be the groups that the matrix"),
        (("steps", 2, "child_groups"), [], "steps[2].child_groups must have one entry for each cut vertex"),
        (("steps", 2, "parents", 0, "removed"), 0, "steps[2].parents must take away different members"),
        (("steps", 2, "parents"), [], "steps[2].parents must take away different members"),
        (("steps", 2, "log_in_flow"), None, "steps[2].log_in_flow must be a number, except at the first step"),
        (("steps", 2, "log_in_flow"), 9.0, "steps[2].log_in_flow is not the log of the sum"),
        (("steps", 2, "log_out_flow"), "-Infinity", "steps[2].log_out_flow is not the log of the sum"),
        (("steps", 2, "residual"), 9.0, "steps[2].residual must be log_in_flow − log_out_flow"),
        (("reward_terms", 1, "name"), "radius", "reward_terms must have different names"),
        (("reward_terms", 1, "name"), "nodes", "steps[0].reward.terms must be those that the trace declares"),
        (("steps", 0, "other", "stop"), 0.5, "steps[0].other must have probabilities that add up to 1"),
        (("steps", 0, "other", "frontier"), [0.75], "steps[0].other.frontier has 1 entry, but the frontier has 2"),
        (("steps", 2, "reward", "terms", 3, "price"), 9.0, "steps[2].reward.terms[3].contribution is not the price"),
        (("steps", 2, "reward", "log_reward"), -9.0, "steps[2].reward.log_reward is -9, but its terms give -1.84"),
        (("final", "nodes"), [0, 1, 2], "final.nodes must be the members of the last step"),
        (("final", "edges"), [0, 1, 2], "final.edges must be all edges between the subgraph's nodes"),
        (("final", "log_reward"), 0.0, "final.log_reward must be that of the last step"),
        (
            ("final", "log_trajectory_probability"),
            0.5,
            "final.log_trajectory_probability must be a number of at most 0.001",
        ),
        ((*REASON, "nodes"), [1, 0, 2, 3], "answer.reasons[0].nodes must start with the explained node"),
        ((*REASON, "nodes"), [0, 1, 1], "answer.reasons[0].nodes must be different nodes"),
        ((*REASON, "nodes"), [0, 2, 1, 3], "answer.reasons[0].nodes must be connected to those before them"),
        ((*REASON, "edges"), [0, 1, 2], "answer.reasons[0].edges must be all edges between the reason's nodes"),
        ((*REASON, "share"), 1.2, "answer.reasons[0].share must be a number of at most 1"),
        ((*REASON, "drawn"), 61, "answer.reasons[0].drawn is 61, but 60 of the samples end there"),
        ((*REASON, "alone"), [1.0], "answer.reasons[0].alone has 1 entry for 2 classes"),
        ((*REASON, "without"), [0.5, 0.25], "answer.reasons[0].without must add up to 1, not to 0.75"),
        ((*REASON, "steps"), plain()["steps"][:2], "answer.reasons[0].steps must end in the reason's nodes"),
        (("answer", "without_all"), [0.5, 0.25], "answer.without_all must add up to 1, not to 0.75"),
        (("answer", "reasons"), [], "answer.reasons must be a list of length at least 1"),
        (("answer", "verdict"), "maybe", "answer.verdict"),
        (("answer", "sentence"), "", "answer.sentence must be a text of length at least 1"),
        (("samples", 1, "order"), [0, 3, 3], "samples[1].order must contain the same nodes"),
        (("samples", 1, "nodes"), [4, 3, 0], "samples[1].nodes must be different nodes, ascending"),
        (("start",), 9, "start is 9, but the graph has 5 nodes"),
        (("edges", 4, "target"), 9, "edges[4].target is 9, but the graph has 5 nodes"),
        (("samples", 1, "nodes"), [0, 3, 9], "samples[1].nodes is 9, but the graph has 5 nodes"),
        ((*REASON, "nodes"), [0, 1, 9], "answer.reasons[0].nodes is 9, but the graph has 5 nodes"),
        (("samples", 1, "edges", 1), 5, "samples[1].edges must be all edges between the subgraph's nodes"),
        (("edge_marginals",), [0.5], "edge_marginals has 1 entry, but the graph has 5 edges"),
        (("masks", 0, "scores"), [0.5], "masks[0].scores has 1 entry, but the graph has 5 edges"),
        (("masks", 0, "metrics", "auc_own"), None, "masks[0].metrics[…] must be a number, not null"),
        (("masks", 0, "metrics"), {"x" * 61: 1.0}, "masks[0].metrics key must be a text of length at most 60"),
        (("made", "config", "seed"), 2**60, "made[…][…] must be a whole number of at most 9007199254740992"),
        (("made", "notes"), "x" * 1001, "made[…] must be a text of length at most 1000"),
        (("made", "notes"), [[[[[[[[[[1]]]]]]]]]], "made[…][0][0][0][0][0][0][0][0] must be"),
        (("made", "notes"), [[0] * 200] * 200, "made contains more than 10000 values"),
        (("made",), {str(i): 0 for i in range(201)}, "made must be an object of length at most 200"),
    ],
)
def test_what_is_wrong_and_where(path: tuple[Any, ...], value: Any, message: str) -> None:
    assert message in refusal(changed(*path, value=value))


def test_shares_add_up_and_each_reason_has_a_trajectory_of_its_own() -> None:
    values = json.loads(to_json(with_two_reasons()))
    values["answer"]["reasons"][1]["share"] = 0.5
    assert "answer.reasons must have shares that add up to 1 at most" in refusal(json.dumps(values))
    values["answer"]["reasons"][1]["share"] = 0.3
    values["answer"]["reasons"][1]["steps"][1]["log_out_flow"] = 9.0
    assert "answer.reasons[1].steps[1].log_out_flow is not the log of the sum" in refusal(json.dumps(values))


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


def test_a_field_given_twice_or_too_many() -> None:
    assert "same field twice" in refusal(to_json(make_trace())[:-1] + ',"start":0}')
    assert "larger than 16 MiB" in refusal(b" " * (MAX_BYTES + 1))
    nodes = [plain()["nodes"][0]] * 2049
    assert "nodes must be a list of length at most 2048" in refusal(changed("nodes", value=nodes))


def test_the_name_stays_on_one_line() -> None:
    with pytest.raises(UserError) as caught:
        from_json("", "a\nb" * 1000)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
