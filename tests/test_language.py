"""What people read: one word of the field for each concept, and at most 25 words in a sentence.

All texts are collected from where they are written: documents, the content of lessons and the glossary, and every
label and sentence in Python and JavaScript that is neither a docstring, a pattern, a log message nor markup.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from gfx_core.bench.report import STUDIES, Findings, read_records
from gfx_core.trace.serialize import load

ROOT = Path(__file__).resolve().parent.parent
MOST_WORDS = 25
"""The longest sentence, in any text."""

BANNED = {
    r"beamers?": "projector",
    r"anew": "again",
    r"hang(s|ing)? together": "connected",
    r"(hang|hangs|hanging) (on|in the air)": "is attached to, is cut off",
    r"draws|(subgraphs?|samples?) (are|is|were|was) drawn|drawn (subgraphs?|samples?)|is drawn (with|in)": "samples",
    r"(the|of|a|one|\d+|}) draws?(?! \w)|draw (again|[\d,]+ more)|^drawn( ÷.*)?$": "sample",
    r"holds? (?!here|everywhere|for |(it|them|the set) together)\w+": "contains",
    r"(GNNs?|model|student|network) (says?|takes|hears?)": "predicts",
    r"(?<!some )(?<!all )(?<!most )(?<!each )(?<!half )of which": "whose",
    r"asked|told|said|nobody|somebody": "an ordinary word: requested, written, no one, someone",
    r"br(ing|ought) along|bring (it|a|one|two|more|the same)|(is|be|was|were|have) brought": "upload, open",
    r"learnt": "learned",
    r"puts? out": "outputs",
    r"sway(s|ed)?": "changes",
    r"telling": "instructive",
    r"to be found": "expected",
    r"called so": "matching",
    r"truly": "the true class is",
    r"means nothing": "is meaningless",
    r"(?<!there )(is|are|was|were) no (?!longer|more|less|larger|smaller|one|\w+er than)": "is not a",
    r"lets? go": "releases, clears",
    r"farewell|bereaved?|despair|at leisure": "a plain word",
}
"""A pattern of words, and what to write instead."""

_LOG = re.compile(r"(_?log|_?logger|logging)\.(debug|info|warning|error|exception|critical)|re\.\w+")
_CODE = re.compile(r"[{;]\s*[\w-]+:\s|</|/>|=\"|\.(js|css|py|html)\b|^[a-z_][\w.]*$|::|\[[a-z-]+[\]=]")
_JS_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')


def _python(path: Path) -> Iterator[tuple[int, str]]:
    """Every string of a module that may be shown; what an f-string puts in is one word, "{}"."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            hidden.update(part for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Call) and _LOG.fullmatch(ast.unparse(node.func)):
            hidden.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in hidden:
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr) and node not in hidden:
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(map(str, parts))


def _script(path: Path) -> Iterator[tuple[int, str]]:
    text = re.sub(r"^\s*(//|\*|/\*).*$", "", path.read_text(encoding="utf-8"), flags=re.M)
    for found in _JS_STRING.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"\$\{[^{}]*\}", "{}", found[1] or found[2] or "")


def _document(path: Path) -> Iterator[tuple[int, str]]:
    """The paragraphs, items and cells of a Markdown file, without its code."""
    text = re.sub(r"```.*?```", lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.S)
    at = 1
    for block in re.split(r"(\n(?=\s*(?:[-*#|]|\d+\. |\n)))", text):
        for cell in block.strip().strip("|").split("|") if block.strip().startswith("|") else [block]:
            yield at + 1, " ".join(cell.split())
        at += block.count("\n")


def _values(value: object) -> Iterator[str]:
    """All texts in a table or list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from _values(inside)


def _content(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    for value in _values(tomllib.loads(text)):
        start = text.find(value.split("\n")[0][:30])
        yield text.count("\n", 0, max(start, 0)) + 1, value


@cache
def _texts() -> tuple[tuple[str, str], ...]:
    """All texts, each with where it is written: what begins with a capital letter or has several words."""
    readers = {
        _python: [*ROOT.glob("gfx_core/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"],
        _script: [*ROOT.glob("assets/*/*.js"), *ROOT.glob("pages/**/*.js")],
        _document: [ROOT / "README.md", *ROOT.glob("assets/docs/*.md")],
        _content: [path for path in ROOT.glob("assets/content/*.toml") if path.stem != "sentences"],  # of film reviews
    }
    return tuple(
        (f"{path.relative_to(ROOT)}:{line}", text)
        for read, paths in readers.items()
        for path in sorted(paths)
        for line, text in read(path)
        if re.match(r"[A-Z]|.*[A-Za-z]{2,}.*\s", text) and (read in (_document, _content) or not _CODE.search(text))
    )


def _sentences(text: str) -> list[str]:
    """The sentences of a text, without marks, addresses, code, and percentages in brackets."""
    text = re.sub(r"<!--.*?-->|\]\([^)]*\)|\([^()]*%[^()]*\)", "", text)
    text = re.sub(r"`[^`]*`", "code", text)
    return re.split(r"(?<=[.!?])[\"”*)]*\s+|\n\s*\n|\n\s*[-*|] |\s\|\s", text)


def _too_long(text: str) -> list[str]:
    return [each for each in _sentences(text) if len(re.findall(r"\S*[^\W\d_]\S*|\{\}", each)) > MOST_WORDS]


def test_all_kinds_of_text_are_collected() -> None:
    begins = {where.split("/")[0] for where, _ in _texts()}
    assert begins >= {"gfx_core", "pages", "assets"}
    assert len(_texts()) > 2000


def test_no_word_is_the_house_s_own() -> None:
    patterns = {re.compile(rf"\b({words})\b", re.I): better for words, better in BANNED.items()}
    found = [
        f"{where}: “{hit[0]}” → {better}: {text[max(0, hit.start() - 40) : hit.end() + 40]!r}"
        for where, text in _texts()
        for pattern, better in patterns.items()
        for hit in pattern.finditer(text)
    ]
    assert not found, "\n".join(found)


def test_no_sentence_is_too_long() -> None:
    found = [f"{where}: {sentence}" for where, text in _texts() for sentence in _too_long(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", STUDIES)
def test_no_claim_of_the_results_is_too_long(name: str) -> None:
    found = Findings(STUDIES[name], read_records(STUDIES[name]))
    assert [each for claim in found.claims for each in _too_long(claim.sentence)] == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("assets/traces/*.json")), ids=lambda path: path.stem)
def test_no_shipped_answer_is_too_long(path: Path) -> None:
    """The name of a part, such as "part of the nitro group (N and one O): O0", counts as one word."""
    trace = load(path)
    assert trace.answer is not None
    text = " ".join((trace.answer.sentence, *trace.notes))
    for reason in trace.answer.reasons:
        text = text.replace(reason.name, "part").replace(reason.name.partition(": ")[0], "part")
    assert _too_long(text) == []
