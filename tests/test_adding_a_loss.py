"""The README's recipe for a loss, followed to the letter: tables, networks, Train and recordings know it."""

import re
import subprocess
import sys

from tests.conftest import ROOT
from tests.recipes import added_line, recipe

RECIPE = recipe("A loss")
(CODE,) = re.findall(r"```py\n(.*?)```", RECIPE, re.DOTALL)
VALUE = added_line(RECIPE.replace("to `Loss`, in", "to"), "gfx_core/gfn/settings.py")
BEFORE = "    DETAILED_BALANCE = "

RUN = f"""
import sys, tempfile
from importlib.util import find_spec, module_from_spec
from pathlib import Path

spec = find_spec("gfx_core.gfn.settings")
text = Path(spec.origin).read_text(encoding="utf-8")
assert text.count({BEFORE!r}) == 1
module = sys.modules[spec.name] = module_from_spec(spec)
exec(compile(text.replace({BEFORE!r}, {f"    {VALUE}" + chr(10) + BEFORE!r}), spec.origin, "exec"), vars(module))

from gfx_core.gfn import objectives
exec({CODE!r}, vars(objectives))

from gfx_core.__main__ import main
from gfx_core.gfn.settings import Loss
from gfx_core.training import recording
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.session import Session
from gfx_core.training.training import defaults_for, training_names
from pages.ui.train.link import FIELDS

toy = defaults_for(LessonGraph("toy"))
for flow_model in ("table", "network"):
    training = toy.changed({{"loss": "huber", "flow_model": flow_model, "epochs": 60, "lr": 0.1}})
    session = Session(training.question, training.config)
    before = session.frame()["total_variation"]
    session.advance(60)
    assert session.frame()["total_variation"] < before
assert training_names([toy, toy.changed({{"loss": "huber"}})])[1] == "flow matching, Huber"
assert FIELDS[1]["loss"].parse("huber") is Loss.HUBER

with tempfile.TemporaryDirectory() as folder:
    assert main(["train", "record", "epsilon", "--epochs", "3", "--loss", "huber", "--out", folder]) == 0
    made = recording.read(Path(folder) / "epsilon.json")
assert made.lanes[0].training.config.loss is Loss.HUBER
"""


def test_one_class_is_found_in_all_places() -> None:
    done = subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
