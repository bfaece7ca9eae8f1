"""What requests say of themselves, so that waits are told by kind and size."""

from dataclasses import replace

import pytest

from gfx_core import limits
from gfx_core.errors import UserError
from gfx_core.explanation.many import Row
from gfx_core.explanation.question import Question
from gfx_core.job_context import JobContext
from gfx_core.jobs.messages import decode, encode
from gfx_core.jobs.requests import Explain, ExplainMany, Follow, ScoreEdges, TrainGnn
from gfx_core.user_data import store
from gfx_core.user_data.build import preview
from gfx_core.user_data.read import DataFile

QUESTION = Question("tree_cycles", "511")


def test_what_takes_longer_is_another_kind() -> None:
    tuned = Explain(replace(QUESTION, tuned=True))
    methods = [ScoreEdges(QUESTION, (method,)) for method in ("saliency", "subgraphx")]
    kinds = [request.work_kind for request in (Explain(QUESTION), tuned, Follow(QUESTION, (0,)), *methods)]
    assert len(set(kinds)) == len(kinds)
    assert Explain(replace(QUESTION, seed=1)).work_kind == Explain(QUESTION).work_kind


def test_a_table_of_predictions_has_an_end() -> None:
    for first, count in ((0, 0), (0, limits.MAX_ROWS + 1), (-1, 5)):
        with pytest.raises(UserError, match="1 to 100 rows"):
            ExplainMany(QUESTION, first, count)
    tuned = ExplainMany(replace(QUESTION, tuned=True, start=0, beta=20.0), 870, 5)  # what belongs to one alone goes
    (row,) = decode(encode(tuned.answer(JobContext())), ExplainMany.answer_type())
    assert isinstance(row, Row)
    assert (row.index, row.error) == (870, "")


def test_only_a_method_that_has_to_learn_expects_to_take_long() -> None:
    assert ScoreEdges(QUESTION, ("saliency",)).expected_s is None
    assert ScoreEdges(QUESTION, ("no such method",)).expected_s is None
    learns = ScoreEdges(replace(QUESTION, seed=1), ("pgexplainer",))  # what is shipped has learnt with seed 0
    assert not learns.short
    assert learns.expected_s is None or learns.expected_s > 0


def test_a_training_expects_to_take_its_seconds_and_more_for_more_nodes() -> None:
    visit = store.new_visit()
    try:
        few, many = (
            preview([DataFile("e.txt", b"\n".join(b"%d %d" % (node, node + 1) for node in range(count)))], visit).name
            for count in (10, 3000)
        )
        short, long, large = TrainGnn(few, seconds=8.0), TrainGnn(few, seconds=60.0), TrainGnn(many, seconds=8.0)
        assert 8.0 <= short.expected_s < large.expected_s < long.expected_s
    finally:
        store.forget_visit(visit)
