"""The settings of every explainer, GFlowExplainer's too, chosen by one rule, `RULE`: ``bench settings``.

What an explainer optimises itself has no part in it: losses with different prices cannot be compared, and not every
explainer has one. What is not in `TRIES` has nothing to choose: more points of integrated gradients only make them more
exact, DEGREE has a choice for ties alone, and the others have no settings.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import nn

from gfx_core.arrays import spread
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.registry import METHODS, SETTINGS, read_settings
from gfx_core.bench.cells import OWN, TRAINED_ON, Cell
from gfx_core.bench.gnns import ExplainedGNN, predicts_right
from gfx_core.bench.scores import explain
from gfx_core.bench.studies import TITLES
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.device import provenance
from gfx_core.files import replacing
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.metrics.fidelity import outcomes
from gfx_core.parallel import Workers, computed, device_here
from gfx_core.text.numbers import listed

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
TRIES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    OWN: [{"node_price": price} for price in (0.05, 0.08, 0.12, 0.2)],
    "rgexplainer": [{"prices": prices} for prices in _PRICES],
    "rgexplainer_plain": [{"prices": prices} for prices in _PRICES],
    "subgraphx": [{"expand": way, "c_puct": value} for value in (10.0, 5.0) for way in ("low2high", "high2low")],
    "gnnexplainer": [{}, {"lr": 0.1}, *({"epochs": 300, "lr": 0.05, "size": size} for size in (0.005, 0.05))],
    "pgexplainer": [
        {"size": 0.01},
        {"size": 0.05, "entropy": 1.0},  # as published
        {"size": 0.01, "entropy": 0.01, "epochs": 60},
        {"size": 0.01, "lr": 0.003, "epochs": 60},
    ],
}
"""Settings to try, by explainer."""


def tuning_instances(gnn: ExplainedGNN) -> tuple[list[Instance], list[Instance]]:
    """What the tries explain, and what those that learn learn from: both of the tuning half, evenly spread."""
    half = spread(half_of(gnn.dataset.explainable, Half.TUNING), TRAINED_ON)
    instances = [gnn.instance(int(index)) for index in half]
    right = np.flatnonzero(predicts_right(gnn.model, instances, gnn.cell.device))
    return [instances[number] for number in spread(right, EXPLAINED)], instances


def criterion(model: nn.Module, instances: Sequence[Instance], masks: Sequence[Scores]) -> float:
    """The mean probability of the GNN's class on an instance's best-scored edges alone, over `EDGES` and instances.

    An instance with fewer than 3 edges counts with all that it has; one without any does not count.
    """
    values = []
    for instance, mask in zip(instances, masks, strict=True):
        if most := len(instance.undirected):
            outcome = outcomes(model, instance, mask, [k for k in EDGES if k <= most] or [most])
            values.append(float(outcome.only[:, outcome.explained_class].mean()))
    return float(np.mean(values)) if values else 0.0


def measure(cell: Cell) -> dict[str, Any]:
    """The settings of one explainer: those that are best of its tries; masks are those of the main tables.

    Returns:
        Plain JSON: ``settings``, and of all ``tries`` settings, ``value`` of the criterion, processor ``seconds``.
    """
    gnn, tries = ExplainedGNN(cell), list[dict[str, Any]]()
    instances, trained_on = tuning_instances(gnn)
    for settings in TRIES.get(cell.method, ({},)):
        started = time.process_time()
        masks = explain(gnn, instances, lambda: trained_on, settings).masks
        value, seconds = criterion(gnn.model, instances, masks), time.process_time() - started
        tries.append({"settings": settings, "value": round(value, 4), "seconds": round(seconds, 1)})
    best = max(tries, key=lambda one: one["value"])  # the first of those that are level
    return {"settings": best["settings"], "tries": tries}


def choose(cells: Sequence[Cell], where: Workers, path: Path) -> Iterator[str]:
    """Measure cells and write what each comes to as it is finished, with a line; what the file has of others stays.

    Args:
        cells: A method each, on the first GNN of a kind (``sum-0``); their option ``device`` may be ``auto``.
        where: Where to compute.
        path: The file.
    """
    with closing(computed(_measure_here, None, cells, where)) as results:
        for cell, chosen in results:
            if chosen is None:
                yield f"{cell.key}: failed, its worker died twice"
                continue
            settings = json.loads(json.dumps(read_settings(path)))  # another run may have written it
            settings.setdefault(cell.dataset, {}).setdefault(cell.kind, {})[cell.method] = chosen
            with replacing(path) as part:
                part.write_text(json.dumps(settings, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            yield f"{cell.key}: {_words(chosen)}"


def _measure_here(_shared: None, cell: Cell) -> dict[str, Any]:
    device = device_here(cell.device)
    return measure(replace(cell, options={**cell.options, "device": device})) | {"made": provenance(device)}


def settings_table(path: Path = SETTINGS, kind: str = DEFAULT_KIND) -> pd.DataFrame:
    """What was chosen for the GNNs of a kind, in words: a row for each method, a column for each data set."""
    known = {TITLES[name]: of_gnns.get(kind, {}) for name, of_gnns in read_settings(path).items()}
    rows = {
        info.title: [_words(of[name]) if name in of else "–" for of in known.values()] for name, info in METHODS.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(known))


def _words(chosen: Mapping[str, Any]) -> str:
    """Settings with the criterion: ``size 0.01, entropy 0.1: 0.912``."""
    settings = dict(chosen["settings"])
    prices = settings.pop("prices", {})
    flat = settings | {f"price of {name}": price for name, price in prices.items()}
    words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in flat.items())
    words = words or ("no prices" if chosen["settings"] else "as usual")
    return f"{words}: {max(one['value'] for one in chosen['tries']):.3f}"
