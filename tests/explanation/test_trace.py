"""Traces: every number in them is what the engine computes."""

import math

import networkx as nx
import numpy as np
import pytest

from gfx_core import GFlowExplainer, load_dataset, load_model
from gfx_core.baselines.edge_scores import edge_marginals
from gfx_core.errors import UserError
from gfx_core.explanation.question import Choice
from gfx_core.explanation.record import record
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.explanation.subject import load
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor, predict_instance
from gfx_core.trace import serialize
from gfx_core.trace.schema import Trace
from tests.toys.instances import dataset_of


@pytest.fixture(scope="module")
def trace(tree_explainer: GFlowExplainer) -> Trace:
    return tree_explainer.trace(load_model("tree_cycles"), load_dataset("tree_cycles"), 600, choice="best")


def graph_of(trace: Trace) -> nx.Graph:
    graph = nx.Graph([(edge.source, edge.target) for edge in trace.edges])
    graph.add_nodes_from(range(len(trace.nodes)))
    return graph


def test_the_graph_is_the_instance_with_cut_vertices_and_parents_of_networkx(trace: Trace) -> None:
    instance, graph = load_dataset("tree_cycles").instance(600), graph_of(trace)
    assert [node.id for node in trace.nodes] == instance.nodes.tolist()
    assert len(trace.edges) == len(instance.undirected)
    assert sum(bool(edge.in_motif) for edge in trace.edges) == 6
    expected = predict_instance(load_model("tree_cycles"), instance)
    assert trace.prediction.probabilities == pytest.approx(expected.tolist(), abs=1e-5)
    assert (trace.prediction.predicted, trace.prediction.true) == (expected.argmax(), instance.y)
    for step in trace.steps:
        subgraph = graph.subgraph(step.members)
        cut = set(nx.articulation_points(subgraph))
        assert set(step.cut_vertices) == cut
        assert {parent.removed for parent in step.parents} == set(step.members) - cut - {trace.start}
        for groups in step.child_groups:
            rest = subgraph.subgraph(set(step.members) - {groups.cut_vertex})
            assert {frozenset(g) for g in groups.groups} == {frozenset(c) for c in nx.connected_components(rest)}


def test_flows_are_probabilities_and_balance_is_what_it_is(trace: Trace) -> None:
    """The probability of the trajectory is the product of its steps."""
    total = 0.0
    for step in trace.steps:
        chance = {action.node: action.probability for action in step.frontier}
        total += math.log(step.stop.probability if step.chosen is None else chance[step.chosen])
        flows = [action.log_flow for action in step.frontier] + [step.stop.log_flow]
        assert step.log_out_flow == pytest.approx(np.logaddexp.reduce(flows), abs=1e-4)
        assert sum(a.probability for a in step.frontier) + step.stop.probability == pytest.approx(1, abs=1e-4)
        assert step.stop.log_flow == pytest.approx(step.reward.log_reward)  # STOP is the reward in this policy
        if step.added is not None:
            into = np.logaddexp.reduce([parent.log_flow for parent in step.parents])
            assert step.log_in_flow == pytest.approx(into, abs=1e-4)
            assert step.residual == pytest.approx(into - step.log_out_flow, abs=1e-3)
            assert step.residual != 0
    assert trace.final.log_trajectory_probability == pytest.approx(total, abs=1e-3)
    assert trace.log_z_exact is not None
    for sample in trace.samples:
        assert sample.log_probability_exact == pytest.approx(sample.log_reward - trace.log_z_exact, abs=1e-4)
    assert sum(math.exp(sample.log_probability or 0) for sample in trace.samples) <= 1 + 1e-6


def sampler(explainer: GFlowExplainer, name: str, index: int) -> SubgraphSampler:
    """The explainer's policy on an instance."""
    instance = load_dataset(name).instance(index)
    assert explainer.trained is not None
    return SubgraphSampler(explainer.trained, SubgraphPredictor(load_model(name), [instance]), instance)


def test_marginals_are_exact_where_states_are_listed(tree_explainer: GFlowExplainer, trace: Trace) -> None:
    generator = sampler(tree_explainer, "tree_cycles", 600)
    instance = generator.instance
    known = generator.distribution(trace.start)
    assert known is not None
    listing, chances = known[0], np.exp(known[1])
    for edge, marginal in zip(trace.edges, trace.edge_marginals, strict=True):
        held = listing.dag.members[:, [edge.source, edge.target]].all(1)
        assert marginal == pytest.approx(sum(chances[held]), abs=1e-9)
    question = tree_explainer.question(load_model("tree_cycles"), load_dataset("tree_cycles"), 600)
    generator = sampler(tree_explainer, "tree_cycles", 600)
    generator.cap = 3  # too few to list them
    counted = record(load(question), generator)
    orders = generator.draw(40, seed=0).orders
    assert counted.edge_marginals == pytest.approx(edge_marginals(instance, orders)[instance.undirected].tolist())
    assert counted.answer is not None
    assert (counted.answer.exact, counted.answer.first.probability, counted.total_variation) == (False, None, None)


def test_seeds_and_choices(tree_explainer: GFlowExplainer) -> None:
    model, dataset = load_model("tree_cycles"), load_dataset("tree_cycles")

    def explain(**options: object) -> Trace:
        return tree_explainer.trace(model, dataset, 650, **options)  # type: ignore[arg-type]

    assert explain(seed=3) == explain(seed=3)
    assert explain(seed=3).samples != explain(seed=4).samples
    greedy = explain(choice=Choice.GREEDY, seed=1).steps
    assert greedy == explain(choice="greedy", seed=2).steps
    for step in greedy:
        best = max([a.log_flow for a in step.frontier] + [step.stop.log_flow])
        taken = {a.node: a.log_flow for a in step.frontier}
        assert best == pytest.approx(step.stop.log_flow if step.chosen is None else taken[step.chosen])


def test_a_graph_task_samples_its_starts_from_the_locator(graph_explainer: GFlowExplainer) -> None:
    model, dataset = load_model("ba_2motifs"), load_dataset("ba_2motifs")
    source = sampler(graph_explainer, "ba_2motifs", 5)
    chances = source.start_probabilities()
    starts = np.bincount(source.draw(4000, seed=0).orders[:, 0], minlength=len(chances)) / 4000
    assert np.abs(starts - chances / chances.sum()).sum() / 2 < 0.06
    trace = graph_explainer.trace(model, dataset, 5)
    assert trace.target is None
    assert trace.start == trace.steps[0].members[0]
    assert graph_explainer.trace(model, dataset, 5, choice="greedy").start == chances.argmax()
    assert graph_explainer.trace(model, dataset, 5, start=3).start == 3
    assert serialize.from_json(serialize.to_json(trace)) == trace


def test_bad_requests(tree_explainer: GFlowExplainer) -> None:
    model, dataset = load_model("tree_cycles"), load_dataset("tree_cycles")
    narrow = GNN(dataset.task, "sum", 3, 2), dataset_of(nx.path_graph(2)), 0
    for request, options, sentence in (
        ((model, dataset, 600), {"start": 500}, "no node 500"),
        ((load_model("tree_cycles", "gcn"), dataset, 600), {}, "not the gcn one"),
        ((load_model("ba_community"), load_dataset("ba_community"), 600), {}, "not on ba_community"),
        (narrow, {}, "another data set"),
    ):
        with pytest.raises(UserError, match=sentence):
            tree_explainer.trace(*request, **options)  # type: ignore[arg-type]
