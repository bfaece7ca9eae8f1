"""Is the motif the GNN's reason at all? What each GNN says of the motif alone; no explainer takes part."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import ENOUGH
from gfx_core.bench.quality_tables import named_parts, part_tables
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Quantity, Table
from gfx_core.bench.verdicts import Verdict, failing, out_of
from gfx_core.datasets.graph import Half
from gfx_core.gnn.checkpoint import PLAIN, model_path
from gfx_core.gnn.kinds import KINDS

Values = dict[str, Mapping[str, Any]]
"""What is known of one kind of GNN, by data set."""


class Reasons(Study):
    """One cell for each data set and GNN that is shipped."""

    name = "reasons"
    purpose = "what each GNN says of the motif alone, and of instances without it"
    title = "Is the motif the GNN's reason?"
    short = "Reasons"
    question = "Does the motif alone make a GNN say what it says of the whole?"
    value = "motif_alone"
    methods: ClassVar = {name: f"{info.title} convolution" for name, info in KINDS.items()}
    variants = ("", PLAIN)  # as shipped, and one that never saw a fragment
    seeds = None
    options: ClassVar = {"half": str(Half.REPORTING)}
    quick_options: ClassVar = {"limit": 12}
    shown = (
        Quantity("motif_alone", "P(class │ motif alone)", "high"),
        Quantity("without_motif", "P(class │ all edges but the motif's)"),
        Quantity("whole", "P(class │ whole instance)"),
        Quantity("prior", "The class's share of the data set"),
        Quantity("wrong", "Instances that the GNN gets wrong, left out above", digits=0),
        Quantity("instances", "Instances, those included", digits=0),
    )

    def cells(self, asked: Asked) -> list[Cell]:
        """Of the GNNs that there are: not every kind can learn every data set."""
        return [cell for cell in super().cells(asked) if model_path(cell.dataset, cell.method, cell.variant).is_file()]

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.reasons import measure

        return measure(cell)

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """A table for each number, a row for each kind of GNN; the first one also by class and group."""
        found = super().tables(records)
        return found[:1] + part_tables(self, records, "motif_alone", self.shown[0].title) + found[1:]

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Which GNNs recognise their class by the motif alone."""
        verdicts = []
        for kind, variant in product(self.methods, self.variants):
            known = _known(records, kind, variant)
            if not known:
                continue
            fails = _fails(known)
            title = self.methods[kind] + (", trained on whole graphs only" if variant == PLAIN else "")
            numbers = self.numbered({dataset: values["motif_alone"] for dataset, values in known.items()}, 2)
            but = f" (not, or not always, on {self.named(fails)})" if fails else ""
            worst = f" Not so: {named_parts(self, fails)}." if fails else ""
            verdicts.append(
                Verdict(
                    title,
                    f"Shown the motif alone, the GNN ({title}) still names its class on "
                    f"{out_of(len(known) - len(fails), len(known))}{but}.",
                    f"P(class | motif alone): {numbers}. For every class and group it should be at least {ENOUGH} and "
                    f"above the class's share of the data set.{worst}",
                    "" if variant else _why(known, _known(records, kind, PLAIN)),
                )
            )
        return verdicts


def _known(records: Sequence[Record], kind: str, variant: str) -> Values:
    some = [record for record in records if (record["method"], record["variant"]) == (kind, variant)]
    return {r["dataset"]: r["values"] for r in some if "motif_alone" in r["values"]}


def _fails(known: Values) -> dict[str, dict[str, tuple[float, float]]]:
    return {dataset: parts for dataset, values in known.items() if (parts := failing(values))}


def _why(shipped: Values, plain: Values) -> str:
    """What training on fragments has to do with it, where the same GNN without it does so on fewer data sets."""
    both = [dataset for dataset in shipped if dataset in plain]
    now, then = (len(both) - len(_fails({name: known[name] for name in both})) for known in (shipped, plain))
    if then >= now:
        return ""
    return (
        "It was trained on fragments too, and a motif alone is a fragment: trained on whole graphs only, the same GNN "
        f"names its class on {out_of(then, len(both))}."
    )
