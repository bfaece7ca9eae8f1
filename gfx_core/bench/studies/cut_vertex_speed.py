"""How long it takes to know the cut vertices after every added node: Theorem 1 against searching anew."""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity, Table, present
from gfx_core.bench.verdicts import Verdict
from gfx_core.drawing.race_figure import METHODS, race_figure, race_verdict

SIZES, SETS = (5, 10, 20, 40, 80, 160), (1, 256)
"""Numbers of nodes to grow to, and how many subgraphs grow at a time."""


def _ms(method: str) -> Quantity:
    return Quantity(lambda record: 1e3 * record["values"][method], f"{METHODS[method]}, ms", digits=2)


def _ratio(method: str) -> Quantity:
    def find(record: Record) -> float:
        return record["values"][method] / record["values"]["tracker"]

    return Quantity(find, f"{METHODS[method]} as a multiple of 𝒵", digits=2)


_SHOWN = (*map(_ms, METHODS), _ratio("tarjan"), _ratio("networkx"))


class CutVertexRace(Study):
    name = "cut_vertices"
    purpose = "time to know the cut vertices of growing subgraphs, against Tarjan's search"
    title = "Cut vertices"
    question = "Is the matrix 𝒵 of Theorem 1 faster than searching for the cut vertices after every added node?"
    workers = 1
    datasets: ClassVar = {f"{size}_nodes": f"{size} nodes" for size in SIZES}
    any_dataset = False
    methods: ClassVar = {f"{sets}_at_a_time": f"{sets} at a time" for sets in SETS}
    seeds = None
    options: ClassVar = {"largest": SIZES[-1], "repeats": 3, "seconds": 2.0}
    quick_options: ClassVar = {"largest": 12, "repeats": 1, "threads": 1}

    def compute(self, cell: Cell) -> dict[str, Any]:
        """Seconds of each method, of all subgraphs from the start node to that size."""
        import torch

        from gfx_core.bench.measures.stopwatch import threads
        from gfx_core.gfn.cut_vertex_race import race, random_growths

        sets, size = int(cell.method.split("_")[0]), min(int(cell.dataset.split("_")[0]), cell.options["largest"])
        growths = [each[:size] for each in random_growths(cell.options["largest"], sets, cell.seed)]
        with threads(cell.options.get("threads")):
            options = {name: cell.options[name] for name in ("repeats", "seconds")}
            seconds = race(growths, device=cell.device, **options)
            return {"sets": sets, "size": size, **seconds, "threads": torch.get_num_threads()}

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """Accumulated milliseconds of the whole batch, and how they compare, for each number of subgraphs."""
        found = []
        for name in present(self.methods, records, "method"):
            here = [record for record in records if record["method"] == name]
            found.append(self.by_value(here, _SHOWN, f"Subgraphs growing {self.methods[name]}"))
        return found

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Who is fastest at which sizes."""
        return [Verdict("Fastest", sentence) for sentence in race_verdict([record["values"] for record in records])]

    def figure(self, records: Sequence[Record]) -> Any:
        """The paper's time comparison: a line for each method and number of subgraphs, axes logarithmic."""
        return race_figure([record["values"] for record in records])
