"""What the records of a study say, in sentences that follow the numbers."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gfx_core.bench.auc import TITLES
from gfx_core.bench.cells import Record
from gfx_core.bench.convergence import OWN_METHODS as TRAININGS
from gfx_core.bench.inductive import OWN_METHODS as LEARNERS
from gfx_core.bench.inductive import SHARES
from gfx_core.bench.tables import Value, value_of
from gfx_core.bench.times import TOLERANCE
from gfx_core.datasets.registry import DATASETS
from gfx_core.explainers.registry import METHODS

CLOSE = 0.01
"""Two AUCs or fidelities that differ by less are called equal."""

OWN, RG = "gflowexplainer", "rgexplainer"

Means = dict[str, dict[str, float]]
"""By data set and method, in the registry's order of data sets."""


@dataclass(frozen=True)
class Verdict:
    """One thing that the numbers say.

    Attributes:
        about: What it is about, in a word or two.
        short: The sentence.
        detail: The numbers behind it.
    """

    about: str
    short: str
    detail: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (f"**{self.about}.**", self.short, self.detail)))


def means(records: Sequence[Record], value: Value, variant: str = "") -> Means:
    """A number of one variant, the mean over the seeds."""
    found: dict[str, dict[str, list[float]]] = {}
    for record in records:
        number = value_of(record, value)
        if number is not None and record["variant"] == variant:
            found.setdefault(record["dataset"], {}).setdefault(record["method"], []).append(number)
    return {d: {m: statistics.fmean(v) for m, v in found[d].items()} for d in DATASETS if d in found}


def asked(by_method: Mapping[str, float], uses_gnn: bool = True) -> dict[str, float]:
    """Those of the methods that ask the GNN, or those that never do."""
    return {method: value for method, value in by_method.items() if METHODS[method].uses_gnn is uses_gnn}


def quality(records: Sequence[Record]) -> list[Verdict]:
    """Ranks by AUC, and the heuristics that never ask the GNN."""
    found = means(records, "auc_own")
    return [ranks(found), heuristics(found)]


def ranks(found: Means) -> Verdict:
    """Where GFlowExplainer stands among the methods that ask the GNN."""
    said, firsts = [], 0
    for dataset, by_method in found.items():
        rivals = asked(by_method)
        if OWN not in rivals:
            continue
        own = rivals[OWN]
        better = sorted((m for m in rivals if rivals[m] > own), key=lambda m: -rivals[m])
        firsts += not better
        ahead = ", ".join(f"{TITLES[m]} {rivals[m]:.3f}" for m in better)
        said.append(f"{TITLES[dataset]} {own:.3f}, {f'behind {ahead}' if better else 'first'}")
    return Verdict(
        "Ranks",
        f"Among the methods that ask the GNN, GFlowExplainer (edge marginals, AUC of the own motif) is first on "
        f"{firsts} of {len(said)} data sets.",
        f"{'; '.join(said)}.",
    )


def heuristics(found: Means) -> Verdict:
    """Where a method that never asks the GNN does as well."""
    said, close = [], []
    for dataset, by_method in found.items():
        blind, rivals = asked(by_method, False), asked(by_method)
        if not blind or not rivals:
            continue
        best, first = max(blind, key=blind.__getitem__), max(rivals, key=rivals.__getitem__)
        said.append(f"{TITLES[dataset]}: {TITLES[best]} {blind[best]:.3f}, {TITLES[first]} {rivals[first]:.3f}")
        if OWN in by_method and blind[best] >= by_method[OWN] - CLOSE:
            close.append(TITLES[dataset])
    verdict = f"does as well as GFlowExplainer, or better, on {', '.join(close)}" if close else "is behind everywhere"
    return Verdict(
        "Without asking the GNN",
        f"The best of the heuristics that never ask the GNN {verdict} (within {CLOSE}).",
        f"Best heuristic against best explainer: {'; '.join(said)}. Where a heuristic is as good, the data set tells "
        "explainers apart only by their mistakes.",
    )


def ceilings(records: Sequence[Record]) -> list[Verdict]:
    """Whether the reward or the training holds GFlowExplainer back."""
    said, trained = [], []
    for record in records:
        values, dataset = record["values"], record["dataset"]
        if values.get("auc_exact") is None:
            continue
        exact, policy, apart = values["auc_exact"], values["auc_policy"], values["distance_mean"]
        if policy < exact - CLOSE:
            why = "training is what is missing"
        else:
            trained.append(TITLES[dataset])
            why = "the policy is at its own target or above it, so the reward on this GNN is the ceiling"
        said.append(
            f"{TITLES[dataset]} ({values['enumerated']} of {values['instances']} instances): exact P ∝ R {exact:.3f}, "
            f"exact best subgraph {values['auc_best']:.3f}, policy {policy:.3f} at a total variation of {apart:.3f}; "
            f"{why}"
        )
    if not said:
        return [Verdict("The ceiling", "Not measured yet: run `python -m gfx_core bench ceiling`.")]
    return [
        Verdict(
            "The ceiling",
            "On the instances of which every subgraph can be listed, exact P ∝ R is what perfect training would give. "
            f"On {len(trained)} of {len(said)} data sets the policy is at this target or above it: there the reward on "
            "this GNN holds it back, not the training.",
            f"{'; '.join(said)}.",
        )
    ]


def fidelity(records: Sequence[Record]) -> list[Verdict]:
    """Whether what GFlowExplainer names is sufficient for the GNN's answer, and whether it is necessary."""
    said, counts = [], []
    for value, sign, kind in (("fidelity_minus", -1, "sufficient"), ("fidelity_plus", 1, "necessary")):
        found = {d: asked(by_method) for d, by_method in means(records, value).items() if OWN in by_method}
        first = [TITLES[d] for d, m in found.items() if sign * m[OWN] >= max(sign * v for v in m.values()) - CLOSE]
        names = f": {', '.join(first)}" if first else ": nowhere"
        counts.append(f"the most {kind} on {len(first)} of {len(found)}")
        said.append(f"{kind}{names}")
    return [
        Verdict(
            "Fidelity",
            "Edges are sufficient if the GNN's answer stays with the k best ones alone (fidelity− is low), and "
            "necessary if it goes when they are taken away (fidelity+ is high). Among the methods that ask the GNN, "
            f"GFlowExplainer's edges are {' and '.join(counts)} data sets (within {CLOSE}).",
            f"The most {'; the most '.join(said)}.",
        )
    ]


def inductive(records: Sequence[Record]) -> list[Verdict]:
    """How much is lost when few motifs are trained on."""
    least, *_, most = SHARES
    low, high = means(records, "auc_test", least), means(records, "auc_test", most)
    said = []
    for method, title in LEARNERS.items():
        gains = {d: high[d][method] - low[d][method] for d in low if method in low[d] and method in high.get(d, {})}
        if gains:
            where = max(gains, key=lambda d: abs(gains[d]))
            said.append(f"{title} by {gains[where]:+.3f} at most ({TITLES[where]})")
    if not said:
        return []
    both = [d for d in low if OWN in low[d] and RG in low[d]]
    ahead = [TITLES[d] for d in both if low[d][OWN] > low[d][RG]]
    names = f" ({', '.join(ahead)})" if ahead else ""
    return [
        Verdict(
            "Unseen motifs",
            f"With {least} of the motifs trained on GFlowExplainer is ahead of RGExplainer on {len(ahead)} of "
            f"{len(both)} data sets{names}.",
            f"From {least} to {most} the AUC on the others changes: {'; '.join(said)}.",
        )
    ]


def convergence(records: Sequence[Record]) -> list[Verdict]:
    """Which training comes nearest to its target."""
    said: list[str] = []
    nearest: dict[str, list[str]] = {}
    for dataset, by_method in means(records, "distance", "shipped").items():
        order = sorted(by_method, key=by_method.__getitem__)
        nearest.setdefault(TRAININGS[order[0]], []).append(TITLES[dataset])
        said.append(f"{TITLES[dataset]}: {', '.join(f'{TRAININGS[m]} {by_method[m]:.3f}' for m in order)}")
    if not said:
        return []
    near = {training: ", ".join(where) for training, where in nearest.items()}
    return [
        Verdict(
            "Distance from R/Z",
            f"With the shipped settings {'; '.join(f'{name} comes nearest on {at}' for name, at in near.items())}.",
            f"Total variation, nearest first. {'; '.join(said)}.",
        )
    ]


def times(records: Sequence[Record]) -> list[Verdict]:
    """GFlowExplainer against RGExplainer: one explanation, a training, and a training to the last AUC."""
    said, counts = [], []
    for value, words in {
        "explain_ms": "to explain one instance alone",
        "explain_many_ms": "to explain an instance among all",
        "fit_s": "to train, RGExplainer's pretraining included",
        "reached_s": f"to train until the AUC stays at most {TOLERANCE} below its last value",
    }.items():
        pairs = {d: m for d, m in means(records, value).items() if OWN in m and RG in m}
        if pairs:
            ratios = {d: m[OWN] / m[RG] for d, m in pairs.items()}
            counts.append(f"on {sum(ratio < 1 for ratio in ratios.values())} of {len(ratios)} data sets {words}")
            said.append(f"{words} {', '.join(f'{TITLES[d]} {ratio:.2f}' for d, ratio in ratios.items())}")
    if not said:
        return []
    return [
        Verdict(
            "Time",
            f"GFlowExplainer takes less time than RGExplainer {'; '.join(counts)}.",
            f"Its time as a multiple of RGExplainer's: {'; '.join(said)}.",
        )
    ]


def tuning(records: Sequence[Record]) -> list[Verdict]:
    """How much nearer the policies came."""
    before, after = (means(records, f"distance_{when}") for when in ("before", "after"))
    pairs = [f"{TITLES[d]} from {before[d][OWN]:.3f} to {after[d][OWN]:.3f}" for d in before if d in after]
    if not pairs:
        return []
    halved = sum(after[d][OWN] <= before[d][OWN] / 2 for d in after)
    return [
        Verdict(
            "Distance from R/Z",
            f"Trained further on a single instance, the policy at least halves its distance there on {halved} of "
            f"{len(pairs)} data sets.",
            f"Total variation: {'; '.join(pairs)}.",
        )
    ]


VERDICTS: dict[str, Callable[[Sequence[Record]], list[Verdict]]] = {
    "auc": quality,
    "ceiling": ceilings,
    "fidelity": fidelity,
    "time": times,
    "inductive": inductive,
    "convergence": convergence,
    "tuning": tuning,
}
"""Paragraphs by study, in Markdown."""
