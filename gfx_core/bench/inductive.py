"""The paper's claims about learning, each with a verdict: DAG, loss, pretraining, generalisation.

All sides of a claim have the same network, K_M, learning rate, instances, number of sampled trajectories and rule for
edge scores; they differ in what the claim names. (RGExplainer has its own reward, and its pretraining on top.) All
learn from samples alone, without exact targets. They are scored on motifs that they were not trained on, as in the
paper's inductive setting, and only where the GNN is right.

The verdict's rule is `gfx_core.metrics.intervals.verdict`. What it decides is the mean difference over the data sets,
resampled over motifs and seeds, the same resamples for both sides.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from gfx_core.arrays import Ints, spread
from gfx_core.bench.study import Cell, Claim, Study, Sweep, Verdict
from gfx_core.bench.tables import OWN, RG, Quantity, Record, ResultEntry, ResultRow, ResultTable, entry_of, grouped
from gfx_core.config import Task
from gfx_core.drawing.charts import Axes
from gfx_core.gfn.settings import Loss, Parents, PolicyConfig, policy_config
from gfx_core.gnn.checkpoint import model_path
from gfx_core.metrics.intervals import (
    RESAMPLES,
    motif_of,
    resampled_aucs,
    resampled_means,
    resampling,
    verdict,
)

if TYPE_CHECKING:
    from gfx_core.baselines.generators import Generator
    from gfx_core.datasets.instance import Instance

SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5, "70 %": 0.7, "90 %": 0.9}
"""Of the motifs that are trained on, by variant."""
HALF, LEAST = "50 %", "10 %"

SEQUENCE, GRAPH, TB, TB_CONDITIONAL = "gflow_sequence", "gflow_graph", "tb", "tb_conditional"
PLAIN = "rgexplainer_plain"
ABLATIONS: dict[str, tuple[str, Loss, Parents]] = {
    OWN: ("GFlowExplainer", Loss.FLOW_MATCHING, Parents.VALID),
    SEQUENCE: ("GFlow-Sequence, one parent", Loss.FLOW_MATCHING, Parents.SEQUENCE),
    GRAPH: ("GFlow-Graph, all parents", Loss.FLOW_MATCHING, Parents.GRAPH),
    TB: ("Trajectory balance, one log Z", Loss.TRAJECTORY_BALANCE, Parents.VALID),
    TB_CONDITIONAL: ("Trajectory balance, log Z(v₀)", Loss.TRAJECTORY_BALANCE_CONDITIONAL, Parents.VALID),
}
"""Title, loss and parents of each way to train GFlowExplainer."""
GENERALISING = (OWN, SEQUENCE, RG)
"""Trained on every share; the others on half of the motifs."""

BETA = 10.0
"""Of the shipped policies' reward, whose β is 50: so sharp a reward no side learns from so few samples."""
BATCH, ROLLOUTS = 100, 5
"""Trajectories in a step, at most; those of RGExplainer from each start node."""
CANDIDATES, LISTED, CAP = 30, 10, 10_000
"""Of so many instances the first so many are listed that have at most so many states."""


class Contrast(NamedTuple):
    """A claim of the paper: which of two trainings has the better number."""

    sentence: str
    quantity: str  # auc: higher is better; distance: lower is
    better: str
    worse: str
    share: str = HALF


CONTRASTS = (
    Contrast("Counting all valid parents finds motifs better than counting one.", "auc", OWN, SEQUENCE),
    Contrast("Counting all valid parents samples closer to P ∝ R than counting one.", "distance", OWN, SEQUENCE),
    Contrast("Counting valid parents only samples closer to P ∝ R than counting all nodes.", "distance", OWN, GRAPH),
    Contrast("Flow matching finds motifs better than trajectory balance with one log Z.", "auc", OWN, TB),
    Contrast("Flow matching finds motifs better than trajectory balance with log Z(v₀).", "auc", OWN, TB_CONDITIONAL),
    Contrast(
        "Flow matching samples closer to P ∝ R than trajectory balance with log Z(v₀).", "distance", OWN, TB_CONDITIONAL
    ),
    Contrast("RGExplainer finds motifs better with its pretraining than without.", "auc", RG, PLAIN),
    Contrast("GFlowExplainer finds motifs better than RGExplainer without pretraining.", "auc", OWN, PLAIN),
    Contrast("GFlowExplainer, not pretrained, finds motifs better than RGExplainer, pretrained.", "auc", OWN, RG),
    Contrast("Trained on 10 % of the motifs, GFlowExplainer beats RGExplainer on others.", "auc", OWN, RG, LEAST),
    Contrast("Trained on 10 % of the motifs, all valid parents beat one on others.", "auc", OWN, SEQUENCE, LEAST),
)

_DIFFERENCES = "Differences on unseen motifs, with 95 % intervals"


class Inductive(Study):
    """All nodes of a motif are on one side: a policy that has seen one of them has seen them all."""

    name = "inductive"
    title = "Training on some motifs, explaining others"
    short = "Claims"
    question = "How well do trained explainers handle motifs that they were not trained on?"
    datasets: ClassVar = {
        name: Study.datasets[name] for name in ("tree_cycles", "tree_grid", "ba_2motifs", "mutagenicity")
    }
    methods: ClassVar = {
        **{name: title for name, (title, _, _) in ABLATIONS.items()},
        RG: Study.methods[RG],
        PLAIN: Study.methods[PLAIN],
    }
    variants = tuple(SHARES)
    seeds = 5
    options: ClassVar = {"instances": 60, "trajectories": 300}
    quick_options: ClassVar = {"instances": 6, "trajectories": 8}
    costs: ClassVar = {"ba_2motifs": 2.0, "mutagenicity": 3.0}
    code = (
        "gfx_core.baselines.generators",
        "gfx_core.baselines.rgexplainer",
        "gfx_core.gfn.objectives",
        "gfx_core.gfn.policy",
        "gfx_core.gfn.sampler",
        "gfx_core.gfn.trainer",
        "gfx_core.metrics.edges",
        "gfx_core.metrics.intervals",
    )
    shown = (
        Quantity("auc", "AUC on unseen motifs, by share of motifs trained on (edge marginals of 64 samples)", "high"),
        Quantity("distance", "Total variation from P ∝ R on unseen motifs that can be listed", "low"),
        Quantity("auc_order", "AUC on unseen motifs by the paper's rule (order weights of a greedy sample)", "high"),
    )
    axes = Axes("share", "share trained on", {"auc": "AUC, not trained on"}, points=True)

    def cells(self, sweep: Sweep) -> list[Cell]:
        return [
            cell
            for cell in super().cells(sweep)
            if cell.variant == HALF or (cell.method in GENERALISING and not sweep.quick)
        ]

    def compute(self, cell: Cell) -> dict[str, Any]:
        return score_unseen(cell)

    def weights(self, cell: Cell) -> list[Path]:
        return [model_path(cell.dataset)]

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """The differences that decide, then what they are differences of."""
        found = ((contrast.sentence, differences(records, contrast)) for contrast in CONTRASTS)
        rows = [ResultRow(sentence, entries) for sentence, entries in found if entries]
        columns = {**self.columns(records), ALL: "All data sets"}
        decided = [ResultTable(_DIFFERENCES, columns, rows, counts=False)] if rows else []
        return decided + super().tables(records)

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """A verdict for each claim, over all data sets."""
        found = []
        for contrast in CONTRASTS:
            if ALL in (entries := differences(records, contrast)):
                entry, is_auc = entries[ALL], contrast.quantity == "auc"
                unit, sign = ("AUC", "+") if is_auc else ("total variation lower by", "")
                low, high = entry.interval or (0.0, 0.0)
                number = f"{unit} {entry.values[0]:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]".replace("-", "−")
                other = [name for name, each in entries.items() if verdict(each.resampled) == "does not hold here"]
                decided: Verdict = verdict(entry.resampled)
                if other and decided != "does not hold here":
                    number += f"; false on {self.listed(other)}"
                    decided = "partly holds" if decided == "holds" else decided
                found.append(Claim(contrast.sentence, decided, number, _DIFFERENCES))
        return found

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """The mean over the seeds by share."""
        found = {share: entry_of((r for r in records if r["variant"] == share), "auc").mean for share in SHARES}
        known = {SHARES[share]: mean for share, mean in found.items() if mean is not None}
        return {"share": list(known), "auc": list(known.values())}


ALL = "all"


def differences(records: Sequence[Record], contrast: Contrast) -> dict[str, ResultEntry]:
    """What decides a claim, above 0 if it is true: by data set and over `ALL`, from the seeds that both sides have."""
    found: dict[str, ResultEntry] = {}
    for (dataset,), here in grouped(records, "dataset").items():
        better, worse = (
            {
                record["seed"]: record["values"]
                for record in here
                if (record["method"], record["variant"]) == (method, contrast.share)
                and contrast.quantity in record["values"]
            }
            for method in (contrast.better, contrast.worse)
        )
        seeds = [
            seed for seed in better if contrast.quantity in better[seed] and contrast.quantity in worse.get(seed, {})
        ]
        if not seeds:
            continue
        sign = -1 if contrast.quantity == "distance" else 1
        value = np.mean([better[seed][contrast.quantity] - worse[seed][contrast.quantity] for seed in seeds])
        one, other = (
            np.array([side[seed]["resampled"][contrast.quantity].split() for seed in seeds], dtype=np.float64)
            for side in (better, worse)
        )  # [seeds, B]
        chosen = np.random.RandomState(1).randint(len(seeds), size=(RESAMPLES, len(seeds)))
        resampled = np.nanmean((one - other)[chosen, np.arange(RESAMPLES)[:, None]], axis=1)
        found[dataset] = ResultEntry((sign * float(value),), resampled=tuple(sign * resampled))
    if found:
        every = list(found.values())
        resampled = np.mean([entry.resampled for entry in every], axis=0)
        found[ALL] = ResultEntry((float(np.mean([entry.values for entry in every])),), resampled=tuple(resampled))
    return found


def score_unseen(cell: Cell) -> dict[str, Any]:
    """Train on a share of the motifs, and score instances of the others.

    Options: ``device``; ``instances``, of how many the share is trained on, and how many are scored at most;
    ``trajectories``, how many are sampled from each instance.
    """
    from gfx_core.baselines.edge_scores import edge_marginals, order_weights
    from gfx_core.bench.reasons import answers_right
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.metrics.edges import pooled_auc, truth_edges, undirected_scores

    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset).to(cell.device)
    every = [dataset.instance(int(index), hops=model.hops) for index in dataset.explainable]
    owner, share, most = np.array(list(map(motif_of, every))), SHARES[cell.variant], cell.options["instances"]
    sides = split_motifs(owner, share, cell.seed)
    train, others = spread(sides[0], max(1, round(share * most))), spread(sides[1], most)
    others = others[answers_right(model, [every[i] for i in others])]
    counts = resampling(np.unique(owner))[:, np.searchsorted(np.unique(owner), owner[others])]  # of all motifs
    test = [every[i] for i in others]

    method = learner(cell, model, dataset.task)
    method.fit([every[i] for i in train])
    marginals = [edge_marginals(*each) for each in zip(test, method.draw(test).orders, strict=True)]
    by_order = [order_weights(*each) for each in zip(test, method.greedy(test), strict=True)]
    wanted = [truth_edges(instance, "own") for instance in test]
    scores = [undirected_scores(*each) for each in zip(test, marginals, strict=True)]
    values = {
        "trained": len(train),
        "scored": len(test),
        "fit_s": method.fit_seconds,
        "auc": pooled_auc(test, marginals),
        "auc_order": pooled_auc(test, by_order),
    }
    resampled = {"auc": resampled_aucs(wanted, scores, counts)}
    if cell.method in ABLATIONS and cell.variant == HALF and (found := distances(method, test)):
        values["distance"] = float(np.mean(list(found.values())))
        resampled["distance"] = resampled_means(list(found.values()), counts[:, list(found)])
    return values | {"resampled": {name: " ".join(f"{each:.4f}" for each in some) for name, some in resampled.items()}}


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
    inside = np.isin(owner, order[:count])
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def learner(cell: Cell, model: Any, task: Task) -> "Generator":
    """What a cell trains: as many trajectories of each instance for all, at most `BATCH` in a step."""
    from gfx_core.baselines.generators import Generator, GFlowMethod
    from gfx_core.baselines.registry import chosen_settings, make_method
    from gfx_core.gfn.instances import STARTS_PER_GRAPH

    epochs = max(1, cell.options["trajectories"] // (1 if task is Task.NODE else STARTS_PER_GRAPH))
    if cell.method in ABLATIONS:  # as the shipped policies, but from samples alone and of the paper's width
        _, loss, parents = ABLATIONS[cell.method]
        config = policy_config(cell.dataset).sampled.with_options(loss=loss, parents=parents, epochs=epochs)
        config = replace(config, policy=PolicyConfig(), lr=1e-2, batch_size=BATCH)
        config = replace(config, reward=replace(config.reward, beta=BETA))
        return GFlowMethod(model, config=config, seed=cell.seed, device=cell.device)
    settings = chosen_settings(cell.method, cell.dataset, model.name)
    settings |= {"batch_size": BATCH // ROLLOUTS, "rollouts": ROLLOUTS, "epochs": max(1, epochs // ROLLOUTS)}
    made = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device)
    assert isinstance(made, Generator)
    return made


def distances(method: "Generator", instances: Sequence["Instance"]) -> dict[int, float]:
    """Total variation from R/Z of some instances whose states can be listed, by their number.

    In a graph task subgraphs start at the first node of the motif, the same for all trainings.
    """
    from gfx_core.gfn.exact_targets import list_first

    starts = [int(np.argmax(i.own_nodes)) if i.target is None else i.target for i in instances]
    candidates = [(instances[n], starts[n]) for n in spread(np.arange(len(instances)), CANDIDATES)]
    trained = method.generating_policy()
    listed, states = list_first(candidates, method.model, trained.config, method.device, CAP, LISTED)
    if states is None:
        return {}
    number = {instance.index: number for number, instance in enumerate(instances)}
    found = states.total_variations(trained.policy).tolist()
    return {number[instance.index]: distance for instance, distance in zip(listed, found, strict=True)}
