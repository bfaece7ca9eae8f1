"""Importing the package is cheap and free of circles; what pages show needs no torch, which takes seconds to load."""

import subprocess
import sys

import grimp
import networkx as nx
import pytest

import gfx_core
from tests.conftest import ROOT

TORCH_FREE = """
import sys
before = set(sys.modules)
import gfx_core
new = {name.split(".")[0] for name in {*sys.modules} - before} - {"gfx_core"} - sys.stdlib_module_names
assert not new, new

def check(what, banned):
    loaded = {"torch", "torch_geometric", *banned.split()} & set(sys.modules)
    assert not loaded, (what, loaded)

for modules, banned in (  # in this order, as what one loads is there for the next
    ("gfx_core.trace.serialize, gfx_core.trace.schema", "numpy networkx pandas streamlit"),
    ("gfx_core.metrics.summary", "sklearn networkx scipy pandas"),
    ("gfx_core.training.training, gfx_core.training.recording, gfx_core.drawing.state_graph", "scipy pandas"),
    ("gfx_core.jobs.pool, gfx_core.trace.edit, gfx_core.limits", "plotly pandas rdkit"),
):
    exec(f"import {modules}")
    check(modules, banned)

from gfx_core.device import gpu_name
from gfx_core.gnn.checkpoint import model_path, read_header
gfx_core.load_dataset("tree_cycles").instance(600)
read_header(model_path("tree_cycles"))
gpu_name()
check("a data set and the header of a checkpoint", "")
import pages.ui.jobs
check("pages.ui.jobs", "rdkit")
"""

COMPILER_LATE = """
import sys
from gfx_core.device import COMPILER
from gfx_core.jobs.requests import explain, import_pyg, load
import_pyg()
import torch, torch_geometric
from gfx_core.job_context import JobContext
from gfx_core.explanation.question import Question
explain(Question("tree_cycles", "511", samples=2)).answer(JobContext())
heavy = {"torch._dynamo", "pandas"} & set(sys.modules)
layer = torch.nn.Linear(2, 1)
assert torch_geometric.is_torch_instance(layer, torch.nn.Linear)  # which needs the compiler
torch.optim.Adam(layer.parameters()).step()
load((COMPILER,), JobContext())
assert torch._dynamo is sys.modules["torch._dynamo"]
import pandas
assert len(pandas.DataFrame({"x": [1]})) == 1
import_pyg()
assert not heavy, heavy
"""


@pytest.mark.parametrize("script", [TORCH_FREE, COMPILER_LATE], ids=["torch", "compiler"])
def test_what_is_loaded(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_lazy_name_is_there() -> None:
    assert all(getattr(gfx_core, name) is not None for name in gfx_core.__all__)


def test_no_module_imports_itself_in_a_circle() -> None:
    """Imports inside functions count too."""
    graph = grimp.build_graph("gfx_core", "pages", cache_dir=None)
    arrows = nx.DiGraph((one, other) for one in graph.modules for other in graph.find_modules_directly_imported_by(one))
    assert len(arrows.edges) > 500
    assert [circle for circle in nx.strongly_connected_components(arrows) if len(circle) > 1] == []
