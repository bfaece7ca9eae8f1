"""What goes to a worker comes out as it went in, and nothing else is sent."""

import io
import math

import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.jobs import messages
from gfx_core.jobs.job import Request
from gfx_core.jobs.messages import Cancel, Command, RunJob, ToWorker
from gfx_core.jobs.requests import AskAll, Explain, Follow, LookAt, Race, ScoreEdges
from gfx_core.trace.schema import Step, Trace
from gfx_core.user_data.draft import ColumnRoles
from tests.toys.traces import make_trace

QUESTION = Question("tree_cycles", "511", flows="exact", beta=3.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "request_",
    [Explain(QUESTION), Follow(QUESTION, (0, 2)), LookAt("v", ("a",), ("b",), ColumnRoles("y")), Race("x", 1)],
    ids=lambda request: type(request).__name__,
)
def test_requests_come_out_as_they_went_in(request_: Request) -> None:
    assert messages.decode_request(messages.encode_request(request_)) == request_


def test_answers_are_read_as_the_type_of_their_request() -> None:
    assert Explain.answer_type() is Trace
    assert Follow.answer_type() == tuple[Step, ...]
    trace = make_trace()  # it contains −∞
    assert messages.decode(messages.encode(trace), Trace) == trace
    arrays = {"whole": np.arange(6.0).reshape(2, 3)[:, ::2], "probabilities": np.zeros((0, 2))}
    others = dict.fromkeys(("cross_entropy", "nodes", "edges", "distance"), np.ones(1))
    answers = messages.decode(messages.encode({"sum": others | arrays}), AskAll.answer_type())["sum"]
    for name, array in arrays.items():
        assert np.array_equal(getattr(answers, name), array)
        getattr(answers, name)[...] = 1  # can be written to
    mixed = messages.decode(messages.encode({"a": (1, np.float32(2.5), np.array([True])), "b": -math.inf}), dict)
    assert mixed == {"a": [1, 2.5, np.array([True])], "b": -math.inf}
    assert messages.digest({"b": 1, "a": 2}) == messages.digest({"a": 2, "b": 1}) != messages.digest({"b": 1, "a": [2]})


def test_nothing_else_is_sent_and_lost_data_is_a_sentence() -> None:
    for value in (object(), {"a": np.array([object()])}):
        with pytest.raises(TypeError, match="cannot be sent"):
            messages.encode(value)
    question = {"dataset": f"own-{0:016x}-{0:016x}", "name": "1"}
    with pytest.raises(UserError, match="Upload"):
        messages.decode_request(messages.encode(("gfx_core.jobs.requests:Explain", {"question": question})))


def test_a_cut_off_message_is_an_end() -> None:
    sent = [RunJob(3, True, b"request"), Command(3, {"word": "end"}), Cancel(3)]
    stream = io.BytesIO()
    for message in sent:
        messages.write_message(stream, message)
    whole = io.BytesIO(stream.getvalue())
    assert [messages.read_message(whole, ToWorker) for _ in sent] == sent
    with pytest.raises(EOFError):
        messages.read_message(io.BytesIO(stream.getvalue()[:20]), ToWorker)


def test_only_a_method_that_has_to_learn_takes_long() -> None:
    assert ScoreEdges(QUESTION, ("saliency", "no such method")).short
    assert ScoreEdges(QUESTION, ("pgexplainer",)).short  # what is shipped was learned with seed 0
    seeded = Question("tree_cycles", "511", seed=1)
    assert not ScoreEdges(seeded, ("pgexplainer",)).short
