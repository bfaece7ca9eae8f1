"""Modules joined into one script, without a JavaScript engine; tests/js runs what comes out."""

import re
from pathlib import Path

import pytest

from gfx_core.drawing.modules import joined, modules_of, read_module
from gfx_core.drawing.script_tokens import tokens
from tests.js.lint import MODULES, entries


def written(folder: Path, **scripts: str) -> Path:
    """Some modules in a folder; the first one's file."""
    for name, script in scripts.items():
        (folder / f"{name}.js").write_text(script, encoding="utf-8")
    return folder / f"{next(iter(scripts))}.js"


def test_a_module_comes_after_what_it_imports_and_once(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        entry='import { left } from "./left.js";\nimport { right as r } from "./right.js";\nleft(r);\n',
        left='import { base } from "./base.js";\nexport function left() { return base; }\n',
        right='import { base } from "./base.js";\nexport const right = base;\n',
        base="export const base = 1;\n",
    )
    assert [module.path.stem for module in modules_of(entry)] == ["base", "left", "right", "entry"]
    assert joined(entry) == (
        '"use strict";\n'
        "const $0 = (() => {\nconst base = 1;\nreturn { base };\n})();\n"
        "const $1 = (() => {\nconst { base } = $0;\nfunction left() { return base; }\nreturn { left };\n})();\n"
        "const $2 = (() => {\nconst { base } = $0;\nconst right = base;\nreturn { right };\n})();\n"
        "const $3 = (() => {\nconst { left } = $1;\nconst { right: r } = $2;\nleft(r);\nreturn {  };\n})();\n"
    )


@pytest.mark.parametrize(
    ("script", "body"),
    [
        ("export default function () { return 1; }", "function $default() { return 1; }\nreturn $default;"),
        ("export default function start() {}", "function start() {}\nreturn start;"),
        ("export default class { a() {} }", "class $default{ a() {} }\nreturn $default;"),
        ("export default (data) => data.x;", "const $default = (data) => data.x;\nreturn $default;"),
    ],
)
def test_the_default_export_is_that_of_the_script(script: str, body: str, tmp_path: Path) -> None:
    text = joined(written(tmp_path, entry=script))
    assert body in text
    assert text.endswith("export default $0;\n")


def test_only_what_is_used_goes_along(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        entry='import { used } from "./kit.js";\nexport default function () { return used(); }\n',
        kit='import { far, near } from "./more.js";\n'
        "export function used() { return helper(near); }\n"
        "export function spare() { return far; }\n"
        "const helper = (x) => x + LIMITS.low;\n"
        "const [LIMITS, other] = [{ low: 1 }, 2];\n"
        "let unused = 3;\n"
        "async function later() {}\n"
        "function* many() {}\n",
        more="export const far = 1;\nexport const near = 2;\n",
    )
    text = joined(entry)
    assert all(word in text for word in ("used", "helper", "LIMITS", "near"))
    assert not any(word in text for word in ("spare", "unused", "far", "later", "many"))
    assert "return { used };" in text


def test_what_does_something_always_goes_along(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        entry='import { a } from "./b.js";\nexport default () => a;\n',
        b="export const a = 1;\nconst names = [];\nnames.push(a);\nif (a) { names.pop(); }\n",
    )
    assert "names.push(a);\nif (a) { names.pop(); }" in joined(entry)


def test_comments_and_indentation_stay_behind_but_texts_do_not_change(tmp_path: Path) -> None:
    script = (
        "// what it is\n\n"
        "export default function () {\n"
        "    /* why\n       at length */\n"
        "    const text = `  two\n\n    lines ${ /* no */ `// nested ${1}` }`; // the end\n"
        "    return [text, '// \"', /[/]\\/\\/ /.source, 4 / 2 / 1];\n"
        "}\n"
    )
    body = joined(written(tmp_path, entry=script))
    assert "why" not in body
    assert "the end" not in body
    assert "`  two\n\n    lines ${ `// nested ${1}` }`" in body
    assert "return [text, '// \"', /[/]\\/\\/ /.source, 4 / 2 / 1];" in body


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ('import x from "./b.js";', "line 1: cannot join “import x from"),
        ('import * as x from "./b.js";', "cannot join"),
        ('import "./b.js";', "cannot join"),
        ('import { b } from "lodash";', "cannot join"),
        ('import { b c } from "./b.js";', "cannot join"),
        ('import { b } from "./b.js"', "cannot join"),
        ('const b = await import("./b.js");', "cannot join"),
        ("window.x = import.meta.url;", "cannot join"),
        ("export let x = 1;", "cannot join “export let x = 1;”"),
        ("export const [x, y] = [1, 2];", "cannot join"),
        ("export { x };", "cannot join"),
        ('export * from "./b.js";', "cannot join"),
        ("export default async function () {}", "cannot join"),
        ("\n\nfunction f() { export default 1; }", "line 3: cannot join"),
        ('import { c } from "./b.js";', "b.js exports no c"),
        ('import { b } from "./none.js";', "none.js"),
        ('import { back } from "./circle.js";', "in a circle: entry.js → circle.js → entry.js"),
        ('import { d } from "./d.js";', "d.js: a default export has nobody to go to"),
        ("f(`never closed;", "cannot read"),
        ("f((1);", "( is never closed"),
        ("f(1));", ") closes what is not open"),
        ("f(1];", "] closes what is not open"),
    ],
)
def test_what_cannot_be_joined_is_refused(script: str, told: str, tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        entry=script,
        b="export const b = 1;",
        d="export const d = 1;\nexport default d;",
        circle='import { x } from "./entry.js";\nexport const back = 1;',
    )
    with pytest.raises(ValueError, match=re.escape(told)):
        joined(entry)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_tokens_are_the_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "".join(token.text for token in tokens(text)) == text
    kinds = {token.kind for token in tokens(text)}
    assert {"space", "comment", "word", "mark"} <= kinds


def test_joining_is_deterministic() -> None:
    for entry in entries():
        before = joined(entry)
        joined.cache_clear()
        read_module.cache_clear()
        assert joined(entry) == before


def test_what_was_joined_is_kept_until_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = written(
        tmp_path, entry='import { base } from "./base.js";\nalert(base);\n', base="export const base = 1;\n"
    )
    first = joined(entry)
    joined.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr("gfx_core.drawing.modules.modules_of", None)  # is not asked again
        assert joined(entry) == first
    (tmp_path / "base.js").write_text("export const base = 22;\n", encoding="utf-8")
    joined.cache_clear()
    read_module.cache_clear()
    assert "const base = 22;" in joined(entry)
    (tmp_path / "__pycache__" / "entry.joined.json").write_text("{", encoding="utf-8")
    joined.cache_clear()
    assert "const base = 22;" in joined(entry)
