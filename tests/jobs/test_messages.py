"""What goes to a worker comes out as it went in."""

import io
import math

import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.jobs import messages
from gfx_core.jobs.messages import Cancel, Command, RunJob, ToWorker
from gfx_core.jobs.requests import AskAll, Explain, Follow, LookAt, Race, TrainGnn
from gfx_core.trace.schema import Step, Trace
from gfx_core.training.user_gnn_setting import GnnReport
from gfx_core.user_data.draft import ColumnRoles
from tests.toys.traces import make_trace

QUESTION = Question("tree_cycles", "511", flows="exact", beta=3.0)  # type: ignore[arg-type]


def test_requests_and_answers_come_out_as_they_went_in() -> None:
    for request in (
        Explain(QUESTION),
        Follow(QUESTION, (0, 2)),
        LookAt("v", ("a",), ("b",), ColumnRoles("y")),
        Race("x", 1),
    ):
        assert messages.decode_request(messages.encode_request(request)) == request
    assert messages.decode(messages.encode(make_trace()), Trace) == make_trace()  # it holds −∞
    steps = make_trace().steps
    assert messages.decode(messages.encode(steps), Follow.answer_type()) == steps


def test_what_answers_are_read_as() -> None:
    assert Explain.answer_type() is Trace
    assert Follow.answer_type() == tuple[Step, ...]
    assert TrainGnn.answer_type() is GnnReport
    arrays = {"whole": np.arange(6.0).reshape(2, 3)[:, ::2], "probabilities": np.zeros((0, 2))}
    answers = (
        dict.fromkeys(("whole", "probabilities", "cross_entropy", "nodes", "edges", "distance"), np.ones(1)) | arrays
    )
    found = messages.decode(messages.encode({"sum": answers}), AskAll.answer_type())["sum"]
    for name, array in arrays.items():
        assert np.array_equal(getattr(found, name), array)
        getattr(found, name)[...] = 1  # can be written to
    mixed = messages.decode(messages.encode({"a": (1, np.float32(2.5), np.array([True])), "b": -math.inf}), dict)
    assert mixed == {"a": [1, 2.5, np.array([True])], "b": -math.inf}
    assert messages.digest({"b": 1, "a": 2}) == messages.digest({"a": 2, "b": 1}) != messages.digest({"b": 1, "a": [2]})


def test_nothing_else_is_sent() -> None:
    for value in (object(), {"a": np.array([object()])}):
        with pytest.raises(TypeError, match="cannot be sent"):
            messages.encode(value)
    gone = messages.encode(
        ("gfx_core.jobs.requests:Explain", {"question": {"dataset": f"own-{0:016x}-{0:016x}", "name": "1"}})
    )
    with pytest.raises(UserError, match="Upload the same file"):  # the sentence that whoever asked is to read
        messages.decode_request(gone)


def test_a_cut_off_message_is_an_end() -> None:
    sent = [RunJob(3, True, b"request"), Command(3, {"word": "end"}), Cancel(3)]
    stream = io.BytesIO()
    for message in sent:
        messages.write_message(stream, message)
    whole = io.BytesIO(stream.getvalue())
    assert [messages.read_message(whole, ToWorker) for _ in sent] == sent
    with pytest.raises(EOFError):
        messages.read_message(io.BytesIO(stream.getvalue()[:20]), ToWorker)
