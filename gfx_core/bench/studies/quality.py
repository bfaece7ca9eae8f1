"""Table 1: AUC and top-k accuracy of every explainer on every data set."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench import paper
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import CONSTANT, CONTROLS
from gfx_core.bench.quality_tables import annotated, by_rule, explained, part_tables, settings_table
from gfx_core.bench.quality_verdicts import controls, motif_as_reason, order_rule, parts, ranks, top_k
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Quantity, Table, entry_of, grouped, present
from gfx_core.bench.verdicts import OWN, Verdict
from gfx_core.datasets.graph import Half
from gfx_core.drawing.dot_plot import dots_by_method
from gfx_core.explainers.registry import METHODS

_FEWER_SEEDS = {"subgraphx": 3, CONSTANT: 3}  # a search of seconds for every instance; a training without use
_FEWER_INSTANCES = {"subgraphx": 100}
_POLICIES = (
    Quantity("log_reward", "mean log R of a sample"),
    Quantity("best_log_reward", "mean log R of the best of 64"),
    Quantity("residual", "mean residual of flow matching"),
)


class Auc(Study):
    name = "auc"
    purpose = "AUC and top-k accuracy of every explainer (Table 1)"
    title = "AUC and top-k accuracy"
    short = "Quality"
    question = "Do an explainer's highest-scored edges lie in the true motif?"
    value = "auc_own"
    headline = True
    because = "ceiling"
    legend = "Marks are means over the seeds."
    methods: ClassVar[Mapping[str, str]] = {**Study.methods, **CONTROLS}
    seeds = 10
    options: ClassVar[Mapping[str, Any]] = {"half": str(Half.REPORTING)}
    quick_options: ClassVar = {"limit": 12, "epochs": 3}
    shown: ClassVar[Sequence[Quantity]] = (
        Quantity("auc_own", "AUC, own motif", "high", paper=paper.AUC),
        Quantity("auc_own_benchmark", "AUC, own motif, one node of each motif", "high"),
        Quantity("auc_all", "AUC, every motif in view", "high"),
        Quantity("auc_own_with_wrong", "AUC, own motif, also where the GNN is wrong", "high", some=True),
        Quantity("topk_nodes_own", "Top-k accuracy, nodes of the own motif", "high", paper=paper.TOP_K, some=True),
        Quantity("topk_own", "Top-k accuracy, edges of the own motif", "high"),
    )
    costs: ClassVar = {
        "subgraphx": 1000.0,
        "rgexplainer": 300.0,
        "rgexplainer_plain": 200.0,
        OWN: 100.0,
        CONSTANT: 100.0,
    }

    def number_of_seeds(self, method: str, asked: Asked) -> int:
        if asked.quick or (method in METHODS and not METHODS[method].seeded):
            return 1
        return asked.seeds or _FEWER_SEEDS.get(method, self.seeds)

    def cells(self, asked: Asked) -> list[Cell]:
        """A slow search explains fewer instances, evenly spread; a quick run is quicker still."""
        found = super().cells(asked)
        return [_with_limit(cell, _FEWER_INSTANCES.get(cell.method)) for cell in found]

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.scoring import score

        return score(cell)

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """AUC and top-k accuracy with what is to be read with them, AUC of parts, and by scoring rule."""
        shown = [(quantity, self.by_method(records, quantity)) for quantity in self.shown]
        found = [annotated(self, table, quantity, records) for quantity, table in shown if table.rows]
        found[:1] = [explained(self, table, records) for table in found[:1]]
        drawn = [record for record in records if record["method"] == OWN]
        policies = [self.by_value(drawn, _POLICIES, "GFlowExplainer's policies")] if drawn else []
        found += part_tables(self, records, "auc_own", self.shown[0].title)
        return found + by_rule(self, records) + policies + settings_table(self, records)

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Ranks by AUC, the controls, top-k, the paper's scoring rule, classes and groups, and the GNN's reasons."""
        found = (say(self, records) for say in (ranks, controls, top_k, order_rule, parts, motif_as_reason))
        return [verdict for verdict in found if verdict is not None]

    def figure(self, records: Sequence[Record]) -> Any:
        """AUC of the own motif, every seed of every explainer and the paper's figure, a column for each data set."""
        values: dict[str, dict[str, Sequence[float]]] = {}
        for dataset in present(self.datasets, records, "dataset"):
            here = [record for record in records if record["dataset"] == dataset]
            values[dataset] = {m: entry_of(some, "auc_own").values for (m,), some in grouped(here, "method").items()}
        return dots_by_method(values, paper.AUC, "AUC, own motif", reference=0.5, controls=CONTROLS)


def _with_limit(cell: Cell, limit: int | None) -> Cell:
    """The cell with at most so many instances."""
    if limit is None or cell.options.get("limit", limit) < limit:
        return cell
    return Cell(cell.benchmark, cell.dataset, cell.method, cell.seed, cell.variant, {**cell.options, "limit": limit})
