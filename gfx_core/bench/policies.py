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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from statistics import fmean
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles, Ints, spread
from gfx_core.bench.cells import UNTRAINED, Cell
from gfx_core.bench.gnns import predicts_right
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.exact.tabular import TABULAR, ListedTraining, TableFlows
from gfx_core.gfn.checkpoint import load_policy
from gfx_core.gfn.exact_targets import ExactTargets, list_first
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import FROM_SAMPLES, GFNConfig, policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc

Numbers = Callable[[float, int | None], dict[str, float]]
"""What a loss comes to with a learning rate and a seed; without a seed on the tuning half, to choose the rate."""
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
        self.tuning = half_of(self.dataset.explainable, Half.TUNING)
        self.reporting = half_of(self.dataset.explainable, Half.REPORTING)

    def instances(self, indices: Ints) -> Iterator[Instance]:
        return (self.dataset.instance(index, hops=self.model.hops) for index in indices.tolist())

    def trainer(self, indices: Ints, config: GFNConfig) -> Trainer:
        """A training on some instances; without exact targets its flows begin high, at the best of a few walks."""
        trainer = Trainer(SubgraphPredictor(self.model, list(self.instances(indices)), self.cell.device), config)
        if trainer.exact is None:
            trainer.begin_high(walks=4)
        return trainer

    def listing(self, indices: Ints, count: int | None = None) -> tuple[list[Instance], ExactTargets]:
        """The first of some instances that have at most ``cap`` states, with all these."""
        start, cell = self.shipped.start_nodes, self.cell
        pairs = ((instance, start(self.model, [instance])[0]) for instance in self.instances(indices))
        instances, states = list_first(pairs, self.model, self.config, cell.device, cell.options["cap"], count)
        assert states is not None
        return instances, states


def measure(cell: Cell) -> dict[str, Any]:
    """Train, and compare with R/Z; lists have a number for each seed.

    Options: ``cap``, the most states of a listed instance. A policy: ``held_out`` and ``seen``, how many instances of
    the reporting and the tuning half, evenly spread; ``epochs`` from samples, twice as many with exact targets, whose
    steps are cheaper; ``train``, only so many instances to learn from. Tables: ``seeds``; ``instances`` of each and
    ``tuning`` to choose the rate on; ``steps`` and ``batch``. Networks: ``seeds``; ``train``; ``epochs``, a third of
    them to choose the rate on ``tuning`` instances; ``held_out``, on how many of each half they are compared.
    """
    data = PolicyData(cell)
    if cell.variant == "policy":
        return policy(cell, data)
    numbers = (tables if cell.variant == "table" else networks)(cell, data)
    tried = {rate: numbers(rate, None)["distance"] for rate in RATES[cell.variant]}
    rate = min(tried, key=tried.__getitem__)
    rows = [numbers(rate, seed) for seed in range(cell.options["seeds"])]
    return {"rate": rate, "tried": tried} | {name: [row[name] for row in rows] for name in rows[0]}


def policy(cell: Cell, data: PolicyData) -> dict[str, Any]:
    """One policy, on instances of the reporting half and on those of the tuning half."""
    options, flows = cell.options, data.shipped.policy
    if cell.method != "shipped":
        config = policy_config(cell.dataset, device=cell.device)
        if cell.method == "exact":
            config = replace(config, seed=cell.seed, epochs=2 * options["epochs"])
        else:
            config = replace(config, seed=cell.seed, epochs=options["epochs"], learning=FROM_SAMPLES, lr=1e-2)
        trainer = data.trainer(spread(data.tuning, options.get("train")), config)
        if cell.method != UNTRAINED:
            trainer.fit()
        flows = trainer.policy
    reporting = spread(data.reporting, options["held_out"])
    instances, states = data.listing(reporting)
    _, seen = data.listing(spread(data.tuning, options["seen"]))
    return {
        "listed": len(instances) / len(reporting),
        "distance": [distance(states, flows)],
        "distance_seen": [distance(seen, flows)],
        "auc": [marginal_auc(data.model, instances, states, states.stops(flows))],
        "auc_exact": marginal_auc(data.model, instances, states, states.space.log_target),
    }


def distance(states: ExactTargets, flows: FlowPolicy) -> float:
    """The mean total variation of a policy from R/Z on listed instances."""
    return float(states.total_variations(flows).mean())


def marginal_auc(
    model: GNN, instances: Sequence[Instance], states: ExactTargets, log_probability: Doubles
) -> float | None:
    """AUC of the edge marginals of a distribution over listed states, on instances that the GNN predicts right."""
    space, right = states.space, predicts_right(model, instances, states.device)
    marginals = map(space.edge_marginals, instances, space.parts(np.exp(log_probability)), range(len(instances)))
    return pooled_auc(list(compress(instances, right)), list(compress(marginals, right)))


def tables(cell: Cell, data: PolicyData) -> Numbers:
    """Tables on instances of the reporting half, others for each seed."""
    options, count = cell.options, cell.options["instances"]
    config = replace(TABULAR, batch_size=options["batch"], epochs=options["steps"], max_nodes=10)
    config = changed(config, KNOBS.get(cell.method, {"loss": cell.method}))
    rng = np.random.RandomState(0)
    choosing = data.listing(rng.permutation(data.tuning), options["tuning"])[1].space.alone()
    spaces = data.listing(rng.permutation(data.reporting), count * options["seeds"])[1].space.alone()

    def numbers(rate: float, seed: int | None) -> dict[str, float]:
        distances = []
        for space in choosing if seed is None else spaces[seed * count : (seed + 1) * count]:
            flows = TableFlows(space, replace(config, lr=rate, seed=seed or 0))
            ListedTraining(flows, flows.config).run()
            distances.append(flows.total_variation())
        return {"distance": fmean(distances)}

    return numbers


def networks(cell: Cell, data: PolicyData) -> Numbers:
    """One network on instances of the tuning half, and how far it is from R/Z on the reporting half."""
    options, rng = cell.options, np.random.RandomState(0)
    tuning, reporting = rng.permutation(data.tuning), rng.permutation(data.reporting)
    learnt, rest = np.split(tuning, [options["train"]])
    learning = FROM_SAMPLES
    if cell.method == "exact-flows":
        learning = replace(learning, exact_cap=options["cap"], exact_states=4096, exact_alone=True)
    config = changed(replace(data.config, learning=learning), KNOBS.get(cell.method, {"loss": cell.method}))
    epochs = max(1, round(options["epochs"] * (1 - config.replay)))  # as many trajectories
    choosing = data.listing(rest, options["tuning"])[1]
    held_out, seen = (data.listing(indices, options["held_out"])[1] for indices in (reporting, learnt))

    def numbers(rate: float, seed: int | None) -> dict[str, float]:
        length = max(1, epochs // 3) if seed is None else epochs
        trainer = data.trainer(learnt, replace(config, lr=rate, seed=seed or 0, epochs=length))
        trainer.fit()
        states = {"distance": choosing} if seed is None else {"distance": held_out, "distance_seen": seen}
        return {name: distance(listed, trainer.policy) for name, listed in states.items()}

    return numbers
