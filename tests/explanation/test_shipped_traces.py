"""The examples are what the rule says, and their traces what the shipped GNNs and policies give."""

from pathlib import Path

import pytest

from gfx_core.bench.examples import choose, example_of
from gfx_core.config import TRACES
from gfx_core.datasets.registry import listed
from gfx_core.datasets.source import ChosenExample, examples
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.explanation.run import explain
from gfx_core.trace import serialize


def told(question: Question) -> ChosenExample:
    """What the file says of an example."""
    return next(each for each in examples(question.dataset, question.source) if each.name == question.name)


def shipped_of(dataset: str) -> list[Question]:
    return [question for question in SHIPPED if question.dataset == dataset]


UNDECIDED = [question for question in SHIPPED if "undecided" in told(question).doubts]


@pytest.mark.parametrize(
    "question",
    [*(each for name in listed() for each in shipped_of(name)[:2]), *UNDECIDED],
    ids=lambda question: question.title,
)
def test_shipped_traces_can_be_made_again(question: Question) -> None:
    """The first two of each data set: they fall out of date together, with a GNN, a policy or the engine."""
    shipped, again = serialize.load(question.shipped_trace), explain(question)
    assert shipped.answer is not None
    assert again.answer is not None
    assert [reason.nodes for reason in again.answer.reasons] == [reason.nodes for reason in shipped.answer.reasons]
    assert (again.answer.verdict, again.answer.sentence) == (shipped.answer.verdict, shipped.answer.sentence)
    assert [step.members for step in again.steps] == [step.members for step in shipped.steps]
    assert again.edge_marginals == pytest.approx(shipped.edge_marginals, abs=1e-3)
    assert again.index == shipped.index
    assert [node.position for node in again.nodes] == [pytest.approx(node.position, abs=1e-3) for node in shipped.nodes]
    assert again.steps[0].log_out_flow == pytest.approx(shipped.steps[0].log_out_flow, abs=1e-2)
    assert again.prediction.probabilities == pytest.approx(shipped.prediction.probabilities, abs=1e-4)
    assert example_of(question, again) == told(question)


def test_shipped_traces_have_the_doubts_that_are_told_of_them() -> None:
    assert {question.shipped_trace for question in SHIPPED} == set(TRACES.iterdir())
    for question in SHIPPED:
        assert example_of(question, serialize.load(question.shipped_trace)) == told(question)


@pytest.mark.parametrize("dataset", listed())
def test_a_clear_case_opens_first_and_one_that_is_not_clear_comes_second(dataset: str) -> None:
    shipped = shipped_of(dataset)
    assert len(shipped) >= 6  # one does not soon come to the first again
    first, second = (told(question) for question in shipped[:2])
    assert (first.doubts, first.reasons) == ((), 1)
    assert first.true in (first.prediction, "")
    assert second.doubts
    assert "wrong" not in second.doubts
    again = choose({told(question): serialize.load(question.shipped_trace) for question in shipped})
    assert again == [first, second]


def test_molecules_of_the_data_set_are_chosen_too_but_not_shipped(
    mutagenicity_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GFX_DATA", str(mutagenicity_root))
    chosen = examples("mutagenicity", "index")[:4]
    assert chosen[0].doubts == ()
    assert chosen[0].true == chosen[0].prediction
    for each in chosen:
        question = Question("mutagenicity", each.name)
        assert example_of(question, explain(question, plays=False)) == each
        assert question not in SHIPPED
