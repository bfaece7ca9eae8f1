"""The answer of a recorded trace: what the GNN says of it, how often it is drawn, and which trajectory is shown."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gfx_core import GFlowExplainer, load_dataset, load_model
from gfx_core.datasets.molecules import molecule
from gfx_core.explanation.flows import flows_for
from gfx_core.explanation.masks import score_edges
from gfx_core.explanation.question import Choice, Question
from gfx_core.explanation.run import explain, load
from gfx_core.explanation.trace import record
from gfx_core.job_context import JobContext
from gfx_core.metrics.fidelity import outcomes
from gfx_core.metrics.summary import BY_TRUTH
from gfx_core.trace import serialize
from gfx_core.trace.schema import Answer, Trace
from tests.toys.instances import dataset_of, ones


def answer_of(trace: Trace) -> Answer:
    assert trace.answer is not None
    return trace.answer


@pytest.mark.parametrize(
    "question",
    [
        Question("tree_cycles", "600", samples=16),
        Question("ba_2motifs", "7", samples=16),
        Question("mutagenicity", "TNT", "compound", samples=16),
        Question("tree_cycles", "600", flows="exact", samples=16),  # type: ignore[arg-type]
    ],
    ids=lambda question: f"{question.dataset} {question.flows}",
)
def test_what_it_says_can_be_found_again(question: Question) -> None:
    trace = explain(question)
    answer, model = answer_of(trace), load_model(question.dataset)
    assert serialize.from_json(serialize.to_json(trace)) == trace
    instance = question.instance(model.num_layers)
    scores = np.zeros(instance.edge_index.shape[1])
    scores[instance.undirected[list(answer.edges)]] = 2.0  # the mean of two directions is 1
    found = outcomes(model, instance, scores, [len(answer.edges)])
    assert answer.without == pytest.approx(found.without[0].tolist(), abs=1e-5)
    if answer.edges:
        assert answer.alone == pytest.approx(found.only[0].tolist(), abs=1e-5)
    kept = int(np.argmax(answer.alone)) == trace.prediction.predicted
    sure = [edge for edge, p in zip(trace.edges, trace.edge_marginals, strict=True) if p >= answer.threshold]
    agreed = {trace.start} | {node for edge in sure for node in (edge.source, edge.target)}
    assert len(set(answer.nodes) - agreed) <= answer.grown
    assert kept or "but alone" in answer.sentence
    known = {sample.nodes: sample.log_probability for sample in trace.samples}
    if answer.drawn and answer.exact:
        assert answer.probability == pytest.approx(np.exp(known[tuple(sorted(answer.nodes))]), abs=1e-9)


def test_the_trajectory_that_is_shown_ends_there_and_is_the_most_probable_of_those() -> None:
    question = Question("tree_cycles", "513", samples=64)
    trace = explain(question)
    answer = answer_of(trace)
    assert trace.made["choice"] == "answer"
    assert answer.drawn > 1
    assert set(trace.final.nodes) == set(answer.nodes)
    others = [explain(replace(question, choice=Choice.SAMPLE, seed=seed, samples=1)) for seed in range(3)]
    assert all(answer_of(other).nodes == answer.nodes for other in others)  # exact marginals do not depend on draws
    for choice in (Choice.BEST, Choice.SAMPLE, Choice.GREEDY):
        assert answer_of(explain(replace(question, choice=choice))) == answer


def test_the_most_probable_of_those_that_end_there(tree_explainer: GFlowExplainer) -> None:
    question = tree_explainer.question(load_model("tree_cycles"), load_dataset("tree_cycles"), 600)
    source = flows_for(load(question), JobContext()).source
    trace = record(source, samples=40)
    drawn = source.draw(40, 0)
    ends = [set(order[order >= 0].tolist()) for order in drawn.orders]
    there = [at for at, nodes in enumerate(ends) if nodes == set(trace.final.nodes)]
    assert there
    assert trace.final.log_trajectory_probability == pytest.approx(max(drawn.log_forward[there]))
    if set(trace.final.nodes) != set(answer_of(trace).nodes):
        assert answer_of(trace).drawn == 0


def test_everything_that_can_be_seen(tree_explainer: GFlowExplainer) -> None:
    lone = dataset_of(nx.empty_graph(1), x=ones(nx.empty_graph(1), 10))
    answer = answer_of(tree_explainer.trace(load_model("tree_cycles"), lone, 0))
    assert (answer.nodes, answer.edges, answer.whole, answer.name) == ((0,), (), True, "node 0")
    assert answer.without == pytest.approx(answer.alone, abs=1e-6)


@pytest.mark.parametrize("name", ["c1ccccc1[N+](=O)[O-]", "CCO"])
def test_no_truth_no_verdict(name: str) -> None:
    question = Question("mutagenicity", name, "smiles", samples=8)
    trace = explain(question)
    assert molecule(name).motif.max() == (0 if "N" in name else -1)
    assert not trace.has_truth
    assert {edge.in_motif for edge in trace.edges} == {None}
    assert (trace.hits, trace.missed, trace.extra) == ((), (), ())
    metrics = score_edges(question, "saliency").metrics
    assert not set(BY_TRUTH) & metrics.keys()
    assert "fidelity_plus" in metrics


def test_a_known_reason_is_held_against() -> None:
    metrics = score_edges(Question("tree_cycles", "600"), "saliency").metrics
    assert set(BY_TRUTH) <= metrics.keys()
