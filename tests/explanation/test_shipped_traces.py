"""The shipped traces are what the shipped policies give."""

import pytest

from gfx_core.config import TRACES
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.explanation.run import explain
from gfx_core.trace import serialize


@pytest.mark.parametrize("question", SHIPPED, ids=lambda question: question.title)
def test_shipped_traces_can_be_made_again(question: Question) -> None:
    shipped, again = serialize.load(question.shipped_trace), explain(question)
    assert again.index == shipped.index
    assert [node.position for node in again.nodes] == [pytest.approx(node.position, abs=1e-3) for node in shipped.nodes]
    assert again.steps[0].log_out_flow == pytest.approx(shipped.steps[0].log_out_flow, abs=1e-2)
    assert again.prediction.probabilities == pytest.approx(shipped.prediction.probabilities, abs=1e-4)


def test_nothing_else_is_shipped() -> None:
    assert set(TRACES.iterdir()) == {question.shipped_trace for question in SHIPPED}
