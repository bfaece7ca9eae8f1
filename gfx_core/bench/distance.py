"""How far policies are from P ∝ R on instances that they never saw.

The policies of this study learn from the tuning half alone, with exact targets or from samples; instances of the
reporting half decide. Beside them are the shipped policy, which has seen both halves, and one that never learnt. All of
them start at the same nodes: the explained one or, in graph tasks, the one that the shipped locator finds most
influential. Where all subgraphs can be listed, the total variation from R/Z is exact, and so is the gap log Z − ELBO.
Everywhere else the gap is estimated from trajectories (`gfx_core.gfn.evidence`); on the listed instances one sees how
good that estimate is.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gfx_core.arrays import spread
from gfx_core.bench.study import Cell, Claim, Study, Sweep, share_verdict
from gfx_core.bench.tables import (
    CLOSE,
    SILENT,
    UNTRAINED,
    Quantity,
    Record,
    ResultRow,
    ResultTable,
    entries_of,
    means,
)
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.registry import listed

if TYPE_CHECKING:
    from gfx_core.datasets.instance import Instance
    from gfx_core.gfn.checkpoint import TrainedPolicy
    from gfx_core.gfn.exact_targets import ExactTargets
    from gfx_core.gfn.settings import GFNConfig
    from gfx_core.gfn.trainer import Trainer
    from gfx_core.gnn.models import GNN
    from gfx_core.gnn.predict import SubgraphPredictor

EXACT, SAMPLES, SHIPPED = "exact", "samples", "shipped"
NEAR = 0.1
"""The mean total variation up to which a policy counts as near P ∝ R."""

_LISTED = "listed instances of the reporting half"
ESTIMATED = "The same gap, estimated from trajectories"
AUC = Quantity("auc", f"AUC of the edge marginals, {_LISTED}, the same start nodes", "high")
SHOWN = (
    Quantity("distance", f"Total variation from R/Z, {_LISTED}", "low", close=0),
    Quantity("distance_seen", "The same on the tuning half, which all but the control were trained on", "low", close=0),
    AUC,
    Quantity("gap", f"Gap log Z − ELBO, exact, {_LISTED}", "low", close=0),
    Quantity("gap_listed", ESTIMATED, "low", close=0),
    Quantity("gap_unlisted", "Estimated gap where states cannot be listed", "low", close=0),
    Quantity("effective_unlisted", "Effective sample size of that estimate, as a share", "high", 2),
)
CODE = ("gfx_core.exact.state_space", "gfx_core.gfn.evidence", "gfx_core.gfn.exact_targets", "gfx_core.gfn.objectives")
"""What decides the numbers of this study and of that of losses."""


class Distance(Study):
    name = "distance"
    title = "Distance from P ∝ R"
    short = "Distance"
    question = "How far are policies from P ∝ R on instances that they never saw, with and without exact targets?"
    datasets: ClassVar = {name: Study.datasets[name] for name in listed() if name in Study.datasets}
    any_dataset = False  # it needs a shipped policy
    methods: ClassVar = {
        EXACT: "Tuning half only, exact targets",
        SAMPLES: "Tuning half only, samples alone",
        SHIPPED: "Shipped policy, has seen both halves",
        UNTRAINED: "Control: untrained policy",
    }
    seeds = 3
    options: ClassVar = {
        "cap": 20_000,  # instances with more subgraphs than this are not listed
        "held_out": 120,  # instances of the reporting half, evenly spread
        "seen": 60,  # the same of the tuning half
        "trajectories": 256,  # of each instance, for the estimate
        "epochs": 200,  # of samples alone
    }
    quick_options: ClassVar = {"cap": 3_000, "held_out": 3, "seen": 2, "trajectories": 16, "epochs": 1, "train": 4}
    costs: ClassVar = {EXACT: 3.0, SAMPLES: 2.0}
    shown, code = SHOWN, CODE

    def number_of_seeds(self, method: str, sweep: Sweep) -> int:
        return 1 if method in (SHIPPED, UNTRAINED) else super().number_of_seeds(method, sweep)

    def compute(self, cell: Cell) -> dict[str, Any]:
        """Train a policy, or load it, and hold it against R/Z.

        Options: ``device``; ``cap``; ``held_out`` and ``seen``, how many instances of each half, evenly spread;
        ``trajectories`` of each for the estimate; ``epochs`` of a training from samples, twice as many with exact
        targets, whose steps are cheaper; ``train``, only so many instances to learn from.
        """
        from gfx_core.datasets.registry import load_dataset
        from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy
        from gfx_core.gfn.exact_targets import list_first
        from gfx_core.gfn.own_policies import policy_path
        from gfx_core.gfn.settings import FROM_SAMPLES, policy_config
        from gfx_core.gfn.trainer import Trainer
        from gfx_core.gnn.checkpoint import load_model
        from gfx_core.gnn.predict import SubgraphPredictor

        options, dataset, model = cell.options, load_dataset(cell.dataset), load_model(cell.dataset)
        shipped = load_policy(policy_path(cell.dataset)).to(cell.device)

        def instances(half: Half, limit: int | None) -> "list[Instance]":
            chosen = spread(half_of(dataset.explainable, half), limit)
            return [dataset.instance(int(index), hops=model.hops) for index in chosen]

        trained, values = shipped, dict[str, Any]()
        if cell.method != SHIPPED:
            learnt = instances(Half.TUNING, options.get("train"))
            config = replace(policy_config(cell.dataset, device=cell.device), seed=cell.seed)
            if cell.method != EXACT:
                config = replace(config, learning=FROM_SAMPLES, lr=1e-2)
            config = replace(config, epochs=options["epochs"] * (2 if cell.method == EXACT else 1))
            predictor = SubgraphPredictor(model, learnt, cell.device)
            if cell.method == UNTRAINED:
                trainer = Trainer(predictor, config)
                trainer.begin_high(walks=4)
            else:
                trainer, values["fit_s"], values["stopped"] = fitted(predictor, config)
            trained = TrainedPolicy.of(trainer, cell.dataset)
        values["config"] = trained.config.as_dict()
        for name, half, limit in (("", Half.REPORTING, "held_out"), ("_seen", Half.TUNING, "seen")):
            every = instances(half, options[limit])
            pairs = list(zip(every, shipped.start_nodes(model, every), strict=True))
            found, states = list_first(pairs, model, trained.config, cell.device, options["cap"])
            values |= {f"instances{name}": len(every), f"listed{name}": len(found) / len(every)}
            if states is not None:
                distances = states.total_variations(trained.policy)
                values |= {f"distance{name}": float(distances.mean()), f"distances{name}": distances.tolist()}
            if half is Half.TUNING:
                continue
            known = {instance.index for instance in found}
            for where, inside in (("_listed", True), ("_unlisted", False)):
                some = [pair for pair in pairs if (pair[0].index in known) is inside]
                values |= _estimated(some, model, trained, shipped, cell, where) if some else {}
            if states is not None:
                values["gap"] = float(states.space.gaps(states.walk(trained.policy)).mean())
                values |= _aucs(found, states, trained, model)
        return values

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """A table for each number; how many instances could be listed, and the AUC of exact P ∝ R, stand below."""
        one = list({record["dataset"]: record for record in records}.values())  # the same in all of a data set
        share = ResultRow("Share that can be listed", entries_of(one, Quantity("listed")), 2, compared=False)
        exact = ResultRow("Exact P ∝ R", entries_of(one, Quantity("auc_exact")), compared=False)
        more = {SHOWN[0].title: [share], AUC.title: [exact]}
        why = (
            "The study of AUC has other numbers: its marginals come from 64 samples, which leave rare edges at 0. "
            "It has 30 instances of each GNN, and in graphs its samples start at several nodes."
        )
        motifs = (
            "Only instances with a motif are counted: policies learn from these alone. On others the shipped policy "
            "often misses: the explorer checks this for each answer, and computes it exactly where it can."
        )
        notes = {SHOWN[0].title: [motifs], AUC.title: [why]}
        found = []
        for table in super().tables(records):
            seen = table.title == SHOWN[1].title  # there all have seen the instances, not only the shipped policy
            rows = [replace(row, compared=seen or row.label != self.methods[SHIPPED]) for row in table.rows]
            whole = replace(table, rows=[*rows, *more.get(table.title, [])], notes=notes.get(table.title, []))
            why = f"The untrained policy is level with the best or above it: {self.listed(whole.silent)}."
            found.append(whole.marked(SILENT, whole.silent, why))
        return found

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """Whether policies generalise, with and without exact targets; whether the estimate can be trusted; the AUC."""
        far, found = means(records, "distance"), []
        for way, how in ((EXACT, "with exact targets"), (SAMPLES, "from samples alone")):
            known = [by_way[way] for by_way in far.values() if way in by_way]
            near = sum(each <= NEAR for each in known)
            sentence = f"Trained {how} on one half, policies are within {NEAR:g} of P ∝ R on the other half."
            number = f"{span(known)}; within {NEAR:g} on {near} of {len(known)} data sets" if known else ""
            found += [Claim(sentence, share_verdict(near, len(known)), number, SHOWN[0].title)] if known else []
        exact, guess = (means(records, name) for name in ("gap", "gap_listed"))
        pairs = [(exact[name][way], guess[name][way]) for name in exact for way in exact[name]]
        right = sum(abs(one - other) <= 0.1 + 0.1 * one for one, other in pairs)
        number = f"within .1 nats plus 10 % in {right} of {len(pairs)} places"
        sentence = "Trajectories alone estimate the gap log Z − ELBO that a list of all states gives."
        found += [Claim(sentence, share_verdict(right, len(pairs)), number, ESTIMATED)] if pairs else []
        auc, best = (means(records, name) for name in ("auc", "auc_exact"))
        silent = [name for table in self.tables(records) if table.title == AUC.title for name in table.silent]
        shipped = [name for name in auc if SHIPPED in auc[name] and name not in silent]
        level = [auc[name][SHIPPED] >= best[name][SHIPPED] - CLOSE for name in shipped]
        sentence = "The shipped policy has the AUC of exact P ∝ R on the same instances and start nodes."
        number = f"level or above on {sum(level)} of {len(level)} data sets"
        number += f"; {len(silent)} more cannot separate policies" if silent else ""
        found += [Claim(sentence, share_verdict(sum(level), len(level)), number, AUC.title)] if level else []
        return found

    def weights(self, cell: Cell) -> list[Path]:
        """The GNN's, and those of the shipped policy, which chooses start nodes."""
        from gfx_core.gfn.own_policies import policy_path
        from gfx_core.gnn.checkpoint import model_path

        return [model_path(cell.dataset), policy_path(cell.dataset)]


def span(values: Sequence[float]) -> str:
    """The smallest and the largest of some total variations."""
    return f"total variation {min(values):.3f} to {max(values):.3f}".replace(" 0.", " .")


def fitted(predictor: "SubgraphPredictor", config: "GFNConfig") -> "tuple[Trainer, float, str | None]":
    """A training, its seconds with those of listing, and why it stopped before its end, if it did.

    Where no targets are exact, flows begin high: at the best reward of a few random walks.
    """
    import torch

    from gfx_core.gfn.trainer import NotANumberError, Trainer

    began, stopped = time.perf_counter(), None
    trainer = Trainer(predictor, config)
    if trainer.exact is None:
        trainer.begin_high(walks=4)
    try:
        trainer.fit()
    except NotANumberError as error:
        stopped = str(error)
    if predictor.device.type == "cuda":
        torch.cuda.synchronize()
    return trainer, time.perf_counter() - began, stopped


def _estimated(
    pairs: "Sequence[tuple[Instance, int]]",
    model: "GNN",
    trained: "TrainedPolicy",
    shipped: "TrainedPolicy",
    cell: Cell,
    where: str,
) -> dict[str, float]:
    """The gap that trajectories from some start nodes give, and their effective sample size, the means.

    A policy does not see what it never samples. Each estimate of log Z is too small rather than too large, so the
    larger one counts: the policy's own, or that of the shipped policy.
    """
    from gfx_core.gfn.evidence import estimate
    from gfx_core.gfn.instances import FlowGraphs
    from gfx_core.gfn.rewards import Reward
    from gfx_core.gnn.predict import SubgraphPredictor

    predictor = SubgraphPredictor(model, [instance for instance, _ in pairs], cell.device)
    graphs, starts = FlowGraphs(predictor, trained.config.policy), np.array([start for _, start in pairs])
    reward, count = Reward(predictor, trained.config.reward), cell.options["trajectories"]
    own, other = (estimate(each.policy, graphs, starts, reward, count, cell.seed) for each in (trained, shipped))
    gap = np.maximum(own.log_z, other.log_z) - own.elbo
    effective = np.where(own.log_z < other.log_z, other.effective, own.effective)
    return {f"gap{where}": float(gap.mean()), f"effective{where}": float(effective.mean())}


def _aucs(
    instances: "Sequence[Instance]", states: "ExactTargets", trained: "TrainedPolicy", model: "GNN"
) -> dict[str, Any]:
    """AUC of the edge marginals of exact P ∝ R and of a policy, on instances that the GNN predicts right."""
    from gfx_core.gnn.predict import SubgraphPredictor
    from gfx_core.metrics.edges import pooled_auc

    space, predicted = states.space, SubgraphPredictor(model, instances, states.device).whole.predicted.tolist()
    right = [n for n, instance in enumerate(instances) if predicted[n] == instance.y]
    values: dict[str, Any] = {"scored": len(right)}
    for name, log_p in (("auc_exact", space.log_target), ("auc", states.stops(trained.policy))):
        parts = space.parts(np.exp(log_p))
        masks = [space.edge_marginals(instances[n], parts[n], n) for n in right]
        values[name] = pooled_auc([instances[n] for n in right], masks)
    return {name: value for name, value in values.items() if value is not None}
