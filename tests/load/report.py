"""What the visitors waited, as tables: beside it what one visitor alone waits."""

import math
import statistics
from collections.abc import Sequence

from tests.load.server import Use
from tests.load.walk import STEPS, Found


def share(values: Sequence[float], part: float) -> float:
    """The value that this part of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(part * len(ordered)) - 1))]


def seconds_table(alone: Found, together: Found) -> str:
    """The seconds of each step, as Markdown."""
    lines = [
        "| step | one visitor, s | p50 | p95 | max | p95 / one | aim | reached |",
        "|---|---:|---:|---:|---:|---:|---|---|",
    ]
    for step in STEPS:
        one, many = alone.seconds.get(step.title, []), together.seconds.get(step.title, [])
        if not one or not many:
            lines.append(f"| {step.title} | – | – | – | – | – | ≤ {step.most_ratio:g} × | no |")
            continue
        usual, most = statistics.median(one), share(many, 0.95)
        ratio = most / usual
        cells = [f"{value:.2f}" for value in (usual, statistics.median(many), most, max(many))]
        reached = "yes" if ratio <= step.most_ratio else "no"
        lines.append(f"| {step.title} | {' | '.join(cells)} | {ratio:.1f} | ≤ {step.most_ratio:g} × | {reached} |")
    return "\n".join(lines)


def use_table(uses: dict[str, Use]) -> str:
    """What the server took, by moment, as Markdown."""
    lines = ["| | pages, MB | workers, MB | workers | open files |", "|---|---:|---:|---:|---:|"]
    for when, use in uses.items():
        lines.append(f"| {when} | {use.server_mb:.0f} | {use.workers_mb:.0f} | {use.workers} | {use.files} |")
    return "\n".join(lines)


def errors_told(found: Found) -> str:
    """All that went wrong, each once with how often."""
    if not found.errors:
        return "No errors."
    counts = {error: found.errors.count(error) for error in dict.fromkeys(found.errors)}
    return "\n".join([f"{len(found.errors)} errors:", *(f"- {count} × {error}" for error, count in counts.items())])
