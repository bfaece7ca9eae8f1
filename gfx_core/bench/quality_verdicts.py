"""What the records of quality say: ranks among explainers, controls, the paper's scoring rule, the GNN's reasons."""

from collections.abc import Mapping, Sequence

from gfx_core.bench.cells import Record
from gfx_core.bench.protocol import ENOUGH
from gfx_core.bench.quality_tables import fullest_records, named_parts, of_part, other_reasons, ruled
from gfx_core.bench.standing import standing
from gfx_core.bench.study import Study
from gfx_core.bench.tables import entry_of
from gfx_core.bench.verdicts import (
    CLOSE,
    OWN,
    RG,
    Means,
    Verdict,
    ahead,
    asked,
    best_of,
    is_control,
    level,
    means,
    out_of,
    tell_nothing,
)
from gfx_core.text.numbers import listed


def ranks(study: Study, records: Sequence[Record]) -> Verdict | None:
    """Where GFlowExplainer stands among the methods that ask the GNN; ties are ties, and empty columns do not count."""
    known = means(records, "auc_own")
    found = {name: by for name, by in known.items() if OWN in by and len(asked(by)) > 1}  # a rank is among others
    if not found:
        return None
    stands, said = standing(found), []
    for dataset, by_method in found.items():
        own = by_method[OWN]
        others = asked({m: value for m, value in by_method.items() if m != OWN})
        near = {m: value for m, value in _sorted(others).items() if level(value, own)}
        better = {m: value for m, value in _sorted(others).items() if ahead(value, own)}
        words = (
            f"behind {study.numbered(better)}" if better else f"level with {study.numbered(near)}" if near else "first"
        )
        if dataset in stands.silent:
            words += " (a control is as good: does not count)"
        said.append(f"{study.titles[dataset]} {own:.3f}, {words}")
    if not stands.telling:
        finding = "No data set that was measured can tell explainers apart"
    else:
        parts = [f"finds the true motif best on {out_of(len(stands.first), stands.telling)}"]
        parts[0] += f" that can tell explainers apart{_in_brackets(study, stands.first)}"
        if shared := stands.level:
            parts.append(f"shares the first place (within {CLOSE}) on {len(shared)}{_in_brackets(study, shared)}")
        if stands.behind:
            best = {name: next(iter(_sorted(asked(found[name])))) for name in stands.behind}
            where = [f"{study.titles[name]}, where {study.titles[who]} does better" for name, who in best.items()]
            parts.append(f"is behind on {len(best)} ({'; '.join(where)})")
        finding = f"GFlowExplainer {listed(parts)}"
    if stands.silent:
        finding += (
            f". {study.listed(stands.silent)} cannot tell: there a control, which cannot know the GNN's reasons, does "
            "as well as the best explainer"
        )
    return Verdict(
        "Ranks",
        f"{finding}.{_absent(study, records)}",
        f"AUC of the own motif among the methods that ask the GNN: {'; '.join(said)}.",
    )


def controls(study: Study, records: Sequence[Record]) -> Verdict | None:
    """Where a control does as well as the best explainer."""
    found = means(records, "auc_own")
    silent, said = tell_nothing(found), []
    for dataset, by_method in found.items():
        best = [best_of(asked(by_method, False)), best_of(asked(by_method))]
        if None not in best:
            said.append(f"{study.titles[dataset]}: {study.numbered({name: by_method[name] for name in best if name})}")
    if not said:
        return None
    if silent:
        verb = "tells" if len(silent) == 1 else "tell"
        finding = (
            f"{study.listed(silent)} {verb} nothing of explainers: a control comes within {CLOSE} of the best there, "
            "or beats it."
        )
    else:
        finding = (
            f"Every data set tells explainers from controls: no control comes within {CLOSE} of the best explainer."
        )
    return Verdict(
        "Controls",
        finding + _absent(study, records, controls=True),
        "Controls are heuristics that never ask the GNN, GFlowExplainer before its training, and GFlowExplainer "
        f"trained on a GNN that always gives the same answer. Best control, best explainer: {'; '.join(said)}.",
    )


def top_k(study: Study, records: Sequence[Record]) -> Verdict | None:
    """Where GFlowExplainer stands if only the first k edges count, and where a control is ahead of it."""
    found = {name: by for name, by in means(records, "topk_own").items() if OWN in by and len(asked(by)) > 1}
    if not found:
        return None
    told = standing(found).told(study, ("first", "level with the best", "behind"))
    blind, said = [], []
    for dataset, by_method in found.items():
        best, control = best_of(asked(by_method)), best_of(asked(by_method, False))
        if control and ahead(by_method[control], by_method[OWN]):
            blind.append(f"{study.titles[dataset]} ({study.titles[control]})")
        named = dict.fromkeys(name for name in (OWN, best, control) if name)
        said.append(f"{study.titles[dataset]}: {study.numbered({name: by_method[name] for name in named})}")
    finding = f"GFlowExplainer is {told}" if told else "no data set can tell explainers apart"
    return Verdict(
        "Top-k accuracy",
        f"If only the k best edges count, k as many as the motif has, {finding} (within {CLOSE}: level)."
        + (f" A control, which cannot know the GNN's reasons, is ahead of it on {listed(blind)}." if blind else ""),
        f"Share of the k best edges that lie in the motif, GFlowExplainer's, the best explainer's and the best "
        f"control's: {'; '.join(said)}.",
    )


def order_rule(study: Study, records: Sequence[Record]) -> Verdict | None:
    """GFlowExplainer against RGExplainer when both are scored alike: by one order, and by many samples."""
    by_order = means(records, ruled("auc_own_greedy"))
    if not any(OWN in by_method for by_method in by_order.values()):  # older records know one sample's order only
        by_order = _merged(by_order, means(records, "auc_own_order"))
    marginals = means(records, ruled("auc_own_marginals"))
    findings, said = [], []
    expected = means(records, ruled("auc_own_expected"))
    rules = {
        "one order of nodes (the paper's rule)": by_order,
        "64 samples": marginals,
        "what is expected of 64 samples": expected,
    }
    for words, found in rules.items():
        pairs = {name: (by[OWN], by[RG]) for name, by in found.items() if OWN in by and RG in by}
        if pairs:
            leads = [name for name, (own, rg) in pairs.items() if ahead(own, rg)]
            behind = [name for name, (own, rg) in pairs.items() if ahead(rg, own)]
            findings.append(
                f"by {words} it leads on {out_of(len(leads), len(pairs))}{_in_brackets(study, leads)} and trails "
                f"on {len(behind)}{_in_brackets(study, behind)}"
            )
            numbers = "; ".join(f"{study.titles[name]} {own:.3f} and {rg:.3f}" for name, (own, rg) in pairs.items())
            said.append(f"By {words}: {numbers}.")
    if not findings:
        return None
    finding = (
        f"GFlowExplainer against RGExplainer under one rule for both: {'; '.join(findings)} (within {CLOSE}: level)."
    )
    detail = "GFlowExplainer's AUC and RGExplainer's. "
    return Verdict("One rule for both", finding, detail + " ".join(said))


def motif_as_reason(study: Study, records: Sequence[Record]) -> Verdict | None:
    """Whether the GNNs recognise a class by the motif alone."""
    known = fullest_records(records)
    if not known:
        return None
    other = other_reasons(records)
    numbers = study.numbered({name: record["values"]["motif_alone"] for name, record in known.items()}, 2)
    if other:
        finding = (
            f"On {study.listed(other)} the motif is not the GNN's reason, or not for all instances: an explainer that "
            "misses it there may be right."
        )
    else:
        finding = "The motif is the GNN's reason on every data set: shown the motif alone, it still names its class."
    detail = (
        f"P(class | motif alone): {numbers}. For every class and group it should be at least {ENOUGH} and above the "
        "class's share of the data set."
    )
    return Verdict(
        "Is the motif the reason", finding, f"{detail} Not so: {named_parts(study, other)}." if other else detail
    )


def parts(study: Study, records: Sequence[Record]) -> Verdict | None:
    """How GFlowExplainer does on the classes and groups of graphs, where they are told apart."""
    findings, detail = [], []
    for dataset, record in fullest_records(records).items():
        here = [each for each in records if each["dataset"] == dataset and each["method"] == OWN]
        for kind in ("group", "class"):
            found = {
                part: number
                for part in record["values"].get(f"auc_own_by_{kind}", {})
                if (number := entry_of(here, of_part("auc_own", kind, part)).mean) is not None
            }
            apart = max(found.values(), default=0.0) - min(found.values(), default=0.0)
            if found and not level(apart, 0.0):
                best, worst = (pick(found, key=found.__getitem__) for pick in (max, min))
                findings.append(f"{study.titles[dataset]} ({best} {found[best]:.3f}, {worst} {found[worst]:.3f})")
                alone = record["values"].get(f"motif_alone_by_{kind}", {})
                said = ", ".join(f"{part} {auc:.3f} ({alone.get(part, 0.0):.2f})" for part, auc in found.items())
                detail.append(f"{study.titles[dataset]}: {said}")
    if not findings:
        return None
    return Verdict(
        "Classes and groups",
        f"GFlowExplainer does not find the motifs of all instances equally well: {'; '.join(findings)}.",
        f"AUC by class or group (in brackets the GNN's P(class | motif alone)): {'; '.join(detail)}.",
    )


def _absent(study: Study, records: Sequence[Record], controls: bool = False) -> str:
    """A sentence on the explainers, or the controls, of which there is no record; empty if there are some of all."""
    found = {record["method"] for record in records}
    absent = [name for name in study.methods if name not in found and is_control(name) is controls]
    return f" Not measured yet: {'; '.join(study.titles[name] for name in absent)}." if absent else ""


def _sorted(by_method: Mapping[str, float]) -> dict[str, float]:
    """The best first."""
    return dict(sorted(by_method.items(), key=lambda pair: -pair[1]))


def _in_brackets(study: Study, names: Sequence[str]) -> str:
    return f" ({study.named(names)})" if names else ""


def _merged(found: Means, other: Means) -> Means:
    """Both; where both know a method the first."""
    return {name: {**other.get(name, {}), **found.get(name, {})} for name in {**found, **other}}
