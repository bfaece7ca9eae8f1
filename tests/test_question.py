"""A question names a prediction and how it is explained; equal ones are the same to links, caches and workers."""

from dataclasses import replace

from gfx_core.config import FlowSource
from gfx_core.explanation.question import Choice, Question
from gfx_core.jobs import messages

POLICY = {"beta": 3.0, "node_price": 0.2, "max_nodes": 6, "tuned": True}
ASKED = Question("BA-Shapes", " 0412", flows="exact", choice="greedy", seed=7, samples=16, **POLICY)  # type: ignore[arg-type]


def test_it_is_put_in_order() -> None:
    assert (ASKED.dataset, ASKED.name, ASKED.choice) == ("ba_shapes", "412", Choice.GREEDY)
    assert Question("Mutagenicity", "tnt", "compound").name == "TNT"


def test_equal_questions_are_one() -> None:
    how = {**POLICY, "flows": FlowSource.EXACT, "choice": Choice.GREEDY}
    again = Question("ba_shapes", "412", seed=7, samples=16, **how)  # type: ignore[arg-type]
    assert again == ASKED
    assert len({again, ASKED}) == 1
    assert messages.decode(messages.encode(ASKED), Question) == ASKED


def test_what_its_parts_depend_on() -> None:
    assert ASKED.prediction == Question("ba_shapes", "412")
    assert ASKED.policy == Question("ba_shapes", "412", flows=FlowSource.EXACT, **POLICY)  # type: ignore[arg-type]
    assert ASKED.prediction.is_plain
    assert not ASKED.is_plain
    assert not replace(ASKED.prediction, gnn="gcn").is_plain


def test_what_people_call_it_and_how_far_it_goes() -> None:
    assert Question("tree_grid", "700").title == "Tree-Grid 700"
    assert Question("mutagenicity", "Caffeine", "compound").title == "Mutagenicity Caffeine"
    assert Question("mutagenicity", "CCO", "smiles").title == "Mutagenicity CCO"
    assert Question("mutagenicity", "C" * 60, "smiles").title == f"Mutagenicity {'C' * 48} …"
    near, far = (Question("tree_cycles", "600").instance(hops) for hops in (2, 4))
    assert near.num_nodes < far.num_nodes
