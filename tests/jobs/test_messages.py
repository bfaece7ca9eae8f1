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


def test_values_come_out_as_they_went_in() -> None:
    number = TermValue("size", 1.5, 0.25, 0.375)
    for value in (None, True, {"a": [1, 2.5, "é<"], "b": {"c": None}}, (1, ("x", [2])), Task.GRAPH, number, -math.inf):
        back = messages.deserialize(messages.serialize(value))
        assert back == value
        assert type(back) is type(value)
    for array in (np.arange(6).reshape(2, 3)[:, ::2], np.zeros((0, 2), np.float32), np.array([True])):
        back = messages.deserialize(messages.serialize(array))
        assert back.dtype == array.dtype
        assert np.array_equal(back, array)
        back[...] = 1  # can be written to
    instance = load_dataset("tree_cycles").instance(600)
    back = messages.deserialize(messages.serialize(instance))
    assert back.task is Task.NODE
    assert np.array_equal(back.edge_index, instance.edge_index)


@dataclass
class Foreign:
    x: int = 1


def test_nothing_else_is_sent_or_made() -> None:
    for value in (object(), {1: 2}, {"__kind__": "tuple"}, Foreign(), np.array([object()]), b"bytes"):
        with pytest.raises(TypeError, match="cannot be sent"):
            messages.serialize(value)
    packed = messages.serialize(Foreign(3), modules=["tests."])  # types of modules that are named
    assert messages.deserialize(packed, modules=["tests."]).x == 3
    for data in (packed, b'{"__kind__":"dataclass","type":"subprocess:Popen","fields":{"args":"true"}}'):
        with pytest.raises(TypeError, match="no type of this package"):
            messages.deserialize(data)


def test_the_order_of_a_dictionary_stays_and_makes_no_difference() -> None:
    one, other = {"b": 1, "a": (2,)}, {"a": (2,), "b": 1}
    assert list(messages.deserialize(messages.serialize(one))) == ["b", "a"]
    assert messages.digest(one) == messages.digest(other) != messages.digest({"b": 1, "a": [2]})


def test_a_cut_off_message_is_an_end() -> None:
    stream = io.BytesIO()
    messages.write_message(stream, b"a message")
    assert messages.read_message(io.BytesIO(stream.getvalue())) == b"a message"
    with pytest.raises(EOFError):
        messages.read_message(io.BytesIO(stream.getvalue()[:-1]))
