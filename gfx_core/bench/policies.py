"""How far policies are from P ∝ R on instances that they never saw, and how well they find other motifs.

Where all subgraphs of an instance can be listed, the total variation of a policy from R/Z is exact. The study
``policies`` compares the look-ahead policy, which learned from other graphs; policies that learn from the tuning half,
with exact targets or from samples alone; and one that never learnt. Instances of the reporting half decide. All start
at the explained node or, in graph tasks, at the node out of which most of the look-ahead policy's flow goes.

In the study ``inductive``, as in the paper's inductive setting, explainers are trained on a share of the motifs and
scored on the others. All have the same network, K_M, learning rate, instances, number of sampled trajectories and rule
for edge scores. They learn from samples alone, without exact targets. (RGExplainer has its own reward, and its
pretraining on top.) Only instances that the GNN predicts right are scored.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from statistics import fmean
from typing import Any

import numpy as np

from gfx_core.arrays import Ints, spread
from gfx_core.baselines.edge_scores import edge_marginals, order_weights
from gfx_core.baselines.generators import Generator, GFlowMethod
from gfx_core.baselines.registry import chosen_settings, make_method
from gfx_core.bench.explainers import plain
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.studies import AHEAD, STUDIES, UNTRAINED, Cell
from gfx_core.config import Task
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import list_all
from gfx_core.explanation.look_ahead import LookAheadSampler
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ListedStates, listed_space
from gfx_core.gfn.instances import STARTS_PER_GRAPH, FlowGraphs
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import FROM_SAMPLES, LearningConfig, PolicyConfig, policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.look_ahead.policy import LookAheadPolicy
from gfx_core.metrics.intervals import motif_of, resampled_aucs, resampled_means, resampling
from gfx_core.metrics.summary import pooled_auc, truth_edges, undirected_scores

BETA = 10.0
"""Of the shipped policies' reward, whose β is 50: so sharp a reward no side learns from so few samples."""
BATCH, ROLLOUTS = 100, 5
"""Trajectories in a step, at most; those of RGExplainer from each start node."""
CANDIDATES, LISTED, CAP = 30, 10, 10_000
"""Of so many instances the first so many are listed that have at most so many states."""


def measure(cell: Cell) -> dict[str, Any]:
    """Train a policy and compare it with R/Z.

    Options: ``cap``, the most states of a listed instance; ``held_out``, how many instances of the reporting half,
    evenly spread; ``epochs`` from samples, twice as many with exact targets, whose steps are cheaper; ``train``, only
    so many instances to learn from.
    """
    gnn, config = ExplainedGNN(cell), policy_config(cell.dataset)
    reporting = half_of(gnn.dataset.explainable, Half.REPORTING)
    instances = list(gnn.instances(spread(reporting, cell.options["held_out"])))
    predictors = (SubgraphPredictor(gnn.model, [instance], cell.device) for instance in instances)
    ahead = [LookAheadSampler.shipped(config, *pair) for pair in zip(predictors, instances, strict=True)]
    pairs = [(flows.instance, flows.locate()) for flows in ahead]
    policy = ahead[0].trained if cell.method == AHEAD else trained(gnn)
    listed, variations = total_variations(gnn, policy, pairs, cell.options["cap"])
    return {"listed": len(listed) / len(instances), "distance": fmean(variations)}


def trained(gnn: ExplainedGNN) -> TrainedPolicy:
    """The policy of a cell after its training; without exact targets its flows begin at the best of four walks."""
    cell, options = gnn.cell, gnn.cell.options
    config = replace(policy_config(cell.dataset, device=cell.device), seed=cell.seed, epochs=2 * options["epochs"])
    if cell.method != "exact":
        config = replace(config, epochs=options["epochs"], learning=FROM_SAMPLES, lr=1e-2)
    tuning = half_of(gnn.dataset.explainable, Half.TUNING)
    instances = list(gnn.instances(spread(tuning, options.get("train"))))
    trainer = Trainer(SubgraphPredictor(gnn.model, instances, cell.device), config)
    if trainer.exact is None:
        trainer.begin_high(walks=4)
    if cell.method != UNTRAINED:
        trainer.fit()
    return TrainedPolicy.of(trainer)


def total_variations(
    gnn: ExplainedGNN,
    trained: TrainedPolicy,
    pairs: Iterable[tuple[Instance, int]],
    cap: int,
    most: int | None = None,
) -> tuple[list[Instance], list[float]]:
    """The first instances whose states can be listed, and how far a policy is from R/Z on each.

    Args:
        gnn: The GNN.
        trained: The policy.
        pairs: Instances with their start nodes.
        cap: The most states of an instance.
        most: How many instances at most; all by default.
    """
    config = trained.config
    dags = ((instance, list_all([instance], [start], config.max_nodes, cap)) for instance, start in pairs)
    listed = list(islice(((instance, dag[0]) for instance, dag in dags if dag), most))
    if not listed:
        return [], []
    instances = [instance for instance, _ in listed]
    predictor = SubgraphPredictor(gnn.model, instances, gnn.cell.device)
    space = listed_space(Reward(predictor, config.reward), [dag for _, dag in listed])
    if isinstance(trained.policy, LookAheadPolicy):
        log_edge = trained.policy.on(space, config.reward, predictor.device)
        return instances, space.total_variations(space.walk(log_edge).stop).tolist()
    states = ListedStates(FlowGraphs(predictor, config.policy), space)
    return instances, states.total_variations(trained.policy).tolist()


# Training on some motifs, explaining others


def inductive(cell: Cell) -> dict[str, Any]:
    """Train on a share of the motifs, the variant of the cell, and score instances of the others.

    Options: ``instances``, of how many the share is trained on, and how many are scored at most; ``trajectories``, how
    many are sampled from each instance.
    """
    gnn = ExplainedGNN(cell)
    instances = list(gnn.instances(gnn.dataset.explainable))
    owner = np.array([motif_of(instance) for instance in instances])
    share, most = int(cell.variant.split()[0]) / 100, cell.options["instances"]
    train, unseen = split_motifs(owner, share, cell.seed)
    train, unseen = spread(train, max(1, round(share * most))), spread(unseen, most)
    unseen = unseen[gnn.right([instances[i] for i in unseen])]
    counts = resampling(owner)[:, unseen]  # of all motifs
    test = [instances[i] for i in unseen]

    method = training(cell, gnn.model)
    method.fit([instances[i] for i in train])
    marginals = list(map(edge_marginals, test, method.draw(test).orders))
    scores = list(map(undirected_scores, test, marginals))
    values = {
        "auc": pooled_auc(test, marginals),
        "auc_order": pooled_auc(test, list(map(order_weights, test, map(method.greedy, test)))),
        "auc_resampled": plain(resampled_aucs(list(map(truth_edges, test)), scores, counts)),
    }
    if isinstance(method, GFlowMethod) and cell.variant == "50 %":
        listed, variations = on_motifs(gnn, method, test)
        if listed:
            values["distance"] = fmean(variations)
            values["distance_resampled"] = plain(resampled_means(variations, counts[:, listed]))
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
    chosen = np.isin(owner, order[: min(max(1, round(share * len(order))), len(order) - 1)])
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)


def training(cell: Cell, model: GNN) -> Generator:
    """What a cell trains: as many trajectories of each instance for all, at most `BATCH` in a step."""
    epochs = max(1, cell.options["trajectories"] // (1 if model.task is Task.NODE else STARTS_PER_GRAPH))
    changes = STUDIES["inductive"].changes
    if cell.method in changes:  # as the shipped policies, but from samples alone and of the paper's width
        config = changed(
            replace(policy_config(cell.dataset), learning=LearningConfig()), {**changes[cell.method], "beta": BETA}
        )
        config = replace(config, policy=PolicyConfig(), lr=1e-2, batch_size=BATCH, epochs=epochs)
        return GFlowMethod(model, config=config, seed=cell.seed, device=cell.device)
    settings = chosen_settings(cell.method, cell.dataset)
    settings |= {"batch_size": BATCH // ROLLOUTS, "rollouts": ROLLOUTS, "epochs": max(1, epochs // ROLLOUTS)}
    method = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device)
    assert isinstance(method, Generator)
    return method


def on_motifs(gnn: ExplainedGNN, method: Generator, instances: Sequence[Instance]) -> tuple[list[int], list[float]]:
    """The numbers of some instances whose states can be listed, and how far what was learnt is from R/Z on each.

    In a graph task subgraphs start at the first node of the motif, the same for all trainings.
    """
    candidates = [instances[number] for number in spread(np.arange(len(instances)), CANDIDATES)]
    pairs = [(i, int(np.argmax(i.own_nodes)) if i.target is None else i.target) for i in candidates]
    assert method.trained is not None
    listed, variations = total_variations(gnn, method.trained, pairs, CAP, LISTED)
    return [instances.index(instance) for instance in listed], variations
