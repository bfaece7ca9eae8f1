"""A worker loads PyG without what nobody uses, and has all of it when somebody does."""

import subprocess
import sys

from tests.conftest import ROOT

_SCRIPT = """
import sys
from gfx_core.device import import_compiler, import_pyg
import_pyg()
import torch, torch_geometric
from gfx_core.job_context import JobContext
from gfx_core.explanation.question import Question
from gfx_core.jobs.requests import Explain
Explain(Question("tree_cycles", "511", samples=2)).answer(JobContext())
heavy = {"torch._dynamo", "pandas"} & set(sys.modules)
layer = torch.nn.Linear(2, 1)
assert torch_geometric.is_torch_instance(layer, torch.nn.Linear)  # which asks the compiler
torch.optim.Adam(layer.parameters()).step()
import_compiler()
assert torch._dynamo is sys.modules["torch._dynamo"]
import pandas
assert len(pandas.DataFrame({"x": [1]})) == 1
import_pyg()
sys.exit(f"loaded before anybody asked: {heavy}" if heavy else 0)
"""


def test_pyg_comes_without_the_compiler_until_somebody_needs_it() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
