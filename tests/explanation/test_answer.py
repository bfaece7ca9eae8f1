"""The answer of a trace: its reasons are sampled, its numbers can be found again, its verdict is measured."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from gfx_core import explain as explain_model
from gfx_core import load_model
from gfx_core.config import FlowSource, Task
from gfx_core.explanation.answer import ending_at
from gfx_core.explanation.flows import choose_flows
from gfx_core.explanation.question import Choice, Question
from gfx_core.explanation.run import explain
from gfx_core.explanation.subject import load
from gfx_core.gfn.settings import preset_config
from gfx_core.job_context import JobContext
from gfx_core.metrics.summary import outcomes
from gfx_core.trace import serialize
from gfx_core.trace.schema import Answer, Trace, Verdict

GRID = Question("tree_grid", "514")


def answer_of(trace: Trace) -> Answer:
    assert trace.answer is not None
    return trace.answer


@pytest.mark.parametrize(
    "question",
    [
        Question("tree_cycles", "600", samples=16),
        Question("mutagenicity", "TNT", "compound", samples=16),
        Question("tree_grid", "514", flows=FlowSource.EXACT, samples=16),
        Question("mutagenicity", "CCO", "smiles", flows=FlowSource.EXACT, samples=16),
    ],
    ids=lambda question: f"{question.dataset} {question.flows}",
)
def test_what_it_says_can_be_found_again(question: Question) -> None:
    trace = explain(question)
    answer, model = answer_of(trace), load_model(question.dataset)
    assert serialize.from_json(serialize.to_json(trace)) == trace
    instance = question.instance(model.num_layers)

    def asked(edges: tuple[int, ...]) -> tuple[list[float], list[float]]:
        """Class probabilities of some edges alone, and without them."""
        scores = np.zeros(instance.edge_index.shape[1])
        scores[instance.undirected[list(edges)]] = 2.0  # the mean of two directions is 1
        found = outcomes(model, instance, scores, [len(edges)])
        return found.only[0].tolist(), found.without[0].tolist()

    for reason in answer.reasons:
        alone, without = asked(reason.edges)
        assert reason.without == pytest.approx(without, abs=1e-5)
        if reason.edges:
            assert reason.alone == pytest.approx(alone, abs=1e-5)
        known = {sample.nodes: sample.log_probability for sample in trace.samples}
        probability = known.get(tuple(sorted(reason.nodes)))
        if reason.drawn and probability is not None:
            assert reason.probability == pytest.approx(np.exp(probability), abs=1e-9)
        assert reason.drawn or reason.probability  # it was sampled, or is a state
    assert answer.without_all == pytest.approx(asked(answer.edges)[1], abs=1e-5)
    shares = [reason.share for reason in answer.reasons]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) + answer.other == pytest.approx(1)


def test_it_does_not_depend_on_which_trajectory_is_shown() -> None:
    question = Question("tree_cycles", "513", samples=64)
    trace = explain(question)
    answer = answer_of(trace)
    assert trace.made["choice"] == "answer"
    assert trace.steps[-1].members == answer.first.nodes
    drawn = choose_flows(load(question), JobContext()).draw(64, 0)
    there = ending_at(drawn, trace.final.nodes)  # of those that end there the most probable is shown
    assert trace.final.log_trajectory_probability == pytest.approx(max(drawn.log_forward[there]), abs=1e-4)
    other = answer_of(explain(replace(question, choice=Choice.SAMPLE, seed=1, samples=1)))
    assert set(other.first.nodes) == set(answer.first.nodes)  # exact shares do not depend on what was sampled
    assert other.first.share == answer.first.share
    for choice in (Choice.BEST, Choice.SAMPLE, Choice.GREEDY):
        found = answer_of(explain(replace(question, choice=choice)))
        assert [reason.nodes for reason in found.reasons] == [reason.nodes for reason in answer.reasons]
        assert found.sentence == answer.sentence


JOKES = "The jokes are not funny."
VERDICTS = {
    Question("tree_cycles", "513"): (Verdict.NEEDED, 1),
    GRID: (Verdict.NEEDED, 2),
    Question("graph_sst2", JOKES, "example"): (Verdict.NEEDED, 2),
    Question("mutagenicity", "Nitrobenzene", "compound"): (Verdict.UNDECIDED, None),
    Question("mutagenicity", "Aspirin", "compound"): (Verdict.UNDECIDED, 1),
    Question("mutagenicity", "2-Nitrofuran", "compound"): (Verdict.NEEDED, None),
    Question("tree_cycles", "748"): (Verdict.WHOLE, 1),
    Question("tree_grid", "135", max_nodes=3): (Verdict.PART, 3),
    Question("ba_shapes", "150"): (Verdict.ENOUGH, 1),
    Question("tree_cycles", "0", max_nodes=3): (Verdict.NONE, None),
}


@pytest.mark.parametrize("question", VERDICTS, ids=lambda question: question.title)
def test_no_more_is_said_than_was_measured(question: Question) -> None:
    verdict, reasons = VERDICTS[question]
    trace = explain(question)
    answer, prediction = answer_of(trace), trace.prediction
    assert answer.verdict is verdict
    assert len(answer.reasons) == (reasons or len(answer.reasons))
    falls = prediction.falls(answer.without_all)
    assert ("because" in answer.sentence) <= (verdict is Verdict.WHOLE or falls)
    assert ("each enough alone" in answer.sentence) <= all(prediction.is_enough(each.alone) for each in answer.reasons)
    assert answer.explains == (verdict is not Verdict.NONE)
    assert trace.name == question.name


@pytest.mark.parametrize("name", ["Aspirin", "Nitrobenzene", "Dimethylnitrosamine", "Caffeine"])
def test_it_is_undecided_where_atoms_without_bonds_turn_the_verdict(name: str) -> None:
    question = Question("mutagenicity", name, "compound")
    answer, instance = answer_of(explain(question)), load(question).instance
    kept = np.ones((1, len(instance.undirected)), dtype=bool)
    kept[0, list(answer.edges)] = False
    predictor, prediction = load(question).predictor("cpu"), explain(question).prediction
    leave, stay = (predictor.with_edges(instance, kept, stay).probabilities[0].tolist() for stay in (False, True))
    assert answer.without_all == pytest.approx(leave, abs=1e-5)
    turns = prediction.falls(leave) != prediction.falls(stay)
    assert turns == (answer.verdict is Verdict.UNDECIDED) == ("undecided" in answer.sentence)


class Weighing(nn.Module):
    """A GNN that adds up the features of a node's neighbours, and perhaps its own, and weighs them."""

    def __init__(self, own: float, near: float, bias: float) -> None:
        super().__init__()
        self.own, self.near, self.bias = own, near, bias

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        around = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        logit = self.own * x.sum(1) + self.near * around.sum(1) + self.bias
        return torch.stack([torch.zeros_like(logit), logit], dim=1)


def weighed(model: nn.Module, **options: Any) -> Answer:
    """Of the middle of a star with two leaves that count."""
    star = torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]])
    data = Data(x=torch.tensor([[1.0], [1.0], [1.0]]), edge_index=star)
    return answer_of(explain_model(model, data, 0, fragments="as is", progress=False, **options).trace)


def test_two_parts_that_are_needed_together_and_a_node_that_needs_no_edge() -> None:
    together = weighed(Weighing(own=0.0, near=6.0, bias=-9.0), config=replace(preset_config(Task.NODE), max_nodes=2))
    assert (together.verdict, len(together.reasons)) == (Verdict.PART, 2)
    assert "two parts, none enough alone" in together.sentence
    assert weighed(Weighing(own=6.0, near=0.1, bias=-3.0)).verdict is Verdict.OWN
