"""AUC of trained policies on all data sets, by three scoring rules, beside what exact enumeration allows."""

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import numpy as np

from gfx_core.bench.record import made_with
from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.gfn.presets import policy_config

SAMPLES = 64
ENUMERATION_CAP = 20_000
RULES = ("marginals", "best", "order")
PAPER = {
    "ba_shapes": 0.999,
    "ba_community": 0.938,
    "tree_cycles": 0.964,
    "tree_grid": 0.982,
    "ba_2motifs": 0.854,
    "mutagenicity": 0.882,
}
"""GFlowExplainer's AUC as its paper reports it (other GNNs, other ground truth)."""


def _cell(name: str, seed: int, device: str, epochs: int | None, limit: int | None) -> dict[str, Any]:
    """Train (or, for seed 0, load) one policy and score its explanations."""
    import torch

    from gfx_core.explainers.batch import draw_many
    from gfx_core.explainers.edge_scores import best_of, edge_marginals, order_weights
    from gfx_core.explainers.gflow import GFlowExplainer
    from gfx_core.gfn.checkpoint import load_policy, policy_path
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.gnn.predict import SubgraphPredictor
    from gfx_core.metrics.auc import pooled_auc

    torch.set_num_threads(1)
    dataset, model = load_dataset(name), load_model(name)
    indices = dataset.explainable[:limit]
    if seed == 0 and epochs is None and policy_path(name).is_file():
        trained = load_policy(policy_path(name))
    else:
        config = policy_config(name).with_options(seed=seed, epochs=epochs)
        explainer = GFlowExplainer(config, device=device).fit(model, dataset, indices)
        assert explainer.trained is not None
        trained = explainer.trained
    instances = [dataset.instance(int(i)) for i in indices]
    predictor = SubgraphPredictor(model, instances, device)
    orders, log_reward = draw_many(trained, predictor, SAMPLES, seed)
    scores = {
        "marginals": [edge_marginals(i, o) for i, o in zip(instances, orders, strict=True)],
        "best": [best_of(i, o, r) for i, o, r in zip(instances, orders, log_reward, strict=True)],
        "order": [order_weights(i, o[0]) for i, o in zip(instances, orders, strict=True)],
    }
    tail = trained.curve[-20:]
    return {
        "dataset": name,
        "seed": seed,
        "instances": len(instances),
        "auc": {
            f"{rule} {truth}": pooled_auc(instances, scores[rule], truth) for rule in RULES for truth in ("own", "all")
        },
        "log_reward": float(log_reward.mean()),
        "best_log_reward": float(log_reward.max(1).mean()),
        "residual": float(np.mean([report.residual for report in tail])),
        "training_s": float(sum(report.seconds for report in trained.curve)),
        "epochs": len(trained.curve),
        "config": trained.config.as_dict(),
    }


def _ceiling(name: str, device: str, limit: int | None) -> dict[str, Any]:
    """AUC of the exact P ∝ R and of the exact best subgraph, on the instances that can be enumerated."""
    import torch

    from gfx_core.gfn.exact import TooManyStates, best_state, edge_marginals, enumerate_states, target_distribution
    from gfx_core.gfn.rewards import Reward
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.gnn.predict import SubgraphPredictor
    from gfx_core.metrics.auc import pooled_auc

    dataset, model, config = load_dataset(name), load_model(name), policy_config(name)
    instances, exact, best = [], [], []
    for index in dataset.explainable[:limit]:
        instance = dataset.instance(int(index))
        try:
            dag = enumerate_states(instance, None, config.max_nodes, cap=ENUMERATION_CAP)
        except TooManyStates:
            continue
        reward = Reward(SubgraphPredictor(model, [instance], device), config.reward)
        subsets = torch.from_numpy(dag.subsets).to(device)
        log_reward = torch.cat([reward(part, torch.zeros_like(part[:, 0])) for part in subsets.split(8192)])
        log_target = target_distribution(log_reward.double().cpu().numpy())
        one_hot = np.zeros(dag.num_states)
        one_hot[best_state(log_target)] = 1.0
        instances.append(instance)
        exact.append(edge_marginals(dag, instance, np.exp(log_target)))
        best.append(edge_marginals(dag, instance, one_hot))
    return {
        "dataset": name,
        "enumerated": len(instances),
        "marginals own": pooled_auc(instances, exact) if instances else None,
        "best own": pooled_auc(instances, best) if instances else None,
    }


def run(
    device: str = "cpu",
    datasets: tuple[str, ...] = tuple(DATASETS),
    seeds: tuple[int, ...] = (0, 1, 2),
    epochs: int | None = None,
    limit: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Score the shipped policies (seed 0) and ones trained alike with other seeds.

    Args:
        device: Where to train and draw.
        datasets: Which data sets.
        seeds: Which seeds.
        epochs: Another length of training than the presets' (then seed 0 is trained too).
        limit: Only this many instances of each data set.
        progress: Called with a line for each finished cell.
    """
    workers = min(8, os.cpu_count() or 1) if device == "cuda" else 2
    cells, ceilings = [], []
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(_cell, name, seed, device, epochs, limit) for name in datasets for seed in seeds]
        exact = [pool.submit(_ceiling, name, device, limit) for name in datasets if DATASETS[name].task is Task.NODE]
        for job in as_completed(jobs):
            cells.append(job.result())
            if progress is not None:
                progress(f"{cells[-1]['dataset']}, seed {cells[-1]['seed']}")
        ceilings = [job.result() for job in exact]
    cells.sort(key=lambda cell: (list(DATASETS).index(cell["dataset"]), cell["seed"]))
    return {"samples": SAMPLES, "cells": cells, "exact": ceilings, "paper": PAPER} | made_with(device)


def table(record: dict[str, Any]) -> str:
    """The record for people: mean over seeds, ± the standard deviation."""
    columns = [f"{rule} {truth}" for rule in RULES for truth in ("own", "all")]
    ceilings = {row["dataset"]: row for row in record["exact"]}
    lines = [
        f"{'data set':<13} {'inst.':>5} "
        + " ".join(f"{column:>14}" for column in columns)
        + f" {'paper':>6} {'exact P∝R':>10} {'exact best':>10}"
    ]
    for name in dict.fromkeys(cell["dataset"] for cell in record["cells"]):
        cells = [cell for cell in record["cells"] if cell["dataset"] == name]
        values = [[cell["auc"][column] for cell in cells if cell["auc"][column] is not None] for column in columns]
        numbers = " ".join(f"{np.mean(v):>8.3f} ±{np.std(v):.3f}" if v else f"{'–':>14}" for v in values)
        exact = ceilings.get(name, {})
        limits = [exact.get(key) for key in ("marginals own", "best own")]
        tail = " ".join(f"{limit:>10.3f}" if limit is not None else f"{'–':>10}" for limit in limits)
        lines.append(f"{name:<13} {cells[0]['instances']:>5} {numbers} {record['paper'][name]:>6.3f} {tail}")
    enumerated = ", ".join(f"{row['dataset']} {row['enumerated']}" for row in record["exact"])
    lines.append(f"Exact columns: over the instances with at most {ENUMERATION_CAP:,} subgraphs ({enumerated}).")
    return "\n".join(lines)
