"""Table 1: AUC and top-k accuracy of every explainer on every data set; fidelity and connectedness of the same answers.

What the tables add to the numbers: rows about the GNN, marks on columns that tell nothing (§) or whose GNN has other
reasons than the motif (‡), notes, classes and groups, scoring rules, the settings of the other methods.
"""

import statistics
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.study import Cell, Study, Sweep
from gfx_core.bench.tables import (
    CLOSE,
    CONSTANT,
    CONTROLS,
    OWN,
    RG,
    Quantity,
    Record,
    ResultEntry,
    ResultRow,
    ResultTable,
    entry_of,
    grouped,
    is_control,
    present,
)
from gfx_core.config import ASSETS, Task
from gfx_core.datasets.graph import Half
from gfx_core.datasets.registry import DATASETS
from gfx_core.drawing.charts import Axes, dots_by_method
from gfx_core.text.numbers import counted

SILENT, OTHER_REASON = "§", "‡"
"""Marks of columns that tell nothing, and of those whose GNN has other reasons than the motif."""

ENOUGH = 0.5
"""The motif is called the GNN's reason if the GNN, seeing the motif alone, gives its class at least this probability,
and more than the class's share of the data set."""

TRUTH = "truth"
"""Where one record of each data set holds what the true motif itself comes to."""

RULES = {
    "auc_own_expected": "edge marginals as expected from 64 samples (STOP averaged over)",
    "auc_own_marginals": "edge marginals of 64 samples as drawn",
    "auc_own_greedy": "order weights of its greedy order (the paper's rule)",
    "auc_own_order": "order weights of one sample",
    "auc_own_best": "the best of 64 by reward, no larger than a motif",
}
"""How the methods that draw subgraphs can be scored."""

OWN_RULE = {OWN: "auc_own_expected", RG: "auc_own_greedy", "rgexplainer_plain": "auc_own_greedy"}
"""How they are scored in Table 1."""


_FIGURES = tomllib.loads((ASSETS / "content" / "paper.toml").read_text(encoding="utf-8"))
PAPER = {
    quantity: {method: dict(zip(DATASETS, figures, strict=False)) for method, figures in by_method.items()}
    for quantity, by_method in _FIGURES.items()
}
"""Figures of the GFlowExplainer paper by quantity, method and data set; they stand beside ours in tables, marked as the
paper's, and nowhere else."""

_FEWER_SEEDS = {"subgraphx": 3, CONSTANT: 3}  # a search of seconds for every instance; a training without use
_FEWER_INSTANCES = {"subgraphx": 100}
_POLICIES = (
    Quantity("log_reward", "mean log R of a sample"),
    Quantity("best_log_reward", "mean log R of the best of 64"),
    Quantity("residual", "mean residual of flow matching"),
)


class Auc(Study):
    name = "auc"
    title = "AUC and top-k accuracy"
    short = "Quality"
    question = "Do an explainer's highest-scored edges lie in the true motif?"
    legend = "Marks are means over the seeds."
    methods: ClassVar[Mapping[str, str]] = {**Study.methods, **CONTROLS}
    seeds = 10
    options: ClassVar[Mapping[str, Any]] = {"half": str(Half.REPORTING)}
    quick_options: ClassVar = {"limit": 12, "epochs": 3}
    shown: ClassVar[Sequence[Quantity]] = (
        Quantity("auc_own", "AUC, own motif", "high", paper=PAPER["auc"]),
        Quantity("auc_own_benchmark", "AUC, own motif, one node of each motif", "high"),
        Quantity("auc_all", "AUC, every motif in view", "high"),
        Quantity("auc_own_with_wrong", "AUC, own motif, also where the GNN is wrong", "high"),
        Quantity("topk_nodes_own", "Top-k accuracy, nodes of the own motif", "high", paper=PAPER["top_k_nodes"]),
        Quantity("topk_own", "Top-k accuracy, edges of the own motif", "high"),
    )
    costs: ClassVar = {
        "subgraphx": 1000.0,
        "rgexplainer": 300.0,
        "rgexplainer_plain": 200.0,
        OWN: 100.0,
        CONSTANT: 100.0,
    }

    def number_of_seeds(self, method: str, sweep: Sweep) -> int:
        if sweep.quick or (method in METHODS and not METHODS[method].seeded):
            return 1
        return sweep.seeds or _FEWER_SEEDS.get(method, self.seeds)

    def cells(self, sweep: Sweep) -> list[Cell]:
        """A slow search explains fewer instances, evenly spread; a quick run is quicker still."""
        found = []
        for cell in super().cells(sweep):
            limits = (_FEWER_INSTANCES.get(cell.method), cell.options.get("limit"))
            limit = min((each for each in limits if each is not None), default=None)
            found.append(cell if limit is None else replace(cell, options={**cell.options, "limit": limit}))
        return found

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.scoring import score

        return score(cell)

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """AUC and top-k accuracy with what is to be read with them, AUC of parts, and by scoring rule."""
        found = [marked(self, table, records) for table in super().tables(records)]
        for table in found[:1]:  # with all that is to be read with it
            notes = [*table.notes, *notes_on(self, records)]
            found[0] = replace(table, rows=[*table.rows, *about_the_gnn(records)], notes=notes)
        drawn = [record for record in records if record["method"] == OWN]
        policies = [self.by_value(drawn, _POLICIES, "GFlowExplainer's policies")] if drawn else []
        found += part_tables(self, records, "auc_own", self.shown[0].title)
        return found + by_rule(self, records) + policies + settings_table(self, records)

    def finding(self, records: Sequence[Record]) -> str:
        """Where GFlowExplainer stands in the first table, among the columns that tell explainers apart."""
        table = next(iter(self.tables(records)), None)
        if table is None:
            return ""
        title = self.titles[OWN]
        telling = [best for name in table.columns if title in table.means(name) and (best := table.best_of(name))]
        if not telling:
            return ""
        first, shared = (sum(check(best) for best in telling) for check in ({title}.__eq__, {title}.__lt__))
        silent = [name for name in table.columns if table.silenced_by(name)]
        return (
            f"GFlowExplainer is best on {first}, shares the first place on {shared} and is behind on "
            f"{len(telling) - first - shared} of {counted(len(telling), 'data set')}"
            + (f"; on {self.listed(silent)} a control is as good as any explainer." if silent else ".")
        )

    def figure(self, records: Sequence[Record]) -> Any:
        """AUC of the own motif on one data set, every seed of every explainer and the paper's figure."""
        dataset = records[0]["dataset"]
        values = {m: entry_of(some, "auc_own").values for (m,), some in grouped(records, "method").items()}
        paper = {method: figures[dataset] for method, figures in PAPER["auc"].items() if dataset in figures}
        return dots_by_method(values, paper, self.methods, "AUC, own motif", self.titles[dataset])


def _at(sparsity: float) -> Quantity:
    def find(record: Record) -> float:
        curve = record["values"]["curve"]
        return curve["minus"][curve["sparsity"].index(sparsity)]

    return Quantity(find, f"Fidelity− at sparsity {sparsity}", "low")


class Fidelity(Auc):
    """The cells are those of Table 1: the same explanations, asked other questions."""

    name = "fidelity"
    title = "Fidelity and connectedness"
    short = "Fidelity"
    question = "Are the edges that an explainer names enough for the GNN's answer?"
    legend = ""
    shown = (
        Quantity("fidelity_minus", "Fidelity− (lower is better)", "low"),  # the question's number
        Quantity("fidelity_plus", "Fidelity+ (higher is better)", "high"),
        Quantity("robust_plus", "Robust fidelity+, half of the edges taken away (higher is better)", "high"),
        Quantity("robust_minus", "Robust fidelity−, half of the others left (lower is better)", "low"),
        Quantity("unfaithfulness", "Unfaithfulness (lower is better)", "low"),
        Quantity("connected", "Share of explanations in one piece", "high"),
        *map(_at, (0.5, 0.7, 0.9)),
    )
    axes = Axes("sparsity", "sparsity", {"plus": "fidelity+", "minus": "fidelity−"})

    @property
    def benchmark(self) -> str:
        return Auc.name

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """A table for each number; below the methods, the true motif itself."""
        held = {record["dataset"]: record["values"][TRUTH] for record in records if TRUTH in record["values"]}
        found = []
        for quantity in self.shown:
            table = self.by_method(records, quantity)
            numbers = {name: values.get(quantity.value) for name, values in held.items()}
            entries = {name: ResultEntry((number,)) for name, number in numbers.items() if number is not None}
            if entries:
                row = ResultRow("The true motif (control)", entries, compared=False, control=True)
                table = replace(table, rows=[*table.rows, row])
            found += [table] if table.rows else []
        return found

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """The mean over the seeds by sparsity."""
        curves = [record["values"]["curve"] for record in records]
        return {
            name: [statistics.fmean(values) for values in zip(*(curve[name] for curve in curves), strict=True)]
            for name in ("sparsity", "plus", "minus")
        }

    figure = Study.figure  # not that of Table 1


def marked(study: Study, table: ResultTable, records: Sequence[Record]) -> ResultTable:
    """A table of one number with marks on its columns and what they mean."""
    silent = {name: control for name in table.columns if (control := table.silenced_by(name))}
    other = {
        dataset: parts for dataset, record in fullest_records(records).items() if (parts := failing(record["values"]))
    }
    columns = {
        name: title + f" {SILENT}" * (name in silent) + f" {OTHER_REASON}" * (name in other)
        for name, title in table.columns.items()
    }
    notes = []
    if silent:
        which = ", ".join(f"{control} on {study.titles[name]}" for name, control in silent.items())
        notes.append(
            f"{SILENT} A control is within {CLOSE} of the best explainer or above it: {which}. A control cannot know "
            "the GNN's reasons, so this column cannot separate explainers."
        )
    if other:
        which = "; ".join(
            f"{study.titles[dataset]}{f', {part}' if part else ''} {alone:.2f} (share {prior:.2f})"
            for dataset, named in other.items()
            for part, (alone, prior) in named.items()
        )
        notes.append(
            f"{OTHER_REASON} The motif is not, or not for all instances, the GNN's reason. Seeing the motif alone it "
            "gives its class less than one half, or no more than the class's share of the data set: "
            f"{which}. There an explainer that misses the motif may be right."
        )
    return replace(table, columns=columns, notes=notes)


def about_the_gnn(records: Sequence[Record]) -> list[ResultRow]:
    """P(class | motif alone), and how many instances were scored or left out; nothing where no record knows it."""
    found = {name: record["values"] for name, record in fullest_records(records).items()}
    numbers = {
        "P(class │ motif alone)": {name: values["motif_alone"] for name, values in found.items()},
        "instances that it gets right": {n: values["instances"] - values["wrong"] for n, values in found.items()},
        "instances that it gets wrong": {name: values["wrong"] for name, values in found.items()},
    }
    return [
        ResultRow(f"The GNN: {title}", {n: ResultEntry((v,)) for n, v in each.items()}, digits, compared=False)
        for (title, each), digits in zip(numbers.items(), (3, 0, 0), strict=True)
        if each
    ]


def fullest_records(records: Sequence[Record]) -> dict[str, Record]:
    """By data set, the record of most instances: all say the same of the GNN, but not on as many."""
    found: dict[str, Record] = {}
    for record in records:
        values, best = record["values"], found.get(record["dataset"])
        if "motif_alone" in values and (best is None or values["instances"] > best["values"]["instances"]):
            found[record["dataset"]] = record
    return found


def failing(values: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Of what the motif is not the GNN's reason: P(class | motif alone) and the class's share of the data set.

    Args:
        values: Of a record that knows them; others fail nowhere.

    Returns:
        Both numbers by class or group, under an empty name where it is the mean over all instances.
    """
    if values.get("motif_alone") is None:
        return {}
    parts = {"": (values["motif_alone"], values["prior"])}
    for kind in ("class", "group"):
        priors = values.get(f"prior_by_{kind}", {})
        parts |= {n: (alone, priors[n]) for n, alone in values.get(f"motif_alone_by_{kind}", {}).items()}
    return {name: pair for name, pair in parts.items() if pair[0] < ENOUGH or pair[0] <= pair[1]}


def notes_on(study: Study, records: Sequence[Record]) -> list[str]:
    """On which instances methods were scored, what they have learnt from, and whose answers have collapsed."""
    notes = [
        "Scored are the instances that the GNN gets right, unless the title says otherwise. Explainers that learn "
        "have learnt from the instances of both halves; they are never shown a motif."
    ]
    for (method,), some in grouped(records, "method").items():
        limit = {record["options"]["limit"] for record in some if "limit" in record["options"]}
        usual = {record["options"].get("limit") for record in records} - limit
        if limit and usual:
            seeds = max(Counter(record["dataset"] for record in some).values())
            on = " or ".join(str(each) for each in sorted(limit))
            notes.append(f"{study.titles.get(method, method)}: {on} instances, evenly spread; seeds: {seeds}.")
        collapsed = []  # answers that say so of themselves
        for (dataset,), here in grouped(some, "dataset").items():
            if number := sum(record["values"].get("collapsed", 0) for record in here):
                every = sum(record["values"]["instances"] for record in here)
                collapsed.append(f"{number} of {every} answers on {study.titles.get(dataset, dataset)}")
        if collapsed:
            what = f"{study.titles.get(method, method)} has collapsed: {', '.join(collapsed)}."
            notes.append(f"{what} Its order there means nothing.")
    return notes


def part_tables(study: Study, records: Sequence[Record], value: str, title: str) -> list[ResultTable]:
    """A number of the instances of each class or group, where data sets have several; a column for each.

    Args:
        study: The study.
        records: Its records.
        value: The number; records have it as ``<value>_by_class`` and ``<value>_by_group``.
        title: What people call it.
    """
    tables = []
    for task, words in ((Task.GRAPH, "by class of graph or by group"), (Task.NODE, "by class of node")):
        here = [r for r in records if r["dataset"] in DATASETS and DATASETS[r["dataset"]].task is task]
        places = {
            f"{dataset}/{part}": (dataset, kind, part)
            for dataset in present(study.titles, here, "dataset")
            for kind in ("class", "group")
            for record in here
            if record["dataset"] == dataset
            for part in record["values"].get(f"{value}_by_{kind}", {})
        }
        rows = []
        order = present(study.titles, here, "method")
        for (method, variant), own in sorted(
            grouped(here, "method", "variant").items(), key=lambda pair: (order.index(pair[0][0]), pair[0][1])
        ):
            entries = {}
            for key, (dataset, kind, part) in places.items():
                known = [r["values"].get(f"{value}_by_{kind}", {}).get(part) for r in own if r["dataset"] == dataset]
                entries[key] = ResultEntry(tuple(number for number in known if number is not None))
            label = study.titles.get(method, method) + (f" ({variant})" if variant else "")
            rows.append(ResultRow(label, entries, control=is_control(method)))
        if places:
            columns = {key: f"{study.titles[dataset]}: {part}" for key, (dataset, _, part) in places.items()}
            counts, half = study.seeds is not None, study.half_words(here)
            tables.append(ResultTable(f"{title}, {words}", columns, rows, best="high", counts=counts, half=half))
    return tables


def by_rule(study: Study, records: Sequence[Record]) -> list[ResultTable]:
    """AUC of the methods that draw subgraphs, by every scoring rule; nothing if no record knows the rules."""
    rows = []
    for method, own_rule in OWN_RULE.items():
        some = [record for record in records if record["method"] == method]
        for rule, words in RULES.items():
            entries = {name: entry_of(each, rule) for (name,), each in grouped(some, "dataset").items()}
            if any(entry.values for entry in entries.values()):
                rows.append(ResultRow(f"{study.titles[method]}: {words}{' (Table 1)' * (rule == own_rule)}", entries))
    title = "AUC, own motif, by scoring rule"
    table = ResultTable(title, study.columns(records), rows, best="high", half=study.half_words(records))
    return [table] if rows else []


def settings_table(study: Study, records: Sequence[Record]) -> list[ResultTable]:
    """The settings that were chosen for each method on the tuning half, if there are any."""
    rows = []
    for method in present(study.titles, records, "method"):
        some = [record for record in records if record["method"] == method and "settings" in record["values"]]
        chosen = {r["dataset"]: ResultEntry(instead=settings_words(r["values"]["settings"])) for r in some}
        rows += [ResultRow(study.titles.get(method, method), chosen, compared=False)] if chosen else []
    if not rows:
        return []
    note = "Chosen for each data set on the tuning half by what the method itself is after, without any motif."
    return [ResultTable("Settings of the other methods", study.columns(records), rows, counts=False, notes=[note])]


def settings_words(settings: Mapping[str, Any]) -> str:
    """Settings as people write them: ``size 0.01, entropy 0.1``."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= {f"price of {key}": price for key, price in value.items()} if isinstance(value, dict) else {name: value}
        if value == {}:
            flat["prices"] = "none"
    return ", ".join(f"{name} {value}" for name, value in flat.items()) or "as usual"
