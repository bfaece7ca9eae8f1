"""A knob, a loss, an option of a question and a lesson are added as the recipe says: all places know them."""

import subprocess
import sys

from tests.conftest import ROOT


def test_one_line_or_class_is_found_in_all_places() -> None:
    command = [sys.executable, "-m", "tests.added_lines"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
