"""Explanations by exact flows: beside a trained policy, and without one."""

import pytest
import torch

from gfx_core import GFlowExplainer, load_dataset, load_model
from gfx_core.config import FlowSource
from gfx_core.drawing.state_graph import policy_dag
from gfx_core.exact.enumeration import enumerate_sets
from gfx_core.explanation import flows, run
from gfx_core.explanation.question import Question
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.text.answers import note
from gfx_core.trace import serialize
from gfx_core.trace.schema import Trace

CYCLE = Question("tree_cycles", "612", flows=FlowSource.EXACT)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run.explain(CYCLE)


def test_every_residual_is_zero_and_draws_come_from_r_over_z(trace: Trace) -> None:
    assert trace.flows is FlowSource.EXACT
    assert trace.total_variation == pytest.approx(0, abs=1e-9)
    assert max(trace.residuals, default=0) <= 1e-6
    assert trace.log_z_exact == pytest.approx(trace.steps[0].log_out_flow, abs=1e-9)
    for sample in trace.samples:
        assert sample.log_probability == pytest.approx(sample.log_probability_exact, abs=1e-9)
        assert sample.log_reward - (trace.log_z_exact or 0) == pytest.approx(sample.log_probability, abs=1e-9)
    assert serialize.from_json(serialize.to_json(trace)) == trace


def test_each_kind_of_flows_shows_the_other_beside(trace: Trace) -> None:
    """Parents and frontier are the same; only the chances differ."""
    learned = run.follow(Question("tree_cycles", "612"), trace.steps[-1].members)
    for own, other in zip(trace.steps, learned, strict=True):
        assert [action.node for action in own.frontier] == [action.node for action in other.frontier]
        assert {parent.removed for parent in own.parents} == {parent.removed for parent in other.parents}
        for field in ("members", "cut_vertices", "matrix", "theorem_case", "child_groups", "reward"):
            assert getattr(own, field) == getattr(other, field)
        for one, beside in ((own, other.other), (other, own.other)):
            assert beside is not None
            assert beside.frontier == pytest.approx([action.probability for action in one.frontier], abs=1e-6)
            assert beside.stop == pytest.approx(one.stop.probability, abs=1e-6)


def test_a_graph_is_explained_by_all_its_connected_subgraphs(graph_explainer: GFlowExplainer) -> None:
    model, dataset = load_model("ba_2motifs"), load_dataset("ba_2motifs")
    trace = graph_explainer.trace(model, dataset, 5, flows="exact", samples=400)
    instance = dataset.instance(5)
    reward = Reward(SubgraphPredictor(model, [instance]), RewardConfig.from_dict(trace.made["config"]["reward"]))
    every = enumerate_sets(instance, trace.made["config"]["max_nodes"])
    log_reward = reward(torch.from_numpy(every.subsets), torch.zeros(every.num_states, dtype=torch.long))
    target = log_reward.double().softmax(0).numpy()
    for number, edge in enumerate(trace.edges):
        held = every.members[:, [edge.source, edge.target]].all(1)
        assert trace.edge_marginals[number] == pytest.approx(sum(target[held]), abs=1e-4)
    for sample in trace.samples[:3]:
        assert sample.count / 400 == pytest.approx(target[every.index_of(sample.nodes)], abs=0.08)
        steps = [set(sample.order[: k + 1]) for k in range(len(sample.order))]
        assert (every.indices_of([[n in step for n in range(instance.num_nodes)] for step in steps]) >= 0).all()
    assert graph_explainer.trace(model, dataset, 5, start=3, flows="exact").start == 3


def test_beyond_the_cap_smaller_subgraphs_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows, "LISTED", 25)
    fewer = run.explain(CYCLE)
    assert fewer.flows is FlowSource.EXACT
    assert fewer.num_states_exact <= 25 < 38  # type: ignore[operator]
    most = fewer.made["config"]["max_nodes"]
    assert fewer.made["notes"] == [note("only_fewer", most=most)]
    assert {step.other for step in fewer.steps} == {None}  # the policy knows larger ones
    assert policy_dag(CYCLE, [0]).flows is FlowSource.EXACT
    assert len(run.follow(CYCLE, fewer.steps[-1].members)) == len(fewer.steps)
