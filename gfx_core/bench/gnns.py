"""What the GNNs know, without any explainer: is the motif their reason, and what do they make of fragments?

Explainers are scored by how well they find the motif, which is fair where the motif alone makes the GNN say what it
says of the whole. An explanation is a fragment, so what a GNN says of one must mean something.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench.quality import failing, part_tables
from gfx_core.bench.study import Cell, Study, Sweep
from gfx_core.bench.tables import CLOSE, Quantity, Record, ResultTable, grouped
from gfx_core.datasets.graph import Half
from gfx_core.drawing.charts import reliability_figure
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.kinds import DEFAULT_KIND, KINDS, PLAIN, gnn_name
from gfx_core.text.numbers import counted

TRAINED = "fragments"
"""The shipped GNN, which was trained on fragments too, beside the plain one, which never saw any."""


class Reasons(Study):
    """One cell for each data set and GNN that is shipped."""

    name = "reasons"
    title = "Is the motif the GNN's reason?"
    short = "Reasons"
    question = "Does the motif alone make a GNN say what it says of the whole?"
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

    def cells(self, sweep: Sweep) -> list[Cell]:
        """Of the GNNs that there are: not every kind can learn every data set."""
        return [
            cell
            for cell in super().cells(sweep)
            if model_path(cell.dataset, gnn_name(cell.method, plain=cell.variant == PLAIN)).is_file()
        ]

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.gnn_answers import motif_reasons

        return motif_reasons(cell)

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """A table for each number, a row for each kind of GNN; the first one also by class and group."""
        found = super().tables(records)
        return found[:1] + part_tables(self, records, "motif_alone", self.shown[0].title) + found[1:]

    def finding(self, records: Sequence[Record]) -> str:
        """On how many data sets the shipped GNNs recognise their class by the motif alone."""
        shipped = [record for record in records if record["method"] == DEFAULT_KIND and not record["variant"]]
        known = [record for record in shipped if "motif_alone" in record["values"]]
        other = [record["dataset"] for record in known if failing(record["values"])]
        if not known:
            return ""
        return (
            f"Shown the motif alone, the GNNs that are explained here name their class on {len(known) - len(other)} of "
            f"{counted(len(known), 'data set')}"
            + (f", though not, or not for all classes and groups, on {self.listed(other)}." if other else ".")
        )


def _at(nodes: int, name: str) -> Quantity:
    """A number of the fragments of one size."""

    def find(record: Record) -> float | None:
        sizes = record["values"]["sizes"]
        return sizes[name][sizes["nodes"].index(nodes)] if nodes in sizes["nodes"] else None

    words = "one node" if nodes == 1 else f"{nodes} nodes"
    return Quantity(find, f"Calibration error on fragments of {words}", "low")


class Calibration(Study):
    """Of random connected fragments around the nodes, or of the graphs, that a GNN was tested on."""

    name = "calibration"
    title = "Do the GNNs know fragments?"
    short = "Fragments"
    question = "Is a GNN as often right about a fragment as it is sure?"
    any_dataset = False  # it needs both GNNs
    methods: ClassVar = {PLAIN: "Plain GNN (whole graphs only)", TRAINED: "Fragment-trained GNN (explained here)"}
    options: ClassVar = {"fragments": 20_000}
    quick_options: ClassVar = {"fragments": 300}
    legend = (
        "Left: a mark for each tenth of certainty, its area the share of the fragments; on the dotted line a GNN is as "
        "often right as it is sure, below it too sure. Right: by the size of the fragment."
    )
    shown = (
        Quantity("error", "Expected calibration error on fragments (lower is better)", "low"),
        Quantity("accuracy", "Accuracy on fragments", "high"),
        Quantity("confidence", "How sure of fragments, on average"),
        *(_at(nodes, "error") for nodes in (1, 3, 6, 12)),
        Quantity("whole_accuracy", "Accuracy on whole graphs, same test part", "high"),
    )

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.gnn_answers import fragment_answers

        return fragment_answers(cell)

    def finding(self, records: Sequence[Record]) -> str:
        """Whether training on fragments made the GNNs honest about them."""
        both = [pair for name in self.columns(records) if len(pair := values_of(records, name)) == 2]
        better = sum(pair[TRAINED]["error"] < pair[PLAIN]["error"] - CLOSE for pair in both)
        if not both:
            return ""
        return (
            f"Trained on fragments too, and not only on whole graphs, GNNs are better calibrated on fragments on "
            f"{better} of {counted(len(both), 'data set')}."
        )

    def figure(self, records: Sequence[Record]) -> Any:
        """The reliability diagram of one data set."""
        found = values_of(records, records[0]["dataset"])
        return reliability_figure({self.methods[method]: values for method, values in found.items()})


def values_of(records: Sequence[Record], dataset: str) -> dict[str, Mapping[str, Any]]:
    """The values of the first seed of each GNN on a data set, the plain one first."""
    here = grouped((record for record in records if record["dataset"] == dataset), "method")
    return {m: here[(m,)][0]["values"] for m in (PLAIN, TRAINED) if (m,) in here}
