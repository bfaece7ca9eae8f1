"""Importing the package is cheap, and what pages show is had without torch, which takes seconds and hundreds of MB."""

import subprocess
import sys

import gfx_core
from tests.conftest import ROOT

TORCH_FREE = (
    ("gfx_core.trace.serialize, gfx_core.trace.schema", "numpy networkx pandas streamlit"),
    ("gfx_core.metrics.summary", "sklearn networkx scipy pandas"),
    ("gfx_core.training.training, gfx_core.training.recording, gfx_core.drawing.state_graph", "scipy pandas"),
    ("gfx_core.bench.report, gfx_core.jobs.pool, gfx_core.trace.edit, gfx_core.limits", "plotly pandas rdkit"),
)
"""Modules, and what else they do not load; in this order, as what one step loads is there in the next."""

_SCRIPT = f"""
import sys
before = set(sys.modules)
import gfx_core
new = {{name.split(".")[0] for name in {{*sys.modules}} - before}} - {{"gfx_core"}} - sys.stdlib_module_names
assert not new, new

def check(what, banned):
    loaded = {{"torch", "torch_geometric", *banned.split()}} & set(sys.modules)
    assert not loaded, (what, loaded)

for modules, banned in {TORCH_FREE!r}:
    exec(f"import {{modules}}")
    check(modules, banned)

from gfx_core.device import detect_device
from gfx_core.gnn.checkpoint import model_path, read_header
gfx_core.load_dataset("tree_cycles").instance(600)
read_header(model_path("tree_cycles"))
detect_device()
check("a data set and the header of a checkpoint", "")

from gfx_core.bench.report import STUDIES, read_records
for study in STUDIES.values():
    study.tables(read_records(study))
check("all results", "plotly")
import pages.ui.jobs
check("pages.ui.jobs", "rdkit")

from gfx_core.drawing.state_graph import dag_picture
from gfx_core.drawing.state_graph import PolicyDag
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.jobs import messages
from gfx_core.training.lesson_graphs import Practice, practice_instance
picture = dag_picture(enumerate_states(practice_instance(Practice.TOY)), practice_instance(Practice.TOY))
sent = PolicyDag(picture, max_nodes=10, cap=4000, total_variation=0.1)
assert messages.decode(messages.encode(sent), PolicyDag) == sent
check("the states that a worker sends", "")
"""


def test_what_pages_need_loads_no_torch() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_lazy_name_is_there() -> None:
    for name in gfx_core.__all__:
        assert getattr(gfx_core, name) is not None


def test_policies_are_trained_and_measured_without_msgspec() -> None:
    modules = "gfx_core.__main__, gfx_core.explanation.explainer, gfx_core.bench.run"
    script = f"import sys; sys.modules['msgspec'] = None; import {modules}"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
