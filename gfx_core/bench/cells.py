"""One cell of a table: what is to be computed, and the record that computing it leaves.

A table of the paper is made of independent cells (data set × method × seed). Each names its study, which any process
finds in the registry, so the same cells run here, in other processes or on other machines.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from gfx_core.device import provenance

Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """What one cell of a table stands for.

    Attributes:
        benchmark: The study that computes it, which is also the name of its file.
        dataset: The data set.
        method: The explainer.
        seed: The seed of everything random in it.
        variant: What else tells two cells apart, e.g. the share of the instances that is trained on.
        options: How it is computed (plain JSON): ``device``, limits, epochs. Options do not make another cell: one
            with other options takes the place of the former.
    """

    benchmark: str
    dataset: str
    method: str
    seed: int
    variant: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in (self.benchmark, self.dataset, self.method, self.variant):
            if "/" in name:
                raise ValueError(f"a cell's names hold no “/” (got “{name}”)")
        plain = json.loads(json.dumps(dict(self.options), allow_nan=False))  # tuples become lists, as in the record
        object.__setattr__(self, "options", plain)

    @property
    def key(self) -> str:
        """Its place in the table."""
        parts = [self.benchmark, self.dataset, self.method, str(self.seed)]
        return "/".join([*parts, self.variant] if self.variant else parts)

    @cached_property
    def config(self) -> str:
        """A hash of all that determines its values; the same in every process and Python."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def device(self) -> str:
        """Where it is computed: the option ``device``, or the CPU."""
        return str(self.options.get("device", "cpu"))

    def __str__(self) -> str:
        return " ".join(filter(None, (self.dataset, self.method, self.variant, f"seed {self.seed}")))


def success(cell: Cell, values: Mapping[str, Any], seconds: float) -> Record:
    """The record of a cell that was computed; its values must be plain JSON without NaN."""
    plain = json.loads(json.dumps(dict(values), allow_nan=False))
    return _record(cell, seconds) | {"made": _made(cell.device), "status": "done", "values": plain}


def failure(cell: Cell, sentence: str, seconds: float | None = None) -> Record:
    """The record of a cell without values. The GPU is not asked for its name: it may be what failed."""
    made = _made("cpu") | {"device": cell.device}
    return _record(cell, seconds) | {"made": made, "status": "failed", "error": sentence}


def one_sentence(error: BaseException) -> str:
    """An exception's type and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__


def _made(device: str) -> dict[str, Any]:
    return provenance(device) | {"cpu_cores": os.cpu_count()}


def _record(cell: Cell, seconds: float | None) -> Record:
    record = {"key": cell.key, "config": cell.config} | asdict(cell)
    if seconds is not None:
        record["seconds"] = round(seconds, 3)
    return record
