"""The instances whose traces are shipped: a few telling ones of each data set; and how the traces are recorded."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from gfx_core.config import TRACES
from gfx_core.crew.context import JobContext
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.datasets.smiles import COMPOUNDS, molecule
from gfx_core.explainers.generate import Choice
from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.explainers.mask import mask_of
from gfx_core.explainers.method import Method
from gfx_core.explainers.registry import METHODS, learnt_path, ready_method
from gfx_core.gfn.paths import policy_path
from gfx_core.gnn.model_file import load_model, model_path, read_header
from gfx_core.gnn.models import GNN
from gfx_core.trace import io

SHIPPED: dict[str, tuple[int, ...]] = {
    "ba_shapes": (301, 423, 617),
    "ba_community": (304, 1011, 1177),
    "tree_cycles": (513, 612, 748),
    "tree_grid": (514, 700, 1021),
    "ba_2motifs": (0, 1, 42),
}
"""By node or graph: different places in the motif, small and large neighbourhoods, one of each class."""

SHIPPED_COMPOUNDS = ("Nitrobenzene", "4-Nitroaniline", "Caffeine")


def shipped_instances() -> Iterator[tuple[str, str, Instance]]:
    """Data set, name and instance of each, as its shipped GNN sees it; molecules come as SMILES."""
    for dataset, indices in SHIPPED.items():
        hops = read_header(model_path(dataset)).num_layers
        for index in indices:
            yield dataset, str(index), load_dataset(dataset).instance(index, hops=hops)
    for compound in SHIPPED_COMPOUNDS:
        yield "mutagenicity", compound.lower(), molecule(COMPOUNDS[compound])


def record_shipped(folder: Path | None = None, device: str = "cpu") -> Iterator[Path]:
    """Record the shipped traces: the best of 64 samples, seed 0, and the masks of all methods that are ready."""
    for dataset, group in groupby(shipped_instances(), key=lambda found: found[0]):
        model = load_model(dataset)
        explainer = GFlowExplainer.load(policy_path(dataset), device=device)
        methods = ready_methods(dataset, model, device)
        for _, name, instance in group:
            trace = explainer.trace(model, instance, choice=Choice.BEST)
            masks = tuple(mask_of(method, ready, instance) for method, ready in methods.items())
            path = (folder or TRACES) / f"{dataset}-{name}.json"
            io.save(replace(trace, masks=masks), path)
            yield path


def ready_methods(dataset: str, model: GNN, device: str = "cpu") -> dict[str, Method]:
    """The explainers that need not learn first, or whose weights are shipped."""
    names = [
        name
        for name, info in METHODS.items()
        if not info.learns or learnt_path(name, dataset, str(model.kind)).is_file()
    ]
    return {name: ready_method(name, model, dataset, job=JobContext(device)) for name in names}
