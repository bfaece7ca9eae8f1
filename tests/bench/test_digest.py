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
    found = []
    for name, source in (("one", text), ("two", change + text.replace("is negative", "must not be negative"))):
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.setattr(digest, "find_spec", lambda name: SimpleNamespace(origin=str(tmp_path / f"{name}.py")))
        digest._module_digest.cache_clear()
        found.append(digest._module_digest(name))
    digest._module_digest.cache_clear()
    assert (found[0] == found[1]) is same


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
