"""Which loss comes nearest to P ∝ R: tables of flows, and one network on instances that it never saw.

A table has a free number for each edge of the state DAG, so what it comes to depends on the loss alone. A network is
shared by all instances and learns from trajectories on the tuning half; what counts is how far where it stops is from
R/Z on instances of the reporting half. All losses get as many trajectories, and so as many calls of the GNN, and each
is tuned with the same freedom: the best of three learning rates for each data set, on instances of the tuning half, by
total variation. A cell is a data set and a loss: it chooses the rate once and then trains with all seeds.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gfx_core.bench.distance import CODE, NEAR, Distance, fitted, span
from gfx_core.bench.study import Cell, Claim, Study, Sweep, share_verdict
from gfx_core.bench.tables import Quantity, Record, ResultEntry, ResultTable
from gfx_core.datasets.graph import Half, half_of

if TYPE_CHECKING:
    from gfx_core.arrays import Doubles, Ints
    from gfx_core.datasets.instance import Instance
    from gfx_core.exact.state_space import StateSpace
    from gfx_core.gfn.exact_targets import ExactTargets
    from gfx_core.gnn.models import GNN

TABLE, NETWORK = "table", "network"
TABLES = "Total variation from R/Z, tables of flows"
NETWORKS = "Total variation from R/Z, one network, held-out instances"
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "fm": ("flow matching", {}),
    "fm-linear": ("flow matching, linear", {"loss": "fm-linear"}),
    "db": ("detailed balance", {"loss": "db"}),
    "mdb": ("modified detailed balance, STOP learned", {"loss": "mdb", "stop": "learned"}),
    "tb": ("trajectory balance, one log Z", {"loss": "tb"}),
    "tb-conditional": ("trajectory balance, conditional log Z", {"loss": "tb-conditional"}),
    "subtb": ("sub-trajectory balance", {"loss": "subtb"}),
    "db-learned": ("detailed balance, P_B learned", {"loss": "db", "learned_backward": True}),
    "db-forward": ("detailed balance, forward-looking", {"loss": "db", "forward_looking": True}),
    "fm-replay": ("flow matching, half of it replay", {"replay": 0.5}),
    "first-child": ("control: first child only", {"loss": "first-child"}),
    "exact": ("exact flows as targets, no trajectories", {}),
}
"""Of each loss its title and the knobs that it sets."""
_NOT = {TABLE: ("tb-conditional", "exact"), NETWORK: ("tb", "first-child")}
"""A table has one start node, so that both kinds of log Z are one; the control needs listed states."""
_PLANS: dict[str, dict[str, Any]] = {
    TABLE: {"device": "cpu", "seeds": 5, "cap": 3000, "instances": 4, "tuning": 2, "steps": 500, "batch": 64},
    NETWORK: {"seeds": 3, "cap": 5000, "train": 100, "held_out": 30, "tuning": 12, "epochs": 100},
}
_RATES = {TABLE: (0.05, 0.2, 0.5), NETWORK: (1e-3, 3e-3, 1e-2)}
_QUICK: dict[str, dict[str, Any]] = {
    TABLE: {"seeds": 1, "instances": 1, "tuning": 1, "steps": 4, "batch": 8},
    NETWORK: {"seeds": 1, "train": 4, "held_out": 2, "tuning": 1, "epochs": 2, "rates": (1e-2,)},
}
SHOWN = {
    TABLE: (
        Quantity("distance", TABLES, "low", close=0),
        Quantity("modes", "Share of the modes of R/Z that are found, tables of flows", "high", 2),
        Quantity("fit_s", "Seconds of training, tables of flows", "low", 1, close=0),
    ),
    NETWORK: (
        Quantity("distance", NETWORKS, "low", close=0),
        Quantity("distance_seen", "Total variation from R/Z, one network, instances trained on", "low", close=0),
        Quantity("modes", "Share of the modes of R/Z that are found, one network", "high", 2),
        Quantity("fit_s", "Seconds of training, one network", "low", 1, close=0),
    ),
}


class Losses(Study):
    name = "losses"
    title = "Losses"
    short = "Losses"
    question = "Which loss comes nearest to P ∝ R, as a table and as a network on instances that it never saw?"
    methods: ClassVar = {name: title for name, (title, _) in METHODS.items()}
    datasets = Distance.datasets
    any_dataset = False
    variants = (TABLE, NETWORK)
    code = (*CODE, "gfx_core.exact.tabular")
    weights = Distance.weights

    def cells(self, sweep: Sweep) -> list[Cell]:
        """One for each data set, loss and variant, with all its seeds. Tables are trained on the CPU."""
        found = [cell for cell in super().cells(replace(sweep, seeds=1)) if cell.method not in _NOT[cell.variant]]
        seeds = {} if sweep.seeds is None else {"seeds": sweep.seeds}
        plans = {name: plan | {"rates": _RATES[name]} | seeds for name, plan in _PLANS.items()}
        plans = {name: plan | (_QUICK[name] if sweep.quick else {}) for name, plan in plans.items()}
        return [replace(cell, options={**cell.options, **plans[cell.variant]}) for cell in found]

    def cost(self, cell: Cell) -> float:
        return 2.0 if cell.variant == NETWORK else 1.0

    def compute(self, cell: Cell) -> dict[str, Any]:
        return (_tables if cell.variant == TABLE else _networks)(cell, METHODS[cell.method][1])

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """Distance, modes and seconds, first of tables, then of networks."""
        found = []
        for variant, shown in SHOWN.items():
            here = [record | {"variant": ""} for record in by_seed(records) if record["variant"] == variant]
            found += [self.by_method(here, quantity) for quantity in shown if here]
        return found

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """What the losses come to that learn from samples, and whether one of them is ahead of flow matching."""
        found = []
        for table in self.tables(records):
            if table.title not in (TABLES, NETWORKS):
                continue
            rows = [row.entries for row in table.without([METHODS[name][0] for name in ("exact", "first-child")]).rows]
            places = [[entries[name] for entries in rows if name in entries] for name in table.columns]
            best = [min(entry.mean or 0.0 for entry in place) for place in places]
            near, which = sum(each <= NEAR for each in best), TABLE if table.title == TABLES else NETWORK
            sentence = f"Learning from samples alone, the best loss brings a {which} within {NEAR:g} of P ∝ R."
            number = f"{span(best)}; within {NEAR:g} on {near} of {len(best)} data sets"
            found.append(Claim(sentence, share_verdict(near, len(best)), number, table.title))
            behind = sum(any(_below(entry, place[0]) for entry in place) for place in places)  # the first row is fm's
            sentence = f"Flow matching brings a {which} as near to P ∝ R as any other loss."
            number = f"{len(best) - behind} of {len(best)} data sets"
            number += "; elsewhere another is nearer, by more than both deviations together" * bool(behind)
            found.append(Claim(sentence, share_verdict(len(best) - behind, len(best)), number, table.title))
        return found


def _below(one: ResultEntry, other: ResultEntry) -> bool:
    """Whether the seeds of one place are below those of another, by more than both deviations."""
    return (one.mean or 0.0) + (one.deviation or 0.0) < (other.mean or 0.0) - (other.deviation or 0.0)


def by_seed(records: Sequence[Record]) -> list[Record]:
    """The records as if each seed had its own."""
    return [
        record | {"key": f"{record['key']}/{seed}", "values": values}
        for record in records
        for seed, values in enumerate(record["values"]["by_seed"])
    ]


def modes_found(space: "StateSpace", instance: "Instance", log_probability: "Doubles") -> float:
    """The share of the modes of R/Z whose most probable subgraph has at least half of its probability."""
    best = [mode.representative for mode in space.modes(instance)]
    return float((log_probability[best] >= space.log_target[best] + np.log(0.5)).mean())


def _listed(
    cell: Cell, model: "GNN", candidates: "Ints", count: int, device: str
) -> "tuple[list[Instance], ExactTargets]":
    """The first of some instances that can be listed, with all their states."""
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.gfn.checkpoint import load_policy
    from gfx_core.gfn.exact_targets import list_first
    from gfx_core.gfn.own_policies import policy_path
    from gfx_core.gfn.settings import policy_config

    data, shipped = load_dataset(cell.dataset), load_policy(policy_path(cell.dataset)).to(device)
    instances = (data.instance(int(index), hops=model.hops) for index in candidates)
    pairs = ((instance, shipped.start_nodes(model, [instance])[0]) for instance in instances)
    found, states = list_first(pairs, model, policy_config(cell.dataset), device, cell.options["cap"], count)
    assert states is not None
    return found, states


def _halves(dataset: str) -> "tuple[Ints, Ints]":
    """Instances of the tuning and of the reporting half, in a random order."""
    from gfx_core.datasets.registry import load_dataset

    rng, explainable = np.random.RandomState(0), load_dataset(dataset).explainable
    first, second = (rng.permutation(half_of(explainable, half)) for half in (Half.TUNING, Half.REPORTING))
    return first, second


def _tables(cell: Cell, knobs: dict[str, Any]) -> dict[str, Any]:
    """Tables on instances of the reporting half, others for each seed; the rate is chosen on the tuning half.

    Options: ``seeds``; ``instances`` of each and ``tuning`` to choose the rate on; ``steps`` and ``batch`` of each
    training; ``rates`` to choose from; ``cap``, the most states of an instance.
    """
    from gfx_core.exact.tabular import TABULAR, ListedTraining, TableFlows
    from gfx_core.gfn.knobs import changed
    from gfx_core.gnn.checkpoint import load_model

    options, each, model = cell.options, cell.options["instances"], load_model(cell.dataset)
    config = changed(replace(TABULAR, batch_size=options["batch"], epochs=options["steps"], max_nodes=10), knobs)

    def trained(space: "StateSpace", rate: float, seed: int) -> TableFlows:
        flows = TableFlows(space, replace(config, lr=rate, seed=seed))
        ListedTraining(flows, flows.config).run()
        return flows

    tuning, reporting = _halves(cell.dataset)
    _, chosen = _listed(cell, model, tuning, options["tuning"], cell.device)
    spaces, tried = chosen.space.alone(), {}
    for rate in options["rates"]:
        tried[rate] = fmean(trained(space, rate, 0).total_variation() for space in spaces)
    rate = min(tried, key=lambda rate: tried[rate])
    instances, states = _listed(cell, model, reporting, each * options["seeds"], cell.device)
    spaces, found = states.space.alone(), []
    for seed in range(options["seeds"]):
        own, began = slice(seed * each, (seed + 1) * each), time.perf_counter()
        flows = [trained(space, rate, seed) for space in spaces[own]]
        seconds = (time.perf_counter() - began) / len(flows)
        modes = [
            modes_found(table.space, instance, table.terminal_distribution())
            for table, instance in zip(flows, instances[own], strict=True)
        ]
        distances = [table.total_variation() for table in flows]
        found.append({"distance": fmean(distances), "modes": fmean(modes), "fit_s": seconds, "distances": distances})
    return {"rate": rate, "tried": tried, "by_seed": found, "config": config.as_dict()}


def _networks(cell: Cell, knobs: dict[str, Any]) -> dict[str, Any]:
    """One network on instances of the tuning half, and how far it is from R/Z on the reporting half.

    Options: ``seeds``; ``train``, how many instances it learns from; ``held_out`` and ``tuning``, on how many of each
    half it is compared; ``epochs``; ``rates`` to choose from, after a third of them; ``cap``.
    """
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.gfn.knobs import changed
    from gfx_core.gfn.settings import FROM_SAMPLES, policy_config
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.gnn.predict import SubgraphPredictor

    options, model, data = cell.options, load_model(cell.dataset), load_dataset(cell.dataset)
    tuning, reporting = _halves(cell.dataset)
    learnt, rest = tuning[: options["train"]], tuning[options["train"] :]
    predictor = SubgraphPredictor(model, [data.instance(int(i), hops=model.hops) for i in learnt], cell.device)
    learning = FROM_SAMPLES
    if cell.method == "exact":
        learning = replace(learning, exact_cap=options["cap"], exact_states=4096, exact_alone=True)
    config = changed(replace(policy_config(cell.dataset), learning=learning), knobs)
    config = replace(config, epochs=max(1, round(options["epochs"] * (1 - config.replay))))  # as many trajectories
    listed_here = partial(_listed, cell, model, device=cell.device)
    _, choosing = listed_here(rest if len(rest) else tuning, options["tuning"])
    few, tried = replace(config, epochs=max(1, config.epochs // 3)), {}
    for each in options["rates"]:
        trainer, _, _ = fitted(predictor, replace(few, lr=each))
        tried[each] = float(choosing.total_variations(trainer.policy).mean())
    rate = min(tried, key=lambda each: tried[each])
    (instances, held_out), (_, seen) = (listed_here(some, options["held_out"]) for some in (reporting, learnt))
    spaces, found = held_out.space.alone(), []
    for seed in range(options["seeds"]):
        trainer, seconds, stopped = fitted(predictor, replace(config, lr=rate, seed=seed))
        log_p = held_out.stops(trainer.policy)
        distances = held_out.space.total_variations(log_p).tolist()
        parts = zip(spaces, instances, held_out.space.parts(log_p), strict=True)
        found.append(
            {
                "distance": fmean(distances),
                "distance_seen": float(seen.total_variations(trainer.policy).mean()),
                "modes": fmean(modes_found(*part) for part in parts),
                "fit_s": seconds,
                "stopped": stopped,
                "distances": distances,
            }
        )
    return {"rate": rate, "tried": tried, "by_seed": found, "config": config.as_dict()}
