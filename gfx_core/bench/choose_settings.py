"""The settings of every explainer, GFlowExplainer's too, chosen by one rule: ``python -m gfx_core bench settings``.

The rule is `RULE`. What an explainer optimises itself has no part in it: losses with different prices cannot be
compared, and not every explainer has one. What is not in `TRIES` has nothing to choose: more points of integrated
gradients only make them more exact, DEGREE has a choice for ties alone, and the others have no settings.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_core.arrays import spread
from gfx_core.baselines.registry import METHODS, make_method, read_settings
from gfx_core.bench.study import TRAINED_ON, Cell
from gfx_core.bench.tables import OWN, ResultEntry, ResultRow, ResultTable
from gfx_core.datasets.graph import DEFAULT_HOPS, Half, half_of
from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.device import choose_device, provenance
from gfx_core.files import replacing
from gfx_core.parallel import Workers, computed, device_here
from gfx_core.text.numbers import listed

if TYPE_CHECKING:
    from torch import nn

    from gfx_core.baselines.edge_scores import Scores
    from gfx_core.datasets.instance import Instance

EXPLAINED = 20
EDGES = (3, 6, 9, 12)
RULE = (
    "One rule chooses the settings of every method, GFlowExplainer included. "
    "Each method has 4 tries; a method without settings has 1. "
    f"All tries explain the same {EXPLAINED} instances of the tuning half, evenly spread and correctly predicted. "
    f"A method that learns sees at most {TRAINED_ON} instances of that half. "
    f"For each try we keep the {listed([str(count) for count in EDGES])} best-scored edges alone. "
    "The try with the highest mean probability of the GNN's class on them wins. "
    "It does not use the motif."
)
"""What is printed with the settings."""

_PUBLISHED = {"size": 0.01, "radius": 0.1, "similarity": 1.0}
_PRICES: tuple[Mapping[str, float], ...] = (
    _PUBLISHED,
    {**_PUBLISHED, "radius": 0.0},
    {"nodes": 0.1, "similarity": 0.3},
    {},
)
_MASKS: tuple[Mapping[str, Any], ...] = (
    {"size": 0.01},
    {"size": 0.05, "entropy": 1.0},  # as published
    {"size": 0.01, "entropy": 0.01, "epochs": 60},
    {"size": 0.01, "lr": 0.003, "epochs": 60},
)
TRIES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "gflowexplainer": [{"node_price": price} for price in (0.05, 0.08, 0.12, 0.2)],
    "rgexplainer": [{"prices": prices} for prices in _PRICES],
    "rgexplainer_plain": [{"prices": prices} for prices in _PRICES],
    "subgraphx": [{"expand": way, "c_puct": value} for value in (10.0, 5.0) for way in ("low2high", "high2low")],
    "gnnexplainer": [{}, {"lr": 0.1}, *({"epochs": 300, "lr": 0.05, "size": size} for size in (0.005, 0.05))],
    "pgexplainer": _MASKS,
}
"""Settings to try, by explainer."""

Try = tuple[str, str, str, Mapping[str, Any]]
"""Data set, GNN, explainer and settings."""


def tuning_instances(dataset: str, model: "nn.Module") -> "tuple[list[Instance], list[Instance]]":
    """What the tries explain, and what those that learn learn from: both of the tuning half, evenly spread."""
    from gfx_core.bench.reasons import answers_right

    data, hops = load_dataset(dataset), getattr(model, "hops", DEFAULT_HOPS + 1)  # PyG's GCN also reads degrees
    half = spread(half_of(data.explainable, Half.TUNING), TRAINED_ON)
    every = [data.instance(int(index), hops=hops) for index in half]
    right = np.flatnonzero(answers_right(model, every))
    return [every[at] for at in spread(right, EXPLAINED)], every


def criterion(model: "nn.Module", instances: "Sequence[Instance]", scores: "Sequence[Scores]") -> float:
    """The mean probability of the GNN's class on an instance's best-scored edges alone, over `EDGES` and instances.

    An instance with fewer than 3 edges counts with all that it has; one without any does not count.
    """
    from gfx_core.metrics.fidelity import outcomes

    found = []
    for instance, each in zip(instances, scores, strict=True):
        most = len(instance.undirected)
        if most:
            counts = [k for k in EDGES if k <= most] or [most]
            outcome = outcomes(model, instance, each, counts)
            found.append(float(outcome.only[:, outcome.explained_class].mean()))
    return float(np.mean(found)) if found else 0.0


def measure(device: str, one: Try) -> dict[str, Any]:
    """Try some settings; scores are those of the main tables, sampled subgraphs by the rule for all.

    Args:
        device: ``auto``, ``cpu`` or ``cuda``: chosen where it is computed.
        one: What is tried.

    Returns:
        Plain JSON: ``settings``, ``value`` of the criterion or an ``error``, and processor ``seconds``.
    """
    from gfx_core.baselines.method import Learner
    from gfx_core.bench.scoring import CellInstances, by_method, gflow
    from gfx_core.bench.subjects import subject_gnn

    dataset, gnn, name, settings = one
    began, device = time.process_time(), device_here(device)
    try:
        model, _ = subject_gnn(dataset, gnn, device=device)
        instances, trained_on = tuning_instances(dataset, model)
        if name == OWN:
            cell = Cell("explainers", dataset, name, 0, options={"device": device}, gnn=f"{gnn}-0")
            scores = gflow(CellInstances(cell), instances, model, None, settings).masks
        else:
            method = make_method(name, model, settings, device=device)
            if isinstance(method, Learner):
                method.fit(trained_on)
            scores = by_method(method, instances).masks
        result: dict[str, Any] = {"value": round(criterion(model, instances, scores), 4)}
    except Exception as error:  # the other tries go on
        result = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
    return {"settings": dict(settings), **result, "seconds": round(time.process_time() - began, 1)}


def choose(
    datasets: Sequence[str], gnns: Sequence[str], methods: Sequence[str], device: str, where: Workers, path: Path
) -> Iterator[str]:
    """Try everything and write the file; what it contains of others stays. A line for each try, as it is finished.

    Only an explainer all of whose tries are finished is written: a run that was stopped keeps what it has so far.
    """
    tries: list[Try] = [
        (dataset, gnn, name, settings)
        for name in sorted(methods, key=lambda name: not METHODS[name].learns)  # the costly first
        for dataset in datasets
        for gnn in gnns
        for settings in TRIES.get(name, ({},))
    ]
    made, found = provenance(choose_device(device)), dict[tuple[str, str, str], list[dict[str, Any]]]()
    with closing(computed(measure, device, tries, where)) as results:
        for number, ((dataset, gnn, name, settings), result) in enumerate(results, 1):
            one = result or {"settings": dict(settings), "error": "Its worker died twice.", "seconds": 0.0}
            known = found.setdefault((dataset, gnn, name), [])
            known.append(one)
            words = one.get("error") or f"{one['value']:.4f}"
            yield f"[{number}/{len(tries)}] {dataset} {gnn} {name} {dict(settings)}: {words}, {one['seconds']:.1f} s"
            order = [dict(each) for each in TRIES.get(name, ({},))]
            known.sort(key=lambda each: order.index(each["settings"]))
            best = max(known, key=lambda each: each.get("value", -1.0))  # the first of those that are level
            if len(known) == len(order) and "value" in best:
                kept = json.loads(json.dumps(read_settings(path)))  # another run may have written it
                of_gnn = kept.setdefault(dataset, {}).setdefault(gnn, {})
                of_gnn[name] = {"settings": best["settings"], "tries": known, "made": made}
                with replacing(path) as part:
                    part.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def settings_table(path: Path, gnn: str) -> ResultTable:
    """What was chosen for each data set's GNN, with the criterion it came to; the rule is its note."""
    known = {dataset: of_gnns[gnn] for dataset, of_gnns in read_settings(path).items() if gnn in of_gnns}
    rows = []
    for name, info in METHODS.items():
        entries = {dataset: ResultEntry(instead=_words(of[name])) for dataset, of in known.items() if name in of}
        rows += [ResultRow(info.title, entries, compared=False)] if entries else []
    columns = {dataset: dataset_info(dataset).title for dataset in known}
    return ResultTable("Settings of all methods", columns, rows, counts=False, notes=[RULE])


def _words(chosen: Mapping[str, Any]) -> str:
    """Settings as people write them: ``size 0.01, entropy 0.1: .912``."""
    flat: dict[str, Any] = {}
    for name, value in chosen["settings"].items():
        flat |= {f"price of {key}": price for key, price in value.items()} if isinstance(value, dict) else {name: value}
    words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in flat.items())
    value = max(each.get("value", 0.0) for each in chosen["tries"])
    return f"{words or ('no prices' if chosen['settings'] else 'as usual')}: {value:.3f}"
