"""The studies of ``assets/content/studies.toml``: what each asks, the grid of its cells, and what measures one.

A study is an entry there and one function ``measure(cell) -> values``. What its records decide is in
``assets/content/claims.toml``.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import product
from typing import Any

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.cells import Cell
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import DATASETS

TITLES = {name: info.title for name, info in DATASETS.items() if info.knows_reasons}
"""Of the data sets whose motifs are known."""
CONTENT: dict[str, Any] = tomllib.loads((ASSETS / "content" / "studies.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Study:
    """A question, and the cells that answer it.

    Attributes:
        name: Of its command and of its file of records.
        title: Its chapter among the results.
        question: What it answers.
        measure: The function that computes a cell's values, as ``module:name``.
        methods: Titles of its methods that are no explainers, or are called otherwise here.
        grid: Blocks of its cells.
        options: How its cells are computed by default.
        quick: Options for a run that only shows that it works.
        datasets: Its data sets.
        side_by_side: Whether its cells may run at the same time.
    """

    name: str
    title: str
    question: str
    measure: str
    methods: Mapping[str, str] = field(default_factory=dict)
    grid: Sequence[Mapping[str, Any]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    datasets: Sequence[str] = tuple(TITLES)
    side_by_side: bool = True

    @property
    def titles(self) -> dict[str, str]:
        """Of all methods, in the order in which they are shown."""
        return {name: info.title for name, info in METHODS.items()} | dict(self.methods)

    def cells(self, quick: bool = False, **options: Any) -> list[Cell]:
        """Its grid, with some options instead of its own."""
        cells = []
        for block in self.grid:
            how = {**self.options, **options, **block.get("options", {})}
            how |= {**self.quick, **block.get("quick", {})} if quick else {}
            axes = (block.get(axis, [""]) for axis in ("methods", "gnns", "variants"))
            seeds = range(1 if quick else block.get("seeds", 1))
            for dataset, method, gnn, variant, seed in product(block.get("datasets", self.datasets), *axes, seeds):
                if variant not in ("cpu", "cuda") or variant == how["device"]:  # times of each device are a variant
                    cells.append(Cell(self.name, dataset, method, seed, variant, gnn, how))
        return cells

    def compute(self, cell: Cell) -> dict[str, Any]:
        """The values of a cell, plain JSON without NaN."""
        module, _, name = self.measure.partition(":")
        return getattr(import_module(module), name)(cell)


STUDIES = {name: Study(name, **entry) for name, entry in CONTENT.items() if name != "table"}
"""By name, in the order in which they are shown."""
