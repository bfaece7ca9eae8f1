"""The README's recipe for an option of a question, followed to the letter: links, commands and workers know it."""

import re
import subprocess
import sys

from tests.conftest import ROOT
from tests.recipes import recipe

(FIELD,) = re.findall(r"```py\n(.*?)```", recipe("An option of a question"), re.DOTALL)
BEFORE = "    seed: Annotated["

CODE = f"""
import contextlib, io, sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path

spec = find_spec("gfx_core.explanation.question")
text = Path(spec.origin).read_text(encoding="utf-8")
assert text.count({BEFORE!r}) == 1
module = sys.modules[spec.name] = module_from_spec(spec)
exec(compile(text.replace({BEFORE!r}, {FIELD + BEFORE!r}), spec.origin, "exec"), vars(module))

import pytest
from gfx_core import GFlowExplainer, UserError, explain, load_dataset, load_model
from gfx_core.__main__ import main
from gfx_core.explanation.question import Question
from gfx_core.jobs import messages
from gfx_core.jobs.requests import Explain
from pages.ui.explorer.parameters import OPTIONS

warm, cold = Question("tree_cycles", "612", warmth=2), Question("tree_cycles", "612")
assert (warm.warmth, cold.warmth) == (2.0, 1.5)
assert not warm.is_plain and cold.is_plain and warm.policy != cold.policy  # nobody takes one for the other
with pytest.raises(UserError, match="The warmth must be a number from 0 to 9"):
    Question("tree_cycles", "612", warmth=10)

parameter = OPTIONS["warmth"]
assert (parameter.name, parameter.parse("3"), parameter.spell(2.5)) == ("warmth", 3.0, "2.5")

shown = io.StringIO()
with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
    main(["explain", "--help"])
assert "--warmth WARMTH" in shown.getvalue() and "how warm it is" in shown.getvalue()
with contextlib.redirect_stderr(shown):
    assert main(["explain", "--dataset", "tree_cycles", "--index", "612", "--warmth", "11"]) == 2
assert "The warmth must be" in shown.getvalue()

model, data = load_model("tree_cycles"), load_dataset("tree_cycles")
assert GFlowExplainer(warmth=4).question(model, data, 600).warmth == 4.0
with pytest.raises(UserError, match="The warmth must be"):
    explain(model, data, 600, warmth="hot")

assert messages.decode_request(messages.encode_request(Explain(warm))) == Explain(warm)
"""


def test_one_field_is_found_in_all_places() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
