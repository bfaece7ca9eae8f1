"""A few telling instances of each data set, and the traces of them that are shipped."""

from collections.abc import Iterator
from pathlib import Path

from gfx_core.config import ASSETS, GNNKind
from gfx_core.datasets.registry import load_dataset
from gfx_core.datasets.smiles import COMPOUNDS, molecule
from gfx_core.explainers.generate import Choice
from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.gfn.checkpoint import policy_path
from gfx_core.gnn.checkpoint import load_model
from gfx_core.trace import io

TRACES = ASSETS / "traces"

TELLING: dict[str, tuple[int, ...]] = {
    "ba_shapes": (301, 423, 617),
    "ba_community": (304, 1011, 1177),
    "tree_cycles": (513, 612, 748),
    "tree_grid": (514, 700, 1021),
    "ba_2motifs": (0, 1, 42),
}
"""By node or graph: different places in the motif, small and large neighbourhoods, one of each class."""

TELLING_COMPOUNDS = ("Nitrobenzene", "4-Nitroaniline", "Caffeine")


def record_telling(folder: Path | None = None, device: str = "cpu") -> Iterator[Path]:
    """Record the shipped traces: the best of 64 samples, seed 0. Molecules come as SMILES, not from the data set."""
    folder = folder or TRACES
    for name, indices in TELLING.items():
        explainer = GFlowExplainer.load(policy_path(name, GNNKind.SUM), device=device)
        model, dataset = load_model(name), load_dataset(name)
        for index in indices:
            path = folder / f"{name}-{index}.json"
            io.save(explainer.explain(model, dataset, index, choice=Choice.BEST), path)
            yield path
    explainer = GFlowExplainer.load(policy_path("mutagenicity", GNNKind.SUM), device=device)
    model = load_model("mutagenicity")
    for compound in TELLING_COMPOUNDS:
        path = folder / f"mutagenicity-{compound.lower()}.json"
        io.save(explainer.explain(model, molecule(COMPOUNDS[compound]), choice=Choice.BEST), path)
        yield path
