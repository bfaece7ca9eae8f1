"""What requests say of themselves, so that waits are told by kind and size."""

from dataclasses import replace

from gfx_core.explanation.many import Row
from gfx_core.explanation.question import Question
from gfx_core.job_context import JobContext
from gfx_core.jobs.messages import decode, encode
from gfx_core.jobs.requests import ExplainMany, ScoreEdges

QUESTION = Question("tree_cycles", "511")


def test_a_table_of_predictions_has_an_end() -> None:
    tuned = ExplainMany(replace(QUESTION, tuned=True, start=0, beta=20.0), 870, 5)  # what belongs to one alone goes
    (row,) = decode(encode(tuned.answer(JobContext())), ExplainMany.answer_type())
    assert isinstance(row, Row)
    assert (row.index, row.error) == (870, "")


def test_only_a_method_that_has_to_learn_takes_long() -> None:
    assert ScoreEdges(QUESTION, ("saliency", "no such method")).short
    assert not ScoreEdges(replace(QUESTION, seed=1), ("pgexplainer",)).short  # what is shipped has learnt with seed 0
