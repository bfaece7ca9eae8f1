"""Do the GNNs know fragments? An explanation is a fragment, so what they say of one must mean something."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity, grouped, present
from gfx_core.bench.verdicts import CLOSE, Verdict, out_of
from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS
from gfx_core.drawing.reliability import reliability_figure

PLAIN, TRAINED = "plain", "fragments"
"""The GNN that never saw a fragment, and the shipped one, which was trained on them too."""


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
    purpose = "how often GNNs are right about fragments against how sure they are"
    title = "Do the GNNs know fragments?"
    short = "Fragments"
    question = "Is a GNN as often right about a fragment as it is sure?"
    value = "error"
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
        from gfx_core.bench.measures.fragment_answers import calibration

        return calibration(cell)

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Whether training on fragments made the GNNs honest about them."""
        both = {name: pair for name in self.columns(records) if len(pair := values_of(records, name)) == 2}
        if not both:
            return []
        better = [name for name, pair in both.items() if pair[TRAINED]["error"] < pair[PLAIN]["error"] - CLOSE]
        errors = [
            f"{self.titles[name]} {pair[PLAIN]['error']:.3f} → {pair[TRAINED]['error']:.3f}"
            for name, pair in both.items()
        ]
        return [
            Verdict(
                "Fragments",
                "Trained on fragments too, and not only on whole graphs, a GNN is better calibrated on "
                f"{out_of(len(better), len(both))} (by more than {CLOSE}): how sure it is of a fragment is nearer to "
                "how often it is right.",
                f"Expected calibration error on fragments of the test part, plain → fragment-trained: "
                f"{'; '.join(errors)}.",
                "A GNN that only ever saw whole graphs was never told what to say of a fragment, and an explanation "
                "is a fragment.",
            )
        ]

    def sentence(self, records: Sequence[Record], dataset: str) -> str:
        """What the records of one data set mean, for someone who looks at that; empty if there are none."""
        pair = values_of(records, dataset)
        if len(pair) < 2:
            return ""
        of = "nodes" if DATASETS[dataset].task is Task.NODE else "graphs"
        plain, trained = map(_said, pair.values())
        return (
            f"Shown random fragments of test {of}, a GNN that never saw a fragment is {plain}; trained on fragments, "
            f"the one explained here is {trained}. {_meaning(pair[PLAIN]['error'], pair[TRAINED]['error'])}"
        )

    def figure(self, records: Sequence[Record]) -> Any:
        """Reliability diagrams, a row for each data set."""
        found = {
            name: {self.methods[method]: values for method, values in values_of(records, name).items()}
            for name in present(self.datasets, records, "dataset")
        }
        return reliability_figure({name: by_gnn for name, by_gnn in found.items() if by_gnn})


def values_of(records: Sequence[Record], dataset: str) -> dict[str, Mapping[str, Any]]:
    """The values of the first seed of each GNN on a data set, the plain one first."""
    here = grouped((record for record in records if record["dataset"] == dataset), "method")
    return {m: here[(m,)][0]["values"] for m in (PLAIN, TRAINED) if (m,) in here}


def _said(values: Mapping[str, Any]) -> str:
    """How good a GNN is with fragments, in words."""
    return f"right {100 * values['accuracy']:.0f} % of the time and {100 * values['confidence']:.0f} % sure"


def _meaning(plain: float, trained: float) -> str:
    """What two calibration errors say of a reward that asks about fragments."""
    if trained <= 0.05:
        return "So its answer about a fragment says what can be known from the fragment, and a reward may rely on it."
    if trained < plain - CLOSE:
        return "So its answers about fragments mean more than the other's, though they are still off."
    return "So training on fragments did not make its answers about them more reliable here."
