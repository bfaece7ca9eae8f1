"""Explainers that are trained on a share of the motifs and scored on the others, as in the paper's inductive setting.

All have the same network, K_M, learning rate, instances, number of sampled trajectories and rule for edge scores. They
learn from samples alone, without exact targets. (RGExplainer has its own reward, and its pretraining on top.) Only
instances that the GNN predicts right are scored.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gfx_core.arrays import Ints, spread
from gfx_core.baselines.edge_scores import edge_marginals, order_weights
from gfx_core.baselines.generators import Generator, GFlowMethod
from gfx_core.baselines.registry import chosen_settings, make_method
from gfx_core.bench.cells import OWN, Cell
from gfx_core.bench.gnns import predicts_right
from gfx_core.bench.scores import plain
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.gfn.exact_targets import list_first
from gfx_core.gfn.instances import STARTS_PER_GRAPH
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.settings import PolicyConfig, policy_config
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import pooled_auc, truth_edges, undirected_scores
from gfx_core.metrics.intervals import motif_of, resampled_aucs, resampled_means, resampling

TRAININGS: dict[str, dict[str, str]] = {
    OWN: {},
    "gflow_sequence": {"parents": "sequence"},
    "gflow_graph": {"parents": "graph"},
    "tb": {"loss": "tb"},
    "tb_conditional": {"loss": "tb-conditional"},
}
"""What each way to train GFlowExplainer changes."""
BETA = 10.0
"""Of the shipped policies' reward, whose β is 50: so sharp a reward no side learns from so few samples."""
BATCH, ROLLOUTS = 100, 5
"""Trajectories in a step, at most; those of RGExplainer from each start node."""
CANDIDATES, LISTED, CAP = 30, 10, 10_000
"""Of so many instances the first so many are listed that have at most so many states."""


def measure(cell: Cell) -> dict[str, Any]:
    """Train on a share of the motifs, the variant of the cell, and score instances of the others.

    Options: ``instances``, of how many the share is trained on, and how many are scored at most; ``trajectories``, how
    many are sampled from each instance.
    """
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset).to(cell.device)
    instances = [dataset.instance(int(index), hops=model.hops) for index in dataset.explainable]
    owner = np.array([motif_of(instance) for instance in instances])
    share, most = int(cell.variant.split()[0]) / 100, cell.options["instances"]
    trained, others = split_motifs(owner, share, cell.seed)
    trained, others = spread(trained, max(1, round(share * most))), spread(others, most)
    others = others[predicts_right(model, [instances[i] for i in others], cell.device)]
    counts = resampling(owner)[:, others]  # of all motifs
    test = [instances[i] for i in others]

    method = training(cell, model)
    method.fit([instances[i] for i in trained])
    marginals = list(map(edge_marginals, test, method.draw(test).orders))
    truth = [truth_edges(instance) for instance in test]
    scores = list(map(undirected_scores, test, marginals))
    values = {
        "auc": pooled_auc(test, marginals),
        "auc_order": pooled_auc(test, list(map(order_weights, test, method.greedy(test)))),
        "auc_resampled": plain(resampled_aucs(truth, scores, counts)),
    }
    if cell.method in TRAININGS and cell.variant == "50 %" and (distances := total_variations(method, test)):
        distance = list(distances.values())
        values["distance"] = float(np.mean(distance))
        values["distance_resampled"] = plain(resampled_means(distance, counts[:, list(distances)]))
    return values


def split_motifs(owner: Ints, share: float, seed: int) -> tuple[Ints, Ints]:
    """Divide instances into those to train on and the rest, whole motifs (or graphs) at a time.

    With the same seed a smaller share is part of a larger one. Neither side is ever empty.

    Args:
        owner: The motif of each instance. [I]
        share: Of the motifs that is trained on, between 0 and 1.
        seed: Of the choice.
    """
    order = np.random.RandomState(seed).permutation(np.unique(owner))
    count = min(max(1, round(share * len(order))), len(order) - 1)
    chosen = np.isin(owner, order[:count])
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)


def training(cell: Cell, model: GNN) -> Generator:
    """What a cell trains: as many trajectories of each instance for all, at most `BATCH` in a step."""
    epochs = max(1, cell.options["trajectories"] // (1 if model.task is Task.NODE else STARTS_PER_GRAPH))
    if cell.method in TRAININGS:  # as the shipped policies, but from samples alone and of the paper's width
        config = changed(policy_config(cell.dataset).sampled, TRAININGS[cell.method] | {"beta": BETA})
        config = replace(config, policy=PolicyConfig(), lr=1e-2, batch_size=BATCH, epochs=epochs)
        return GFlowMethod(model, config=config, seed=cell.seed, device=cell.device)
    settings = chosen_settings(cell.method, cell.dataset, model.name)
    settings |= {"batch_size": BATCH // ROLLOUTS, "rollouts": ROLLOUTS, "epochs": max(1, epochs // ROLLOUTS)}
    method = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device)
    assert isinstance(method, Generator)
    return method


def total_variations(method: Generator, instances: Sequence[Instance]) -> dict[int, float]:
    """Total variation from R/Z of some instances whose states can be listed, by their number.

    In a graph task subgraphs start at the first node of the motif, the same for all trainings.
    """
    candidates = [instances[number] for number in spread(np.arange(len(instances)), CANDIDATES)]
    pairs = [(i, int(np.argmax(i.own_nodes)) if i.target is None else i.target) for i in candidates]
    policy = method.generating_policy()
    listed, states = list_first(pairs, method.model, policy.config, method.device, CAP, LISTED)
    if states is None:
        return {}
    distances = states.total_variations(policy.policy).tolist()
    return {instances.index(instance): distance for instance, distance in zip(listed, distances, strict=True)}
