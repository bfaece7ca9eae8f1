"""Traces of older versions, put into today's form before they are checked.

Nothing in a file is believed here either: what does not look as it did in its version stays as it is, and the checks
that follow will say what is wrong with it.
"""

import sys
from typing import Any

OLDER = (2, 3, 4, 5)
"""The versions that can be read besides today's."""

_TERMS_OF_2 = (
    ("cross_entropy", "cross-entropy", "−log p: how far the GNN, seeing this set only, is from the explained class"),
    ("size", "λ₁ · edges", "number of edges |E_s|, times its price λ₁"),
    ("radius", "λ₂ · radius", "largest distance from the start node, times its price λ₂"),
    (
        "similarity",
        "λ₃ · distance",
        "‖z_s − z‖ / ‖z‖: how far the GNN's embedding of the set is from that of all, times its price λ₃",
    ),
)


def migrated(values: dict[str, Any]) -> dict[str, Any]:
    """The JSON values of a trace of any readable version, in the form of the latest."""
    if values["schema"] == 2:
        values = _from_2_to_3(values)
    if values["schema"] == 3:
        values = _from_3_to_4(values)
    if values["schema"] == 4:
        values = _from_4_to_5(values)
    return _from_5_to_6(values) if values["schema"] == 5 else values


def _from_5_to_6(values: dict[str, Any]) -> dict[str, Any]:
    """Until version 5 every trace was drawn as a network."""
    return {**values, "schema": 6, "drawing": "network"}


def _from_4_to_5(values: dict[str, Any]) -> dict[str, Any]:
    """Until version 4 a trace did not say what its draws agree on, and compared them with a truth where none is known.

    None is where no edge belongs to the motif, where the true class is not known, and where a graph's class was not
    predicted as it is.
    """
    added: dict[str, Any] = {"schema": 5, "answer": None}
    edges, prediction = values.get("edges"), values.get("prediction")
    if isinstance(edges, list) and all(isinstance(edge, dict) for edge in edges) and isinstance(prediction, dict):
        true = prediction.get("true")
        wrong = values.get("task") == "graph" and true != prediction.get("predicted")
        if wrong or true is None or not any(edge.get("in_motif") is True for edge in edges):
            added["edges"] = [_without_truth(edge) for edge in edges]
    return {**values, **added}


def _without_truth(edge: dict[str, Any]) -> dict[str, Any]:
    return {**edge, **{name: None for name in ("in_motif", "in_any_motif") if type(edge.get(name)) is bool}}


def _from_3_to_4(values: dict[str, Any]) -> dict[str, Any]:
    """Until version 3 all flows were learned ones, and nothing was compared with them."""
    added = {"schema": 4, "flows": "learned", "total_variation": None}
    steps = values.get("steps")
    if isinstance(steps, list):
        added["steps"] = [{"other": None, **step} if isinstance(step, dict) else step for step in steps]
    return {**values, **added}


def _from_2_to_3(values: dict[str, Any]) -> dict[str, Any]:
    """Until version 2 the reward had four terms, each in a field of its own; now they are a list."""
    steps = values.get("steps")
    if isinstance(steps, list):
        steps = [
            {**step, "reward": _listed(step["reward"])} if isinstance(step, dict) and "reward" in step else step
            for step in steps
        ]
    words = [{"name": name, "symbol": symbol, "title": title} for name, symbol, title in _TERMS_OF_2]
    return {**values, "schema": 3, "reward_terms": words} | ({"steps": steps} if "steps" in values else {})


def _listed(reward: Any) -> Any:
    names = [name for name, _, _ in _TERMS_OF_2]
    if not isinstance(reward, dict) or not set(names) <= reward.keys():
        return reward
    rest = {key: value for key, value in reward.items() if key not in names}
    priced = {**reward, "cross_entropy": {"value": reward["cross_entropy"], "weight": 1.0}}
    return {**rest, "terms": [_term(name, priced[name]) for name in names]}


def _term(name: str, term: Any) -> Any:
    if not isinstance(term, dict) or term.keys() != {"value", "weight"} or not all(map(_is_number, term.values())):
        return term
    value, price = term["value"], term["weight"]
    return {"name": name, "value": value, "price": price, "contribution": value * price}


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max
