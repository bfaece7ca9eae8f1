"""Traces of older versions still open, and what is wrong with them is told as ever."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gfx_core.config import TRACES, FlowSource
from gfx_core.errors import UserError
from gfx_core.trace.io import from_json, to_json
from gfx_core.trace.schema import SCHEMA, Trace
from tests.toys.traces import make_trace, plain
from tests.trace.test_refusals import JUNK, outcome, places


def version_5() -> dict[str, Any]:
    """The toy trace as version 5 wrote it: always drawn as a network."""
    values = plain()
    values["schema"] = 5
    del values["drawing"]
    return values


def version_4() -> dict[str, Any]:
    """The toy trace as version 4 wrote it: without an answer."""
    values = version_5()
    values["schema"] = 4
    del values["answer"]
    return values


def version_3() -> dict[str, Any]:
    """The toy trace as version 3 wrote it: all flows are learned ones, with nothing beside them."""
    values = version_4()
    values["schema"] = 3
    del values["flows"], values["total_variation"]
    for step in values["steps"]:
        del step["other"]
    return values


def as_it_was() -> Trace:
    """The toy trace without what versions 4 and 5 brought."""
    trace = replace(make_trace(), answer=None)
    return replace(trace, total_variation=None, steps=tuple(replace(step, other=None) for step in trace.steps))


def version_2() -> dict[str, Any]:
    """The toy trace as version 2 wrote it: four terms of the reward, each in a field of its own."""
    values = version_3()
    del values["reward_terms"]
    values["schema"] = 2
    for step in values["steps"]:
        terms = {term["name"]: term for term in step["reward"].pop("terms")}
        step["reward"]["cross_entropy"] = terms.pop("cross_entropy")["value"]
        for name, term in terms.items():
            step["reward"][name] = {"value": term["value"], "weight": term["price"]}
    return values


def test_version_5() -> None:
    assert from_json(json.dumps(version_5())) == make_trace()


def test_version_4() -> None:
    assert from_json(json.dumps(version_4())) == replace(make_trace(), answer=None)


def test_version_4_knew_a_truth_where_none_is_known() -> None:
    def told(**changes: Any) -> bool:
        values = version_4()
        values["prediction"] |= changes.pop("prediction", {})
        for edge in values["edges"] if changes.pop("no_motif", False) else []:
            edge["in_motif"] = False
        return from_json(json.dumps({**values, **changes})).has_truth

    assert told()
    assert told(prediction={"true": 0})  # of a node that is in a motif, whichever place in it the GNN says
    assert not told(no_motif=True)
    assert not told(prediction={"true": None})
    assert told(task="graph", target=None)
    assert not told(task="graph", target=None, prediction={"true": 0})


def test_junk_in_version_4_costs_one_sentence() -> None:
    values = version_4()
    for name in ("edges", "prediction", "task"):
        for wrong in (*JUNK, [None], [[]], [{}], [{"in_motif": 3}], {"true": []}, {"true": None}):
            assert "\n" not in outcome(json.dumps({**values, name: wrong}))


def test_version_3() -> None:
    trace = from_json(json.dumps(version_3()))
    assert trace == as_it_was()
    assert trace.flows is FlowSource.LEARNED


def test_junk_in_version_3_costs_one_sentence() -> None:
    values = version_3()
    for wrong in (*JUNK, [None], [[]], [{}], [{"other": 3}]):
        assert "\n" not in outcome(json.dumps({**values, "steps": wrong}))


def test_version_2() -> None:
    assert from_json(json.dumps(version_2())) == as_it_was()


def test_what_is_wrong_in_version_2_is_told() -> None:
    values = version_2()
    values["steps"][1]["reward"]["log_reward"] = -9.0
    with pytest.raises(UserError, match=r"steps\[1\]\.reward\.log_reward is -9"):
        from_json(json.dumps(values))


def test_junk_in_version_2_costs_one_sentence() -> None:
    values = version_2()
    for holder, key in [*places(values["steps"][1]["reward"]), *[(values, key) for key in values if key != "made"]]:
        original = holder[key]
        for wrong in (*JUNK, 10**400, {"value": 10**400, "weight": 1.0}, {"value": True, "weight": 1.0}, [{}]):
            holder[key] = wrong
            assert "\n" not in outcome(json.dumps(values))
        del holder[key]
        with pytest.raises(UserError):
            from_json(json.dumps(values))
        holder[key] = original
    assert from_json(json.dumps(values)) == as_it_was()


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.json")), ids=lambda path: path.stem)
def test_shipped_traces_open_and_are_written_in_todays_form(path: Path) -> None:
    trace = from_json(path.read_bytes())
    text = to_json(trace)
    assert text.startswith(f'{{"schema":{SCHEMA},')
    assert from_json(text) == trace
