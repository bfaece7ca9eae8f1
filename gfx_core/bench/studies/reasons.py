"""Is the motif the GNN's reason at all? What each GNN says of the motif alone; no explainer takes part."""

from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import ENOUGH
from gfx_core.bench.quality_tables import named_parts, part_tables
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Quantity, Table
from gfx_core.bench.verdicts import Verdict, failing
from gfx_core.datasets.halves import Half
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.model_file import PLAIN, model_path


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
            some = [record for record in records if (record["method"], record["variant"]) == (kind, variant)]
            known = {r["dataset"]: r["values"] for r in some if "motif_alone" in r["values"]}
            title = self.methods[kind] + (", trained on whole graphs only" if variant == PLAIN else "")
            fails = {dataset: parts for dataset, values in known.items() if (parts := failing(values))}
            if not known:
                continue
            numbers = self.numbered({dataset: values["motif_alone"] for dataset, values in known.items()}, 2)
            passed = f"{len(known) - len(fails)} of {len(known)} data sets"
            but = f" (not, or not always, on {self.named(fails)})" if fails else ""
            worst = f" Not so: {named_parts(self, fails)}." if fails else ""
            verdicts.append(
                Verdict(
                    title,
                    f"Shown the motif alone, the GNN still names its class on {passed}{but}.",
                    f"P(class | motif alone): {numbers}. For every class and group it should be at least {ENOUGH} and "
                    f"above the class's share of the data set.{worst}",
                )
            )
        return verdicts
