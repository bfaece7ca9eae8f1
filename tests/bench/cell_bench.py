"""Real runs for tests: a folder with tiny cells that worker processes can import, and what the cells leave."""

import io
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from gfx_core.bench.cells import Cell
from gfx_core.bench.runner import Outcome, RunOptions, run_cells

TOY = "gfx_toy_study"
MODULE = '''
"""A study whose cells leave a file for each time they are begun, and behave as their method says."""
import os, signal, sys, time, uuid
from pathlib import Path

from gfx_core.bench.study import Study

class Toy(Study):
    name = "auc"  # in place of the real one
    value = "auc"

    def cost(self, cell):
        return cell.options.get("costs", {}).get(str(cell.seed), 1.0)

    def compute(self, cell):
        return values_of(cell)

    def tables(self, records):
        return []

STUDIES = [Toy()]

def begun(folder, seed):
    return len(list(Path(folder).glob(f"{seed}-*")))

def values_of(cell):
    folder = cell.options["folder"]
    (Path(folder) / f"{cell.seed}-{uuid.uuid4().hex}").write_text(str(os.getpid()))
    if cell.method == "raises":
        raise RuntimeError(f"seed {cell.seed} is unlucky")
    if cell.method == "dies" or (cell.method == "dies_once" and begun(folder, cell.seed) == 1):
        os.kill(os.getpid(), signal.SIGKILL)
    if cell.method == "leaves":
        os._exit(7)
    if cell.method == "slow" or (cell.method == "slow_once" and begun(folder, cell.seed) == 1):
        time.sleep(600)
    if cell.method == "alone":
        mark = Path(folder).parent / "someone"
        mark.touch(exist_ok=False)
        time.sleep(0.2)
        mark.unlink()
    values = {"auc": cell.seed / 10, "pid": os.getpid(), "torch": "torch" in sys.modules}
    if cell.method == "torch":
        import torch
        values["threads"] = torch.get_num_threads()
    return values
'''
SCRIPT = """
import json, sys
from pathlib import Path
from gfx_core.bench.cells import Cell
from gfx_core.bench.registry import STUDIES
from gfx_core.bench.runner import RunOptions, run_cells

if __name__ == "__main__":
    cells = [Cell(**cell) for cell in json.loads(sys.argv[1])]
    options = RunOptions(workers=2, folder=Path(sys.argv[2]))
    sys.exit(run_cells(STUDIES["auc"], cells, options).status)
"""


class Bench:
    """A folder for the table and one in which the cells leave their traces; processes find the study by GFX_STUDIES."""

    def __init__(self, folder: Path) -> None:
        self.out, self.traces, self.code = folder / "out", folder / "traces", folder / "code"
        for part in (self.traces, self.code):
            part.mkdir()
        (self.code / f"{TOY}.py").write_text(MODULE)
        (self.code / "script.py").write_text(SCRIPT)
        self.shown = io.StringIO()

    def cells(self, *methods: str, **options: Any) -> list[Cell]:
        """A cell for each name, with its place as the seed."""
        options["folder"] = str(self.traces)
        return [Cell("auc", "d1", method, seed, options=options) for seed, method in enumerate(methods)]

    def run(self, cells: list[Cell], workers: int = 2, **options: Any) -> Outcome:
        (study,) = import_module(TOY).STUDIES
        return run_cells(study, cells, RunOptions(workers, folder=self.out, **options), self.shown)

    def start(self, cells: list[Cell]) -> "subprocess.Popen[str]":
        """The same in another process, in a group of its own, as a terminal would start it."""
        given = [
            {part: getattr(c, part) for part in ("benchmark", "dataset", "method", "seed", "options")} for c in cells
        ]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(self.code), *filter(None, sys.path)])}
        command = [sys.executable, str(self.code / "script.py"), json.dumps(given), str(self.out)]
        return subprocess.Popen(
            command,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
        )

    def begun(self) -> Counter[int]:
        """How often each cell has been begun, by seed."""
        return Counter(int(path.name.split("-")[0]) for path in self.traces.iterdir())

    def pids(self) -> set[int]:
        return {int(path.read_text() or 0) for path in self.traces.iterdir()}

    def written(self) -> list[bytes]:
        """The lines of the journal, one for each finished cell."""
        journal = self.out / "auc.partial.jsonl"
        return journal.read_bytes().splitlines(keepends=True) if journal.exists() else []

    def table(self) -> dict[str, Any]:
        return json.loads((self.out / "auc.json").read_text())  # type: ignore[no-any-return]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
