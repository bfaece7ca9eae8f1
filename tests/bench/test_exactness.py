"""The study of exact distances, in its quick form."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from gfx_core.bench.cells import Cell
from gfx_core.bench.computing import compute
from gfx_core.bench.measures.fitted import NetworkFlows, Problem, distance
from gfx_core.bench.registry import STUDIES

from gfx_core.bench.study import Asked
from gfx_core.exact.tabular import TabularConfig
from gfx_core.gfn.settings import REWARD_PRESETS, Parents
from gfx_core.gfn.states import States

EXACT = STUDIES["exact"]
CELLS = EXACT.cells(Asked(["tree_grid", "ba_2motifs"], list(EXACT.methods), quick=True))
CASES = {(cell.dataset, cell.variant) for cell in CELLS}


@cache
def records() -> list[dict[str, Any]]:
    return [compute(cell) for cell in CELLS]


def values(method: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(r["dataset"], r["variant"]): r["values"] for r in records() if r["method"] == method}


def test_every_method_has_a_distance_on_every_instance() -> None:
    assert all(record["status"] == "done" for record in records())
    assert {(name, preset) for name in ("tree_grid", "ba_2motifs") for preset in REWARD_PRESETS} == CASES
    for method in EXACT.methods:
        found = values(method)
        assert set(found) == CASES or method == "network-trainer"  # graph tasks have no check by the trainer
        for each in found.values():
            assert len(each["distances"]) == len(each["indices"]) == len(each["states"]) == 1
            assert all(0 <= one <= 1 for one in each["distances"])
            assert each["mean"] == each["median"] == each["max"] == each["distances"][0]
    assert values("network-trainer")


def test_tables_reach_the_target() -> None:
    assert all(each["mean"] <= 0.01 for each in values("tabular").values())


def test_sequences_end_where_theory_says() -> None:
    learned, theory = values("tabular-sequence"), values("theory-sequence")
    for case in CASES:
        assert learned[case]["distances"] == pytest.approx(theory[case]["distances"], abs=0.02)


def test_networks_are_followed() -> None:
    for case in CASES:
        curve = values("network")[case]["curve"]
        assert [step for step, _ in curve] == [1, 2, 4, 8]
        assert curve[-1][1] == values("network")[case]["mean"]


def test_tables_and_sentences_name_everything() -> None:
    text = "\n".join(table.markdown() for table in EXACT.tables(records()))
    assert all(title in text for title in EXACT.methods.values())
    assert "Tree-Grid" in text
    said = [str(verdict) for verdict in EXACT.verdicts(records())]
    assert f"goal 0.01 met in {len(CASES)} of {len(CASES)} cases" in said[0]
    assert "a table, ends at a mean total variation of 0.0" in said[0]  # a page shows it without a heading
    assert any("the network ends at" in each for each in said)  # hardly trained
    assert EXACT.verdicts(records()[:3]) == []
    assert "instances alone" not in text
    fewer = [each | {"options": each["options"] | {"first": 3}} for each in records() if each["method"] == "network"]
    assert "On the first 3 instances alone: network per instance, trajectories." in EXACT.tables(fewer)[0].markdown()


@pytest.mark.parametrize("parents", Parents)
def test_a_networks_flows_are_those_of_its_policy_set_by_set(parents: Parents) -> None:
    problem = Problem.choose(Cell("exact", "tree_grid", "network", 0, "sharp", {"instances": 2}))
    dag, flows = problem.dags[1], NetworkFlows(problem, 1, parents, seed=3)
    with torch.no_grad():
        flows.loss(TabularConfig(parents=parents), torch.Generator().manual_seed(0))
        encoded = flows.policy.encode(flows.episodes)

        def flow(members: np.ndarray, node: int) -> float:
            sets = torch.from_numpy(members)[None]
            states = States.of_sets(flows.episodes, torch.zeros(1, dtype=torch.long), sets, dag.max_nodes)
            return float(flows.policy(encoded, states).log_out[0, node])

        edges = [flow(dag.members[parent], node) for parent, node in zip(dag.parent, dag.node, strict=True)]
        assert flows.log_edge.tolist() == pytest.approx(edges, abs=1e-4)
        valid = set(zip(dag.child.tolist(), dag.node.tolist(), strict=True))
        removals = [(s, n) for s, n in np.argwhere(dag.members).tolist() if n != dag.start and (s, n) not in valid]
        assert removals
        phantoms = [flow(dag.members[s] & (np.arange(dag.num_nodes) != n), n) for s, n in removals]
        assert flows.log_phantom.tolist() == pytest.approx(phantoms if parents is Parents.GRAPH else [], abs=1e-4)
        assert 0 <= distance(flows.terminal_distribution(), problem.log_rewards[1]) <= 1
