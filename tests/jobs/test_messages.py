"""What goes to a worker comes out as it went in."""

import io
import math
from dataclasses import dataclass

import numpy as np
import pytest

from gfx_core.config import Task
from gfx_core.datasets.registry import load_dataset
from gfx_core.jobs import messages
from gfx_core.trace.schema import TermValue


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        {"a": [1, 2.5, "é<"], "b": {"c": None}},
        (1, ("x", [2])),
        Task.GRAPH,
        TermValue("size", 1.5, 0.25, 0.375),
        -math.inf,
    ],
)
def test_values(value: object) -> None:
    back = messages.deserialize(messages.serialize(value))
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize("array", [np.arange(6).reshape(2, 3)[:, ::2], np.zeros((0, 2), np.float32), np.array([True])])
def test_arrays(array: np.ndarray) -> None:
    back = messages.deserialize(messages.serialize(array))
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)
    back[...] = 1  # can be written to


def test_an_instance() -> None:
    instance = load_dataset("tree_cycles").instance(600)
    back = messages.deserialize(messages.serialize(instance))
    assert back.task is Task.NODE
    assert np.array_equal(back.edge_index, instance.edge_index)
    assert np.array_equal(back.own_edges, instance.own_edges)


@dataclass
class Foreign:
    x: int = 1


@pytest.mark.parametrize("value", [object(), {1: 2}, {"__kind__": "tuple"}, Foreign(), np.array([object()]), b"bytes"])
def test_nothing_else(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be sent"):
        messages.serialize(value)


def test_types_of_modules_that_are_named() -> None:
    packed = messages.serialize(Foreign(3), modules=["tests."])
    assert messages.deserialize(packed, modules=["tests."]).x == 3
    with pytest.raises(TypeError, match="no type of this package"):
        messages.deserialize(packed)


def test_the_order_of_a_dictionary_stays_and_makes_no_difference() -> None:
    one, other = {"b": 1, "a": (2,)}, {"a": (2,), "b": 1}
    assert list(messages.deserialize(messages.serialize(one))) == ["b", "a"]
    assert messages.digest(one) == messages.digest(other) != messages.digest({"b": 1, "a": [2]})


def test_only_our_types_are_made() -> None:
    with pytest.raises(TypeError, match="no type of this package"):
        messages.deserialize(b'{"__kind__":"dataclass","type":"subprocess:Popen","fields":{"args":"true"}}')


def test_a_cut_off_message_is_an_end() -> None:
    stream = io.BytesIO()
    messages.write_message(stream, b"a message")
    assert messages.read_message(io.BytesIO(stream.getvalue())) == b"a message"
    with pytest.raises(EOFError):
        messages.read_message(io.BytesIO(stream.getvalue()[:-1]))
