"""What holds GFlowExplainer back: the reward, the GNN, or the training?

Where all subgraphs of an instance can be listed, P ∝ R is known exactly. Its edge marginals are the best that sampling
in proportion to this reward can give; the exact best subgraph is the best that any search under this reward can give.
The distance of the trained policy from P ∝ R is the training's part.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gfx_core.bench.auc import TITLES
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.tables import Table, present, table_of_values
from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS

BENCHMARK = "ceiling"
FUNCTION = "gfx_core.bench.ceiling:ceiling"
VALUE = "auc_exact"
CAP = 20_000
"""Instances with more subgraphs than this are left out."""

_SHOWN = {
    "auc_exact": "AUC of exact P ∝ R (edge marginals)",
    "auc_best": "AUC of the exact best subgraph",
    "auc_policy": "AUC of the shipped policy, same instances",
    "distance_mean": "Total variation of the shipped policy from P ∝ R, mean",
    "distance_median": "median",
    "best_found": "Share of instances whose best subgraph is the motif itself",
    "enumerated": "Instances",
}


def cells(
    datasets: Sequence[str], methods: Sequence[str] | None, seeds: int | None, device: str, quick: bool = False
) -> list[Cell]:
    """One for each data set of a node task: in graph tasks the start node is a choice of its own."""
    options = {"device": device, "cap": CAP} | ({"limit": 6} if quick else {})
    nodes = [name for name in datasets if DATASETS[name].task is Task.NODE]
    return [Cell(BENCHMARK, name, "gflowexplainer", 0, options=options) for name in nodes]


def cost(cell: Cell) -> float:
    return 1.0


def ceiling(cell: Cell) -> dict[str, Any]:
    """Enumerate what can be enumerated, and compare."""
    from gfx_core.bench.scoring import spread
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.explainers.generate import SubgraphSampler
    from gfx_core.gfn.checkpoint import load_policy
    from gfx_core.gfn.exact import best_state, edge_marginals, target_distribution, total_variation
    from gfx_core.gfn.paths import policy_path
    from gfx_core.gfn.state_dag import TooManyStates, enumerate_states
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.gnn.predict import SubgraphPredictor
    from gfx_core.metrics.auc import pooled_auc

    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset)
    trained = load_policy(policy_path(cell.dataset))
    chosen = spread(dataset.explainable, cell.options.get("limit"))
    instances, distances, matches = [], [], []
    scores: dict[str, list[np.ndarray]] = {"exact": [], "best": [], "policy": []}
    for index in chosen:
        instance = dataset.instance(int(index))
        try:
            dag = enumerate_states(instance, None, trained.config.max_nodes, cap=cell.options["cap"])
        except TooManyStates:
            continue
        generator = SubgraphSampler(trained, SubgraphPredictor(model, [instance], cell.device), instance)
        log_reward = generator.log_rewards(dag.subsets)
        log_target, log_policy = target_distribution(log_reward), generator.terminal_distribution(dag, log_reward)
        best = best_state(log_target)
        one_hot = np.zeros(dag.num_states)
        one_hot[best] = 1.0
        instances.append(instance)
        distances.append(total_variation(log_policy, log_target))
        matches.append(bool((dag.members[best] == instance.own_nodes).all()))
        for name, chances in (("exact", np.exp(log_target)), ("best", one_hot), ("policy", np.exp(log_policy))):
            scores[name].append(edge_marginals(dag, instance, chances))
    values: dict[str, Any] = {
        "instances": len(chosen),
        "enumerated": len(instances),
        "reward": trained.config.as_dict()["reward"],
        "max_nodes": trained.config.max_nodes,
    }
    for name, given in scores.items():
        values[f"auc_{name}"] = pooled_auc(instances, given) if instances else None
        values[f"auc_{name}_all"] = pooled_auc(instances, given, "all") if instances else None
    if instances:
        values |= {
            "distance_mean": float(np.mean(distances)),
            "distance_median": float(np.median(distances)),
            "distance_max": float(np.max(distances)),
            "best_found": float(np.mean(matches)),
        }
    return values


def tables(records: Iterable[Record]) -> list[Table]:
    """A row for each number, a column for each data set."""
    records = list(records)
    columns = {name: TITLES[name] for name in present(DATASETS, records, "dataset")}
    return [table_of_values(records, _SHOWN, columns=columns, digits={"enumerated": 0}, counts=False)]
