"""Records of cells as a table for people: mean ± standard deviation over the seeds."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence

from gfx_core.bench.cells import Record

Value = str | Callable[[Record], float | None]
"""A name in a record's values, or what finds the number in a record."""

NOTHING = "–"


def value_of(record: Record, value: Value) -> float | None:
    """The number that a record holds; None if it has none, as a failed cell."""
    if record.get("status") != "done":
        return None
    return value(record) if callable(value) else record["values"].get(value)


def mean_std(values: Sequence[float], digits: int = 3) -> str:
    """``mean ± std (n)``; the sample's standard deviation (n - 1), which a single value does not have."""
    if not values:
        return NOTHING
    mean = f"{statistics.fmean(values):.{digits}f}"
    if len(values) == 1:
        return f"{mean} (1)"
    return f"{mean} ± {statistics.stdev(values):.{digits}f} ({len(values)})"


def table_of(
    records: Iterable[Record],
    value: Value,
    *,
    digits: int = 3,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    titles: Mapping[str, str] | None = None,
    paper: Mapping[str, Mapping[str, float]] | None = None,
) -> str:
    """A Markdown table: a row for each method (and variant), a column for each data set.

    Args:
        records: Of one benchmark.
        value: Which number.
        digits: After the point.
        datasets: Columns and their order; by default those of the records, as they come.
        methods: Rows and their order; by default those of the records, as they come.
        titles: What people call data sets and methods.
        paper: Rows of figures from elsewhere, by label and data set, shown below the measured ones.
    """
    records, titles = list(records), titles or {}
    datasets = list(dict.fromkeys(record["dataset"] for record in records) if datasets is None else datasets)
    rows = list(dict.fromkeys((record["method"], record["variant"]) for record in records))
    if methods is not None:
        variants = {method: [row for row in rows if row[0] == method] or [(method, "")] for method in methods}
        rows = [row for method in methods for row in variants[method]]
    lines = [[""] + [titles.get(name, name) for name in datasets]]
    mixed = False
    for method, variant in rows:
        label = titles.get(method, method)
        line = [f"{label} ({variant})" if variant else label]
        for dataset in datasets:
            place = (method, variant, dataset)
            found = [(r, value_of(r, value)) for r in records if (r["method"], r["variant"], r["dataset"]) == place]
            numbers = {r["key"]: (r, number) for r, number in found if number is not None}
            differ = any(r["options"] != numbers[key][0]["options"] for key in numbers for r, _ in numbers.values())
            mixed = mixed or differ
            line.append(mean_std([number for _, number in numbers.values()], digits) + " †" * differ)
        lines.append(line)
    for label, figures in (paper or {}).items():
        lines.append([label] + [f"{figures[d]:.{digits}f}" if d in figures else NOTHING for d in datasets])
    text = [f"| {' | '.join(line)} |" for line in lines]
    text.insert(1, "|---|" + "---:|" * len(datasets))
    if mixed:
        text += ["", "† Its seeds were computed with different options."]
    return "\n".join(text)
