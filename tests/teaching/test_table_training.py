"""Lesson 4: what the snapshots say agrees with slow sums, ε = 0 misses the far mode, and ε > 0 finds it."""

import numpy as np
import pytest
import torch

from gfx_core.errors import UserError
from gfx_core.exact import exact_flows
from gfx_core.exact.tabular import TabularConfig, descend
from gfx_core.job_context import JobContext
from gfx_core.teaching.practice import FAR, FIRST_FLOW, NEAR, Practice, ground, is_shown, places, residual, sharpened
from gfx_core.teaching.table_training import train_practice, watch_training

JOB = JobContext("cpu", lambda _share, _words: None, lambda: False)


def quick(practice: str, **changes: float) -> dict:
    settings = {"epsilon": 0.2, "epochs": 6, "batch_size": 8, "lr": 0.3, **changes}
    place = ground(practice)
    return watch_training(place.dag, np.log(place.reward), TabularConfig(full=False, **settings))


def test_the_practice_graphs() -> None:
    toy, two = ground(Practice.TOY), ground(Practice.TWO_MODES)
    assert len(toy.names) == len(two.names) == 8
    assert two.reward[[two.names.index(NEAR), two.names.index(FAR)]].tolist() == [10.0, 10.0]
    assert sorted(two.reward)[:6] == [1.0] * 6
    with pytest.raises(UserError):
        ground("no such")


def test_beta_is_an_exponent() -> None:
    reward = np.array([0.5, 1.0, 6.0])
    np.testing.assert_allclose(np.exp(sharpened(reward, 2.0)), reward**2)
    for senseless in (0.0, -1.0, float("nan"), 99.0):
        with pytest.raises(UserError):
            sharpened(reward, senseless)


def test_the_residual_of_one_state() -> None:
    assert residual([2.0, 5.0], [1.0], 6.0) == 0.0
    assert residual([1.0, 1.0], [2.0], 6.0) == pytest.approx(np.log(2) - np.log(8))


def test_states_of_one_size_stand_below_each_other() -> None:
    dag = ground(Practice.TOY).dag
    spots = places(dag)
    assert len(set(spots)) == dag.num_states
    assert [spot[0] for spot in spots] == [(size - 1) / 4 for size in dag.size]
    assert all(0 < y < 1 for _, y in spots)


def test_descend_finds_the_bottom_and_counts_its_steps() -> None:
    value = torch.nn.Parameter(torch.tensor(3.0))
    seen = list(descend([{"params": [value], "lr": 0.3}], lambda: (value - 1.0).square(), 60))
    assert [step for step, _ in seen] == list(range(61))
    assert seen[0][1] == pytest.approx(4.0)
    assert seen[-1][1] < 1e-3


def test_snapshots_are_denser_in_the_beginning() -> None:
    shown = [step for step in range(301) if is_shown(step, 300, 75)]
    assert shown[0] == 0
    assert shown[-1] == 300
    assert 70 <= len(shown) <= 77
    assert shown[20] - shown[0] < shown[-1] - shown[-21]


@pytest.mark.parametrize("practice", list(Practice))
def test_each_snapshot_agrees_with_sums_over_its_edges(practice: Practice) -> None:
    place, trained = ground(practice), quick(practice)
    dag, reward = place.dag, place.reward
    assert trained["steps"] == list(range(7))
    np.testing.assert_allclose(trained["flow"][0], FIRST_FLOW)
    for t in range(len(trained["steps"])):
        flow = trained["flow"][t]
        chance = np.zeros(dag.num_states)
        chance[0] = 1.0
        for state in range(dag.num_states):  # states come by size, so parents come first
            inward = sum(flow[e] for e in range(dag.num_edges) if dag.child[e] == state)
            outward = reward[state] + sum(flow[e] for e in range(dag.num_edges) if dag.parent[e] == state)
            assert trained["in_flow"][t][state] == pytest.approx(inward)
            assert trained["out_flow"][t][state] == pytest.approx(outward)
            off = np.log(inward) - np.log(outward) if state else 0.0
            assert trained["residual"][t][state] == pytest.approx(off)
            for e in range(dag.num_edges):
                if dag.parent[e] == state:
                    chance[dag.child[e]] += chance[state] * flow[e] / outward
            chance[state] *= reward[state] / outward
        np.testing.assert_allclose(trained["probability"][t], chance)
        target = reward / reward.sum()
        assert trained["total_variation"][t] == pytest.approx(np.abs(chance - target).sum() / 2)


def test_visits_count_the_walks() -> None:
    trained = quick(Practice.TOY)
    starts = trained["visits"][:, 0]
    assert starts.tolist() == [8 * (step + 1) for step in trained["steps"]]  # every walk begins there
    assert (np.diff(trained["visits"], axis=0) >= 0).all()
    assert (trained["visits"] <= starts[:, None]).all()


def test_the_same_seed_gives_the_same_training() -> None:
    one, same, other = (quick(Practice.TOY, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(one["flow"], same["flow"])
    assert not np.array_equal(one["flow"], other["flow"])


def of(trained: dict, name: str, what: str) -> float:
    return float(trained[what][-1][ground(Practice.TWO_MODES).names.index(name)])


@pytest.mark.parametrize("seed", [0])
def test_without_random_steps_the_far_mode_is_missed_and_with_them_found(seed: int) -> None:
    settings = {"practice": Practice.TWO_MODES, "lr": 0.3, "beta": 1.0, "seed": seed}
    failed = train_practice(JOB, epsilon=0.0, **settings)
    assert of(failed, FAR, "probability") < 0.01
    assert of(failed, NEAR, "probability") > 0.6
    assert of(failed, FAR, "visits") == 0
    assert failed["total_variation"][-1] > 0.4
    repaired = train_practice(JOB, epsilon=0.2, **settings)
    assert repaired["total_variation"][-1] < 0.01
    assert of(repaired, FAR, "visits") > 100


def test_the_toy_graph_is_learned() -> None:
    trained = train_practice(JOB, practice="toy", lr=0.3, epsilon=0.2, beta=1.5, seed=0)
    place = ground("toy")
    target = np.exp(exact_flows.target_distribution(1.5 * np.log(place.reward)))
    np.testing.assert_allclose(trained["probability"][-1], target, atol=0.01)
    assert np.abs(trained["residual"][-1]).max() < 0.05


@pytest.mark.parametrize(
    "senseless", [{"practice": "x"}, {"lr": 0.0}, {"epsilon": 1.5}, {"beta": -1.0}, {"seed": -1}, {"lr": float("nan")}]
)
def test_senseless_settings_are_refused(senseless: dict[str, float]) -> None:
    settings = {"practice": "toy", "lr": 0.3, "epsilon": 0.1, "beta": 1.0, "seed": 0, **senseless}
    with pytest.raises(UserError):
        train_practice(JOB, **settings)
