"""The README's recipe for a knob, followed to the letter: links, the page, the command line and recordings know it."""

import re
import subprocess
import sys

from tests.conftest import ROOT
from tests.recipes import recipe

RECIPE = recipe("A knob")
(FIELD,) = re.findall(r"```py\n(.*?)```", RECIPE, re.DOTALL)
BEFORE = "    epochs: Annotated["

CODE = f"""
import contextlib, io, sys, tempfile
from importlib.util import find_spec, module_from_spec
from pathlib import Path

spec = find_spec("gfx_core.gfn.settings")
text = Path(spec.origin).read_text(encoding="utf-8")
assert text.count({BEFORE!r}) == 1
module = sys.modules[spec.name] = module_from_spec(spec)
exec(compile(text.replace({BEFORE!r}, {FIELD + BEFORE!r}), spec.origin, "exec"), vars(module))

import pytest
from gfx_core import UserError
from gfx_core.__main__ import main
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.settings import GFNConfig
from gfx_core.training import recording
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.training import defaults_for, restarts, training_names
from pages.ui.address import SMALL
from pages.ui.train.link import FIELDS
from tests.pages.page_reading import opened, url

warm, usual = (changed(GFNConfig(), {{"warmth": 3}}), GFNConfig())
assert (warm.warmth, usual.warmth) == (3.0, 1.5)
assert GFNConfig.from_dict(warm.as_dict()) == warm
with pytest.raises(UserError, match="Warmth must be a number from 0 to 9"):
    GFNConfig(warmth=10)

toy = defaults_for(LessonGraph("toy"))
assert training_names([toy, toy.changed({{"warmth": 2}})]) == ("Warmth 1.5", "Warmth 2")
assert not restarts(toy, toy.changed({{"warmth": 2}}))

parameter = FIELDS[1]["warmth"]  # in links
assert (parameter.name, parameter.parse("3"), parameter.spell(2.5)) == ("warm1", 3.0, "2.5")
assert "warm2" in SMALL

at = opened("train", story="none", graph="toy", warm1="2")  # on the page
slider = at.select_slider(key="warm1")
assert (slider.label, slider.value) == ("Warmth", 2.0)
assert "Acts at once" in slider.help and "How warm it is." in slider.help
at.select_slider(key="warm1").set_value(3.0).run()
assert url(at, "warm1") == "3"

for command in (["train", "policy"], ["train", "record"]):  # on the command line
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
        main([*command, "--help"])
    assert "--warmth VALUE" in shown.getvalue() and "How warm it is." in shown.getvalue()
with contextlib.redirect_stderr(shown):
    assert main(["train", "record", "epsilon", "--warmth", "11"]) == 2
assert "Warmth must be" in shown.getvalue()

with tempfile.TemporaryDirectory() as folder:  # in the recording
    assert main(["train", "record", "epsilon", "--epochs", "3", "--warmth", "2.5", "--out", folder]) == 0
    made = recording.read(Path(folder) / "epsilon.json")
assert [lane.config["warmth"] for lane in made.lanes] == [2.5, 2.5]
assert made.lanes[0].training.config.warmth == 2.5
"""


def test_one_field_is_found_in_all_places() -> None:
    assert "`GFNConfig`, in `gfx_core/gfn/settings.py`" in RECIPE
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
