"""A question names a prediction and how it is explained; equal ones are the same to links, caches and workers."""

from dataclasses import replace

from gfx_core.config import FlowSource
from gfx_core.explanation.question import Choice, Question

POLICY = {"beta": 3.0, "node_price": 0.2, "max_nodes": 6, "tuned": True}
TYPED = Question("BA-Shapes", " 0412", flows="exact", choice="greedy", seed=7, samples=16, **POLICY)  # type: ignore[arg-type]


def test_equal_questions_are_one_however_they_are_typed() -> None:
    how = {**POLICY, "flows": FlowSource.EXACT, "choice": Choice.GREEDY}
    again = Question("ba_shapes", "412", seed=7, samples=16, **how)  # type: ignore[arg-type]
    assert len({again, TYPED}) == 1
    assert Question("Mutagenicity", "tnt", "compound").name == "TNT"


def test_what_its_parts_depend_on() -> None:
    assert TYPED.prediction == Question("ba_shapes", "412")
    assert TYPED.policy == Question("ba_shapes", "412", flows=FlowSource.EXACT, **POLICY)  # type: ignore[arg-type]
    plain = (TYPED.prediction, TYPED, replace(TYPED.prediction, gnn="gcn"))
    assert [question.is_plain for question in plain] == [True, False, False]
    near, far = (Question("tree_cycles", "600").instance(hops) for hops in (2, 4))
    assert near.num_nodes < far.num_nodes
