"""Lesson 7: the joint table is the single ones side by side, and only a constant log Z cannot fit several starts."""

import numpy as np
import pytest
import torch

from gfx_core.errors import UserError
from gfx_core.exact import exact_flows
from gfx_core.exact.state_dag import enumerate_states
from gfx_core.exact.tabular import TabularConfig, TabularPolicy, objective
from gfx_core.gfn.settings import Loss
from gfx_core.job_context import JobContext
from gfx_core.teaching.balance import Joint, JointTable, Objective, compare_balance, join, toy_joint, watch_balance
from gfx_core.training.lesson_graphs import toy_instance, toy_rewards


def randomised(joint: Joint, kind: Objective) -> JointTable:
    table = JointTable(joint, kind)
    torch.nn.init.normal_(table.policy.log_edge, generator=torch.Generator().manual_seed(1))
    return table


def test_joining_keeps_every_state_and_edge() -> None:
    instance = toy_instance()
    dags = [enumerate_states(instance, start) for start in (0, 4, 2)]
    joint = join(dags, [np.log(toy_rewards(instance, dag)) for dag in dags])
    joined = joint.dag
    assert joined.num_states == sum(dag.num_states for dag in dags)
    assert (np.diff(joined.size) >= 0).all()
    assert (joined.size[: joint.num_starts] == 1).all()
    for k, dag in enumerate(dags):
        mine = np.flatnonzero(joint.owner == k)
        assert (joined.members[mine] == dag.members).all()
        there = {
            (joined.members[p].tobytes(), joined.members[c].tobytes(), int(v))
            for p, c, v in zip(joined.parent, joined.child, joined.node, strict=True)
            if joint.owner[p] == k
        }
        assert there == {
            (dag.members[p].tobytes(), dag.members[c].tobytes(), int(v))
            for p, c, v in zip(dag.parent, dag.child, dag.node, strict=True)
        }
    assert (joint.owner[joined.parent] == joint.owner[joined.child]).all()
    order = np.lexsort((joined.node, joined.parent))
    assert (order == np.arange(joined.num_edges)).all()
    assert (np.diff(joined.level_ptr) == np.bincount(joined.size)[1:]).all()


def test_the_true_log_z_is_the_sum_of_the_rewards_that_hold_the_start() -> None:
    joint = toy_joint([0, 1, 2, 3, 4])
    for k in range(5):
        total = sum(np.exp(r) for r, owner in zip(joint.log_reward, joint.owner, strict=True) if owner == k)
        assert joint.log_partition()[k] == pytest.approx(np.log(total))
        assert joint.dag.members[k].tolist() == [node == k for node in range(5)]


def test_with_one_start_the_losses_are_those_of_the_tabular_learner() -> None:
    joint = toy_joint([0])
    for kind, loss in ((Objective.FLOW_MATCHING, Loss.FLOW_MATCHING), (Objective.CONSTANT_Z, Loss.TRAJECTORY_BALANCE)):
        table = randomised(joint, kind)
        single = TabularPolicy(joint.dag, joint.log_reward)
        single.load_state_dict(table.policy.state_dict())
        with torch.no_grad():
            single.log_z.copy_(table.log_z[0])
        theirs, _ = objective(single, TabularConfig(loss=loss), torch.Generator().manual_seed(5))
        assert table.loss(torch.Generator().manual_seed(5)).item() == pytest.approx(theirs.item())


def test_total_variation_is_that_of_each_start_alone() -> None:
    starts = [0, 4]
    joint = toy_joint(starts)
    table = randomised(joint, Objective.FLOW_MATCHING)
    stopped = np.exp(table.policy.terminal_distribution())
    for k in range(len(starts)):
        mine = joint.owner == k
        assert stopped[mine].sum() == pytest.approx(1.0)
        log_target = exact_flows.target_distribution(joint.log_reward[mine])
        assert table.total_variation()[k] == pytest.approx(
            exact_flows.total_variation(np.log(stopped[mine]), log_target)
        )


@pytest.mark.parametrize("kind", list(Objective))
def test_the_exact_flows_have_no_loss_where_log_z_can_be_right(kind: Objective) -> None:
    joint = toy_joint([0, 4])
    table = JointTable(joint, kind)
    log_state, log_edge = exact_flows.uniform_backward_flows(joint.dag, joint.log_reward)
    truth = joint.log_partition()
    np.testing.assert_allclose(log_state[:2], truth)
    with torch.no_grad():
        table.policy.log_edge.copy_(torch.from_numpy(log_edge))
        table.log_z.copy_(torch.from_numpy(truth if len(table.log_z) == 2 else truth[:1]))
    loss = table.loss(torch.Generator().manual_seed(0)).item()
    if kind is Objective.CONSTANT_Z:
        share = (joint.owner == 1).mean()
        assert loss == pytest.approx(share * (truth[0] - truth[1]) ** 2)  # right for a, wrong for every walk from e
    else:
        assert loss == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(table.learned_log_z().detach().numpy(), truth)


def test_only_the_constant_fails_with_two_starts() -> None:
    joint = toy_joint([0, 4])
    truth = joint.log_partition()
    ends = {kind: watch_balance(joint, kind, lr=0.3, seed=0, epochs=120) for kind in Objective}
    for kind in (Objective.FLOW_MATCHING, Objective.CONDITIONAL_Z):
        np.testing.assert_allclose(ends[kind]["log_z"][-1], truth, atol=0.05)
        assert ends[kind]["total_variation"][-1].max() < 0.02
    constant = ends[Objective.CONSTANT_Z]
    assert truth.min() + 0.1 < constant["log_z"][-1][0] < truth.max() - 0.1
    assert constant["log_z"][-1][0] == constant["log_z"][-1][1]
    assert constant["total_variation"][-1].min() > 0.03


def test_the_task_trains_all_three_and_refuses_nonsense() -> None:
    said = []
    job = JobContext("cpu", lambda share, _words: said.append(share), lambda: False)
    result = compare_balance(job, starts=[0], lr=0.3, seed=0, epochs=3)
    assert set(result) == {"log_partition", *(kind.value for kind in Objective)}
    assert all(result[kind.value]["steps"] == [0, 1, 2, 3] for kind in Objective)
    for name in ("loss", "log_z", "total_variation"):  # with one start node both kinds of log Z are the same
        assert np.array_equal(result["tb-constant"][name], result["tb-conditional"][name])
    assert said
    for senseless in ({"starts": []}, {"starts": [0, 0]}, {"starts": [9]}, {"lr": 0.0}, {"seed": -1}):
        with pytest.raises(UserError):
            compare_balance(job, **{"starts": [0], "lr": 0.3, "seed": 0, **senseless})
