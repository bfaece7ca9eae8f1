"""The limit of open files, in processes of their own: it cannot be taken back."""

import subprocess
import sys

import pytest

pytest.importorskip("resource")


def limited(soft: int, hard: int, wanted: int) -> tuple[int, str]:
    """What the limit becomes where it was so low, and what is said."""
    code = (
        f"import resource as r; r.setrlimit(r.RLIMIT_NOFILE, ({soft}, {hard}))\n"
        f"from gfx_core.limits import raise_open_files; said = raise_open_files({wanted})\n"
        "print(r.getrlimit(r.RLIMIT_NOFILE)[0], said)"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    number, _, said = found.strip().partition(" ")
    return int(number), said


@pytest.mark.parametrize(
    ("soft", "hard", "becomes", "says"),
    [
        (256, 512, 400, ""),
        (450, 512, 450, ""),
        (256, 300, 300, "only 300 files and connections, enough for about 80"),
    ],
)
def test_the_limit_is_raised_as_far_as_it_may_be(soft: int, hard: int, becomes: int, says: str) -> None:
    number, said = limited(soft, hard, 400)
    assert number == becomes
    assert (says in said) if says else said == ""
