"""The kit's own tests: run by Node where there is one, else by Chromium; those that need a page by Chromium."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gfx_core.drawing.modules import joined, read_module
from tests.js.lint import MODULES, UNIT_TESTS, entries
from tests.patience import PATIENCE_S

NODE = shutil.which("node")


def evaluated(expression: str, request: pytest.FixtureRequest, page: bool = False) -> Any:
    """The value of a JavaScript expression."""
    if NODE and not page:
        script = f"console.log(JSON.stringify({expression}))"
        told = subprocess.run([NODE, "-"], input=script, capture_output=True, text=True, timeout=PATIENCE_S)
        assert told.returncode == 0, told.stderr
        return json.loads(told.stdout)
    page_of_its_own = request.getfixturevalue("browser").new_page()
    try:
        return page_of_its_own.evaluate(expression)
    finally:
        page_of_its_own.close()


def called(entry: Path) -> str:
    """An expression that calls a module's default export."""
    body, _, default = joined(entry).strip().removesuffix(";").rpartition("export default ")
    return f"(() => {{ {body} return {default}(); }})()"


@pytest.mark.parametrize("path", UNIT_TESTS, ids=lambda path: path.name)
def test_the_kit(path: Path, request: pytest.FixtureRequest) -> None:
    cases = evaluated(called(path), request, page=".page." in path.name)
    assert len(cases) >= 5
    wrong = [f"{name}: {told}" for name, told in cases if told]
    assert not wrong, "\n".join(wrong)


def test_a_wrong_case_is_told(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    harness = (Path(__file__).parent / "harness.js").read_text(encoding="utf-8")
    (tmp_path / "harness.js").write_text(harness, encoding="utf-8")
    (tmp_path / "x.js").write_text(
        'import { close, equal, run, test } from "./harness.js";\n'
        'test("right", () => equal([1, { a: null }], [1, { a: null }]));\n'
        'test("other", () => equal(1, 2));\n'
        'test("far", () => close([1, NaN], [1, 0]));\n'
        "export default run;\n",
        encoding="utf-8",
    )
    told = evaluated(called(tmp_path / "x.js"), request)
    assert [bool(wrong) for _, wrong in told] == [False, True, True]
    assert "got 1, wanted 2" in told[1][1]


def test_syntax(request: pytest.FixtureRequest) -> None:
    """Each module, and each script that is joined from several, can be read by a real engine."""
    bodies = {path.name: "\n".join(each.text for each in read_module(path).statements) for path in MODULES}
    bodies |= {f"joined {path.name}": joined(path).replace("\nexport default ", "\n") for path in entries()}
    check = """(bodies) => Object.entries(bodies).flatMap(([name, body]) => {
        try {
            new Function(body);
            return [];
        } catch (error) {
            return [`${name}: ${error}`];
        }
    })"""
    say: Callable[[dict[str, str]], Any] = lambda some: evaluated(f"({check})({json.dumps(some)})", request)  # noqa: E731
    assert say({"bad": "const x = ;"}) == ["bad: SyntaxError: Unexpected token ';'"]
    assert say(bodies) == []
