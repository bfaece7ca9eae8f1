"""A record knows what it was made from."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from gfx_core.bench import digest
from gfx_core.bench.digest import data_digest, file_digest


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ('"""Other words."""\n', True),
        ("# a comment\n", True),
        ("from math import pi\n", True),
        ("x = 2\n", False),
        ("def f(a: int) -> int:\n    return a + 2\n", False),
    ],
)
def test_only_what_is_computed_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: str, same: bool) -> None:
    text = (
        'def f(a, b: float = 0):\n    """Adds."""\n    if a < 0: raise ValueError("a is negative")\n    return a + b\n'
    )
    found = _digests(monkeypatch, tmp_path, text, change + text.replace("is negative", "must not be negative"))
    assert (found[0] == found[1]) is same


def test_what_only_shows_records_does_not_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = "class Study:\n    def compute(self):\n        return 1\n    def claims(self):\n        return 2\n"
    one, shown, computed = _digests(monkeypatch, tmp_path, text, text.replace("2", "3"), text.replace("1", "3"))
    assert one == shown != computed


def _digests(monkeypatch: pytest.MonkeyPatch, folder: Path, *sources: str) -> list[str]:
    """Of some modules with these texts."""
    found = []
    monkeypatch.setattr(digest, "find_spec", lambda name: SimpleNamespace(origin=str(folder / f"{name}.py")))
    for number, source in enumerate(sources):
        (folder / f"m{number}.py").write_text(source)
        found.append(digest._module_digest(f"m{number}"))
    digest._module_digest.cache_clear()
    return found


def test_a_file_that_is_not_there_has_no_digest(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    assert file_digest(path) == ""
    path.write_bytes(b"1")
    first = file_digest(path)
    path.write_bytes(b"22")
    assert file_digest(path) not in ("", first)


def test_data_sets_have_digests_of_their_own() -> None:
    found = {name: data_digest(name) for name in ("tree_cycles", "tree_grid")}
    assert len(set(found.values())) == 2
    assert all(found.values())
