"""What the tables of quality add to the numbers: rows about the GNN, marks on columns, notes, parts, scoring rules."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gfx_core.bench.cells import Record
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Entry, Quantity, Row, Table, Value, entry_of, grouped, present, value_of
from gfx_core.bench.verdicts import CLOSE, OWN, RG, failing, is_control, means, tell_nothing
from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS

SILENT, OTHER_REASON = "§", "‡"
"""Marks of columns that tell nothing, and of those whose GNN has other reasons than the motif."""

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


def annotated(study: Study, table: Table, quantity: Quantity, records: Sequence[Record]) -> Table:
    """A table of one number with marks on its columns and what they mean."""
    silent = tell_nothing(means(records, quantity.value))
    other = other_reasons(records)
    columns = {
        name: title + f" {SILENT}" * (name in silent) + f" {OTHER_REASON}" * (name in other)
        for name, title in table.columns.items()
    }
    return replace(table, columns=columns, notes=_marks(study, silent, other))


def explained(study: Study, table: Table, records: Sequence[Record]) -> Table:
    """The first table, with all that is to be read with it: rows about the GNN, and on what methods were scored."""
    return replace(table, rows=[*table.rows, *about_the_gnn(records)], notes=[*table.notes, *notes_on(study, records)])


def about_the_gnn(records: Sequence[Record]) -> list[Row]:
    """P(class | motif alone), and how many instances were scored or left out, where the records know it."""
    fullest = fullest_records(records)
    rows = []
    for name, title, digits in (
        ("motif_alone", "The GNN: P(class │ motif alone)", 3),
        ("right", "The GNN: instances that it gets right", 0),
        ("wrong", "The GNN: instances that it gets wrong", 0),
    ):
        known = {dataset: _about(record, name) for dataset, record in fullest.items()}
        entries = {dataset: Entry((number,)) for dataset, number in known.items() if number is not None}
        rows += [Row(title, entries, digits, compared=False)] if entries else []
    return rows


def _about(record: Record, name: str) -> float | None:
    values = record["values"]
    if name == "right":
        return values["instances"] - values["wrong"] if "wrong" in values else None
    return values.get(name)


def fullest_records(records: Sequence[Record]) -> dict[str, Record]:
    """By data set, the record of most instances: all say the same of the GNN, but not on as many."""
    found: dict[str, Record] = {}
    for record in records:
        values, best = record["values"], found.get(record["dataset"])
        if "motif_alone" in values and (best is None or values["instances"] > best["values"]["instances"]):
            found[record["dataset"]] = record
    return found


def other_reasons(records: Sequence[Record]) -> dict[str, dict[str, tuple[float, float]]]:
    """Data sets, and parts of them, whose motif is not the GNN's reason."""
    found = {dataset: failing(record["values"]) for dataset, record in fullest_records(records).items()}
    return {dataset: parts for dataset, parts in found.items() if parts}


def named_parts(study: Study, parts: dict[str, dict[str, tuple[float, float]]]) -> str:
    """Data sets and parts of them with both probabilities."""
    return "; ".join(
        f"{study.titles[dataset]}{f', {part}' if part else ''} {alone:.2f} (share {prior:.2f})"
        for dataset, named in parts.items()
        for part, (alone, prior) in named.items()
    )


def _marks(study: Study, silent: dict[str, str], other: dict[str, dict[str, tuple[float, float]]]) -> list[str]:
    """What the marks on columns mean."""
    notes = []
    if silent:
        which = ", ".join(f"{study.titles[control]} on {study.titles[name]}" for name, control in silent.items())
        notes.append(
            f"{SILENT} A control, which cannot know the GNN's reasons, is within {CLOSE} of the best explainer or "
            f"above it ({which}): this column tells nothing, and first places in it do not count."
        )
    if other:
        notes.append(
            f"{OTHER_REASON} The motif is not, or not for all instances, the GNN's reason. Seeing the motif alone it "
            "gives its class less than one half, or no more than the class's share of the data set: "
            f"{named_parts(study, other)}. There an explainer that misses the motif may be right."
        )
    return notes


def notes_on(study: Study, records: Sequence[Record]) -> list[str]:
    """On which instances methods were scored, what they have learnt from, and whose answers have collapsed."""
    notes = []
    if any("wrong" in record["values"] for record in records):
        notes.append(
            "Scored are the instances that the GNN gets right, unless the title says otherwise. Explainers that learn "
            "have learnt from the instances of both halves; they are never shown a motif."
        )
    for (method,), some in grouped(records, "method").items():
        limit = {record["options"]["limit"] for record in some if "limit" in record["options"]}
        usual = {record["options"].get("limit") for record in records} - limit
        if limit and usual:
            seeds = max(Counter(record["dataset"] for record in some).values())
            on = " or ".join(str(each) for each in sorted(limit))
            notes.append(f"{study.titles.get(method, method)}: {on} instances, evenly spread; seeds: {seeds}.")
        if said := _collapsed(study, some):
            notes.append(f"{study.titles.get(method, method)} has collapsed: {said}. Its order there means nothing.")
    return notes


def _collapsed(study: Study, records: Iterable[Record]) -> str:
    """How many of a method's answers say of themselves that they have collapsed, by data set."""
    said = []
    for (dataset,), some in grouped(records, "dataset").items():
        number = sum(record["values"].get("collapsed", 0) for record in some)
        if number:
            every = sum(record["values"]["instances"] for record in some)
            said.append(f"{number} of {every} answers on {study.titles.get(dataset, dataset)}")
    return ", ".join(said)


def part_tables(study: Study, records: Sequence[Record], value: str, title: str) -> list[Table]:
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
            for kind, part in _parts(here, dataset, value)
        }
        rows = []
        order = present(study.titles, here, "method")
        for (method, variant), own in sorted(
            grouped(here, "method", "variant").items(), key=lambda pair: (order.index(pair[0][0]), pair[0][1])
        ):
            entries = {
                key: entry_of((r for r in own if r["dataset"] == dataset), of_part(value, kind, part))
                for key, (dataset, kind, part) in places.items()
            }
            label = study.titles.get(method, method) + (f" ({variant})" if variant else "")
            rows.append(Row(label, entries, control=is_control(method)))
        if places:
            columns = {key: f"{study.titles[dataset]}: {part}" for key, (dataset, _, part) in places.items()}
            counts, half = study.seeds is not None, study.half_words(here)
            tables.append(Table(f"{title}, {words}", columns, rows, best="high", counts=counts, half=half))
    return tables


def _parts(records: Sequence[Record], dataset: str, value: str) -> list[tuple[str, str]]:
    """The classes and groups that the records of a data set know, in their order."""
    found: dict[tuple[str, str], None] = {}
    for record in records:
        if record["dataset"] == dataset:
            for kind in ("class", "group"):
                found |= dict.fromkeys((kind, part) for part in record["values"].get(f"{value}_by_{kind}", {}))
    return list(found)


def of_part(name: str, kind: str, part: str) -> Value:
    """A number of one class or group, where a record knows it."""

    def find(record: Record) -> Any:
        return record["values"].get(f"{name}_by_{kind}", {}).get(part)

    return find


def by_rule(study: Study, records: Sequence[Record]) -> list[Table]:
    """AUC of the methods that draw subgraphs, by every scoring rule; nothing if no record knows the rules."""
    if not any(value_of(record, rule) is not None for record in records for rule in RULES):
        return []
    rows = []
    for method, own_rule in OWN_RULE.items():
        some = [record for record in records if record["method"] == method]
        for rule, words in RULES.items():
            value = ruled(rule) if rule == own_rule else rule
            entries = {name: entry_of(each, value) for (name,), each in grouped(some, "dataset").items()}
            if any(entry.values for entry in entries.values()):
                rows.append(Row(f"{study.titles[method]}: {words}{' (Table 1)' * (rule == own_rule)}", entries))
    title = "AUC, own motif, by scoring rule"
    return [Table(title, study.columns(records), rows, best="high", half=study.half_words(records))]


def ruled(rule: str) -> Value:
    """The AUC by a rule; of a method that is scored by this rule in Table 1, also if the record names no rules."""

    def find(record: Record) -> float | None:
        values = record["values"]
        return values.get(rule, values.get("auc_own") if OWN_RULE.get(record["method"]) == rule else None)

    return find


def settings_table(study: Study, records: Sequence[Record]) -> list[Table]:
    """The settings that were chosen for each method on the tuning half, with all that were tried; if there are any."""
    rows, notes = [], []
    for method in present(study.titles, records, "method"):
        some = [record for record in records if record["method"] == method and "settings" in record["values"]]
        chosen = {r["dataset"]: Entry(instead=settings_words(r["values"]["settings"])) for r in some}
        tried = {settings_words(one["settings"]): None for r in some for one in r["values"].get("tried", ())}
        rows += [Row(study.titles.get(method, method), chosen, compared=False)] if chosen else []
        notes += [f"{study.titles.get(method, method)}, tried: {'; '.join(tried)}."] if tried else []
    if not rows:
        return []
    notes.insert(
        0, "Chosen for each data set on the tuning half by what the method itself is after, without any motif."
    )
    return [Table("Settings of the other methods", study.columns(records), rows, counts=False, notes=notes)]


def settings_words(settings: Mapping[str, Any]) -> str:
    """Settings as people write them: ``size 0.01, entropy 0.1``."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= {f"price of {key}": price for key, price in value.items()} if isinstance(value, dict) else {name: value}
        if value == {}:
            flat["prices"] = "none"
    return ", ".join(f"{name} {value}" for name, value in flat.items()) or "as usual"
