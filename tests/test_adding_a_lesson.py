"""The README's recipe for a lesson, followed to the letter: the row of lessons, links and progress know it."""

import re
import subprocess
import sys

from tests.conftest import ROOT
from tests.recipes import added_line, recipe

RECIPE = recipe("A lesson")
(CODE,) = re.findall(r"```py\n(.*?)```", RECIPE, re.DOTALL)
TITLE = added_line(RECIPE.replace("to `SHORT_TITLES` in", "to"), "pages/ui/lessons/frame.py")

RUN = f"""
import re, sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

import pages.ui.lessons
spec = find_spec("pages.ui.lessons.frame")
text = Path(spec.origin).read_text(encoding="utf-8")
(titles,) = re.findall(r"^SHORT_TITLES = [(](.*?)[)]$", text, re.MULTILINE | re.DOTALL)
module = sys.modules[spec.name] = module_from_spec(spec)
exec(compile(text.replace(titles, titles + ', ' + {TITLE!r}), spec.origin, "exec"), vars(module))
pages.ui.lessons.frame = module
lesson = sys.modules["pages.ui.lessons.lesson_10"] = ModuleType("pages.ui.lessons.lesson_10")
exec({CODE!r}, vars(lesson))

from tests.pages.page_reading import opened

at = opened("learn", lesson="10")
assert not at.exception
assert at.title[0].value == "10 · Water again"
assert any("leaves again" in each.value for each in at.markdown)
assert at.button(key="lesson-10").label
"""


def test_one_file_is_a_lesson() -> None:
    assert "`pages/ui/lessons/lesson_10.py`" in RECIPE
    done = subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
