"""The settings of every explainer, GFlowExplainer's too, chosen by one rule, `RULE`: ``bench settings``.

What an explainer optimises itself has no part in it: losses with different prices cannot be compared, and not every
explainer has one. The settings to try are in ``assets/content/settings.toml``.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import nn

from gfx_core.arrays import spread
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.registry import METHODS, SETTINGS, read_settings
from gfx_core.bench.cells import TRAINED_ON, Cell
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.scores import explain
from gfx_core.bench.studies import TITLES
from gfx_core.config import ASSETS
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
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
TRIES: dict[str, Any] = tomllib.loads((ASSETS / "content" / "settings.toml").read_text(encoding="utf-8"))
"""Settings to try, by explainer."""


def criterion(model: nn.Module, instances: Sequence[Instance], masks: Sequence[Scores]) -> float:
    """The mean probability of the GNN's class on an instance's best-scored edges alone, over `EDGES` and instances.

    An instance with fewer than 3 edges counts with all that it has; one without any does not count.
    """
    values = []
    for instance, mask in zip(instances, masks, strict=True):
        if most := len(instance.undirected):
            outcome = outcomes(model, instance, mask, [k for k in EDGES if k <= most] or [most])
            values.append(outcome.only[:, outcome.explained_class].mean())
    return float(np.mean(values or 0.0))


def measure(_shared: None, cell: Cell) -> dict[str, Any]:
    """The settings of one explainer: those that are best of its tries; masks are those of the main tables.

    Returns:
        Plain JSON: ``settings``, and of all ``tries`` settings, the ``value`` of the criterion.
    """
    cell = replace(cell, options={**cell.options, "device": device_here(cell.device)})
    tuning = spread(half_of(load_dataset(cell.dataset).explainable, Half.TUNING), TRAINED_ON)
    gnn, tries = ExplainedGNN(cell, tuning), list[dict[str, Any]]()
    instances = [gnn.scored[number] for number in spread(np.arange(len(gnn.scored)), EXPLAINED)]
    for settings in TRIES.get(cell.method, [{}]):
        value = criterion(gnn.model, instances, explain(gnn, instances, tuning, settings)["auc"])
        tries.append({"settings": settings, "value": round(value, 4)})
    best = max(tries, key=lambda one: one["value"])  # the first of those that are level
    return {"settings": best["settings"], "tries": tries, "made": provenance(cell.device)}


def choose(cells: Sequence[Cell], where: Workers, path: Path) -> Iterator[str]:
    """Measure cells and write what each comes to as it is finished, with a line; what the file has of others stays.

    Args:
        cells: A method each, on the first GNN of a kind (``sum-0``); their option ``device`` may be ``auto``.
        where: Where to compute.
        path: The file.
    """
    for cell, chosen in computed(measure, None, cells, where):
        if chosen is None:
            yield f"{cell.key}: failed, its worker died twice"
            continue
        settings = json.loads(json.dumps(read_settings(path)))  # another run may have written it
        settings.setdefault(cell.dataset, {}).setdefault(cell.kind, {})[cell.method] = chosen
        with replacing(path) as part:
            part.write_text(json.dumps(settings, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        yield f"{cell.key}: {_words(chosen)}"


def settings_table(path: Path = SETTINGS) -> pd.DataFrame:
    """What was chosen for the usual GNNs, in words: a row for each method, a column for each data set."""
    words = {
        TITLES[dataset]: {METHODS[name].title: _words(chosen) for name, chosen in of_gnns[DEFAULT_KIND].items()}
        for dataset, of_gnns in read_settings(path).items()
    }
    return pd.DataFrame(words, index=[info.title for info in METHODS.values()]).fillna("–")


def _words(chosen: Mapping[str, Any]) -> str:
    """Settings with the criterion: ``size 0.01, entropy 0.1: 0.912``."""
    settings = dict(chosen["settings"])
    prices = settings.pop("prices", {})
    flat = settings | {f"price of {name}": price for name, price in prices.items()}
    words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in flat.items())
    words = words or ("no prices" if chosen["settings"] else "as usual")
    return f"{words}: {max(one['value'] for one in chosen['tries']):.3f}"
