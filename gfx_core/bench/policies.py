"""How far policies and losses are from P ∝ R, on instances that they never saw.

Where all subgraphs of an instance can be listed, the total variation of a policy from R/Z is exact. The variant of a
cell says what is compared:

* ``policy``: the shipped policy, which has seen both halves; policies that learn from the tuning half, with exact
  targets or from samples alone; one that never learnt. Instances of the reporting half decide.
* ``table``: losses, with a free flow for each edge of the state DAG, so that the loss alone decides.
* ``network``: losses, with one network that learns from trajectories on the tuning half.

All losses get as many trajectories, and so as many calls of the GNN. Each has the best of three learning rates for each
data set, by total variation on the tuning half; a cell chooses the rate once and then trains with all seeds. All
policies start at the explained node or, in graph tasks, where the shipped locator finds most influence.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles, Ints, spread
from gfx_core.bench.cells import UNTRAINED, Cell
from gfx_core.bench.gnns import predicts_right
from gfx_core.bench.scores import means, transposed
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.exact.state_space import StateSpace
from gfx_core.exact.tabular import TABULAR, ListedTraining, TableFlows
from gfx_core.gfn.checkpoint import load_policy
from gfx_core.gfn.exact_targets import ExactTargets, list_first
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.settings import FROM_SAMPLES, GFNConfig, policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc

RATES = {"table": (0.05, 0.2, 0.5), "network": (1e-3, 3e-3, 1e-2)}
"""Learning rates that each loss may choose from."""
KNOBS: dict[str, dict[str, Any]] = {
    "exact-flows": {},
    "mdb": {"loss": "mdb", "stop": "learned"},
    "db-learned": {"loss": "db", "learned_backward": True},
    "db-forward": {"loss": "db", "forward_looking": True},
    "fm-replay": {"replay": 0.5},
}
"""What losses set that are more than a loss by this name."""


class PolicyData:
    """The halves of a data set, and those of their instances that can be listed."""

    def __init__(self, cell: Cell) -> None:
        self.cell, self.dataset, self.model = cell, load_dataset(cell.dataset), load_model(cell.dataset)
        self.shipped = load_policy(policy_path(cell.dataset)).to(cell.device)
        self.config = policy_config(cell.dataset)
        explainable = self.dataset.explainable
        self.tuning, self.reporting = half_of(explainable, Half.TUNING), half_of(explainable, Half.REPORTING)

    def instance(self, index: int) -> Instance:
        return self.dataset.instance(index, hops=self.model.hops)

    def trainer(self, indices: Ints, config: GFNConfig) -> Trainer:
        """A training on some instances; without exact targets its flows begin high, at the best of a few walks."""
        predictor = SubgraphPredictor(self.model, list(map(self.instance, indices.tolist())), self.cell.device)
        trainer = Trainer(predictor, config)
        if trainer.exact is None:
            trainer.begin_high(walks=4)
        return trainer

    def listing(self, indices: Ints, count: int | None = None) -> tuple[list[Instance], ExactTargets]:
        """The first of some instances that have at most ``cap`` states, with all these."""
        instances = map(self.instance, indices.tolist())
        pairs = ((instance, self.shipped.start_nodes(self.model, [instance])[0]) for instance in instances)
        cell = self.cell
        listed, states = list_first(pairs, self.model, self.config, cell.device, cell.options["cap"], count)
        assert states is not None
        return listed, states


def measure(cell: Cell) -> dict[str, Any]:
    """Train, and compare with R/Z; lists have a number for each seed.

    Options: ``cap``, the most states of a listed instance. A policy: ``held_out`` and ``seen``, how many instances of
    the reporting and the tuning half, evenly spread; ``epochs`` from samples, twice as many with exact targets, whose
    steps are cheaper; ``train``, only so many instances to learn from. Tables: ``seeds``; ``instances`` of each and
    ``tuning`` to choose the rate on; ``steps`` and ``batch``. Networks: ``seeds``; ``train``; ``epochs``, a third of
    them to choose the rate on ``tuning`` instances; ``held_out``, on how many of each half they are compared.
    """
    return {"policy": policy, "table": tables, "network": networks}[cell.variant](cell, PolicyData(cell))


def policy(cell: Cell, data: PolicyData) -> dict[str, Any]:
    """One policy, on instances of the reporting half and on those of the tuning half."""
    options, exact = cell.options, cell.method == "exact"
    flows, values = data.shipped.policy, dict[str, Any]()
    if cell.method != "shipped":
        config = replace(policy_config(cell.dataset, device=cell.device), seed=cell.seed)
        config = replace(config, epochs=options["epochs"] * (2 if exact else 1))
        started = time.perf_counter()
        trainer = data.trainer(
            spread(data.tuning, options.get("train")),
            config if exact else replace(config, learning=FROM_SAMPLES, lr=1e-2),
        )
        if cell.method != UNTRAINED:
            trainer.fit()
            values["fit_s"] = [time.perf_counter() - started]
        flows = trainer.policy
    reporting = spread(data.reporting, options["held_out"])
    instances, states = data.listing(reporting)
    _, seen = data.listing(spread(data.tuning, options["seen"]))
    return values | {
        "listed": len(instances) / len(reporting),
        "distance": [float(states.total_variations(flows).mean())],
        "distance_seen": [float(seen.total_variations(flows).mean())],
        "auc": [marginal_auc(data.model, instances, states, states.stops(flows))],
        "auc_exact": marginal_auc(data.model, instances, states, states.space.log_target),
    }


def marginal_auc(
    model: GNN, instances: Sequence[Instance], states: ExactTargets, log_probability: Doubles
) -> float | None:
    """AUC of the edge marginals of a distribution over listed states, on instances that the GNN predicts right."""
    probabilities = states.space.parts(np.exp(log_probability))
    right = np.flatnonzero(predicts_right(model, instances, states.device)).tolist()
    masks = [states.space.edge_marginals(instances[number], probabilities[number], number) for number in right]
    return pooled_auc([instances[number] for number in right], masks)


def with_best_rate(
    cell: Cell, tuning: Callable[[float], float], reporting: Callable[[float, int], dict[str, float]]
) -> dict[str, Any]:
    """What the seeds come to with the learning rate that is best on the tuning half.

    Args:
        cell: How many seeds it has, and its rates.
        tuning: The total variation on the tuning half with a rate.
        reporting: The numbers of a rate and a seed.
    """
    tried = {str(rate): tuning(rate) for rate in RATES[cell.variant]}
    rate = float(min(tried, key=lambda rate: tried[rate]))
    rows = [reporting(rate, seed) for seed in range(cell.options["seeds"])]
    return {"rate": rate, "tried": tried} | transposed(rows)


def tables(cell: Cell, data: PolicyData) -> dict[str, Any]:
    """Tables on instances of the reporting half, others for each seed."""
    options, count = cell.options, cell.options["instances"]
    config = replace(TABULAR, batch_size=options["batch"], epochs=options["steps"], max_nodes=10)
    config = changed(config, KNOBS.get(cell.method, {"loss": cell.method}))

    def numbers(spaces: Sequence[StateSpace], rate: float, seed: int) -> dict[str, float]:
        rows = []
        for space in spaces:
            started = time.perf_counter()
            flows = TableFlows(space, replace(config, lr=rate, seed=seed))
            ListedTraining(flows, flows.config).run()
            rows.append({"fit_s": time.perf_counter() - started, "distance": flows.total_variation()})
        return means(rows)

    rng = np.random.RandomState(0)
    choosing = data.listing(rng.permutation(data.tuning), options["tuning"])[1].space.alone()
    spaces = data.listing(rng.permutation(data.reporting), count * options["seeds"])[1].space.alone()
    return with_best_rate(
        cell,
        lambda rate: numbers(choosing, rate, 0)["distance"],
        lambda rate, seed: numbers(spaces[seed * count : (seed + 1) * count], rate, seed),
    )


def networks(cell: Cell, data: PolicyData) -> dict[str, Any]:
    """One network on instances of the tuning half, and how far it is from R/Z on the reporting half."""
    options, rng = cell.options, np.random.RandomState(0)
    tuning, reporting = rng.permutation(data.tuning), rng.permutation(data.reporting)
    learnt, rest = tuning[: options["train"]], tuning[options["train"] :]
    learning = FROM_SAMPLES
    if cell.method == "exact-flows":
        learning = replace(learning, exact_cap=options["cap"], exact_states=4096, exact_alone=True)
    config = changed(replace(data.config, learning=learning), KNOBS.get(cell.method, {"loss": cell.method}))
    epochs = max(1, round(options["epochs"] * (1 - config.replay)))  # as many trajectories
    choosing, held_out, seen = (
        data.listing(indices, options[count])[1]
        for indices, count in ((rest, "tuning"), (reporting, "held_out"), (learnt, "held_out"))
    )

    def fitted(rate: float, seed: int, epochs: int) -> Trainer:
        trainer = data.trainer(learnt, replace(config, lr=rate, seed=seed, epochs=epochs))
        trainer.fit()
        return trainer

    def distance(states: ExactTargets, trainer: Trainer) -> float:
        return float(states.total_variations(trainer.policy).mean())

    def numbers(rate: float, seed: int) -> dict[str, float]:
        started = time.perf_counter()
        trainer = fitted(rate, seed, epochs)
        seconds = time.perf_counter() - started
        return {"fit_s": seconds, "distance": distance(held_out, trainer), "distance_seen": distance(seen, trainer)}

    return with_best_rate(cell, lambda rate: distance(choosing, fitted(rate, 0, max(1, epochs // 3))), numbers)
