"""Snapshots of the lessons' trainings: as they come, and all of them together. Needs no torch.

A training emits ``{"is": "snapshot", "of": NAME, "numbers": {...}}`` each time it looks at itself, so a page can draw
what there is before it is finished.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np


def stacked(snapshots: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Some snapshots together: numbers become lists, arrays get one more dimension, in front."""
    names = snapshots[0].keys() if snapshots else ()
    columns = {name: [snapshot[name] for snapshot in snapshots] for name in names}
    return {name: np.stack(values) if np.ndim(values[0]) else values for name, values in columns.items()}


def so_far(events: Iterable[Mapping[str, Any]], of: str = "") -> dict[str, Any] | None:
    """What one training of a job has shown until now, in the form of its answer; None if nothing yet."""
    found = [event["numbers"] for event in events if event.get("is") == "snapshot" and event.get("of") == of]
    return stacked(found) if found else None


def all_so_far(events: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, dict[str, Any]] | None:
    """What several trainings have shown until now, all equally much; None if one has shown nothing yet."""
    found = {name: part for name in names if (part := so_far(events, name)) is not None}
    if len(found) < len(names):
        return None
    least = min(len(part["steps"]) for part in found.values())
    return {name: {key: values[:least] for key, values in part.items()} for name, part in found.items()}
