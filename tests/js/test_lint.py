"""Our JavaScript is clean, and the checks that say so find what they are for."""

from pathlib import Path

import pytest

from tests.js import lint


@pytest.mark.parametrize("path", lint.MODULES, ids=lambda path: path.name)
def test_nothing_is_found(path: Path) -> None:
    assert lint.findings(path) == []


def test_nothing_is_left_over() -> None:
    assert lint.unreached() == []


def test_scripts_are_files() -> None:
    """No JavaScript hides in Python, where nobody checks it."""
    for path in [*(lint.ROOT / "pages").rglob("*.py"), *(lint.ROOT / "gfx_core").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert "export default function" not in text, path
        assert "querySelector(" not in text, path


@pytest.mark.parametrize(
    ("script", "finding"),
    [
        ("var x = 1;", "var is of another time"),
        ("document.body.innerHTML = `a`;", "never markup"),
        ("eval(`1`);", "never run"),
        ("if (window.a == 1) window.b();", "==="),
        ("window.a = fetch(`x`);", "network"),
        ("window.a = document.createElement(`p`);", "dom.js of the kit"),
        ("window.a = `${window.b} %`;", "numbers.js of the kit"),
        ("window.a = missing;", "missing is not declared"),
        ("window.a = (b) => b + missing(b);", "missing is not declared"),
        ("window.a = { missing };", "missing is not declared"),
        ("window.a = `${missing}`;", "missing is not declared"),
        ("const left = 1;", "left is declared and not used"),
        ("function left() {}", "left is declared and not used"),
        ('import { el } from "./dom.js";\nwindow.a = 1;', "el is declared and not used"),
        ("const percent = (x) => x;\nwindow.a = percent(1);", "percent is in the kit"),
        (f"window.a = {'1 + ' * 40}1;", "characters"),
        ("window.a = 1; ", "spaces at the end"),
    ],
)
def test_each_check(script: str, finding: str, tmp_path: Path) -> None:
    path = tmp_path / "x.js"
    path.write_text(f"// Something.\n\n{script}\n", encoding="utf-8")
    assert any(finding in each for each in lint.findings(path))


def test_what_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "x.js"
    path.write_text(
        """// Something with a var and an innerHTML in its words.

const [first, { second: third, ...rest }] = [1, { second: 2 }]; // 50 %
class Thing {
  constructor({ start = first }) {
    Object.assign(this, { start, var: "missing == innerHTML", rest });
  }

  turn(by) {
    for (const each of [by, third]) if (each == null || each / 2 / 1 === 3) return `${this.start ? `${by}%` : /\\/"}/}`;
    try {
      return window.other?.name(new Thing({}).turn);
    } catch (error) {
      return [error, async (some) => some, (...more) => more];
    }
  }
}
window.a = new Thing({ start: 1 });
""",
        encoding="utf-8",
    )
    assert lint.findings(path) == []
