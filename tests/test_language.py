"""What people read: one word of the field for each concept, and at most 25 words in a sentence.

Texts are collected from where they are written: documents, the content of lessons and the glossary, and every label
and sentence in Python and JavaScript that is neither a docstring, a pattern, a log message nor markup.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

MOST_WORDS = 25
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


def _python(path: Path) -> Iterator[str]:
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
            yield node.value
        elif isinstance(node, ast.JoinedStr) and node not in hidden:
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


def _script(path: Path) -> Iterator[str]:
    text = re.sub(r"^\s*(//|\*|/\*).*$", "", path.read_text(encoding="utf-8"), flags=re.M)
    for one, other in re.findall(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', text):
        yield re.sub(r"\$\{[^{}]*\}", "{}", one or other)


def _document(path: Path) -> Iterator[str]:
    """The paragraphs, items and cells of a Markdown file, without its code."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    for block in re.split(r"\n(?=\s*(?:[-*#|]|\d+\. |\n))", text):
        for cell in block.strip().strip("|").split("|") if block.strip().startswith("|") else [block]:
            yield " ".join(cell.split())


def _content(path: Path) -> Iterator[str]:
    def texts(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            for inside in value.values() if isinstance(value, dict) else value:
                yield from texts(inside)

    return texts(tomllib.loads(path.read_text(encoding="utf-8")))


@cache
def _texts() -> tuple[tuple[str, str], ...]:
    """All texts, each with its file: what begins with a capital letter or has several words."""
    readers = {
        _python: [*ROOT.glob("gfx_core/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"],
        _script: [*ROOT.glob("assets/*/*.js"), *ROOT.glob("pages/**/*.js")],
        _document: [ROOT / "README.md", *ROOT.glob("assets/docs/*.md")],
        _content: [path for path in ROOT.glob("assets/content/*.toml") if path.stem != "sentences"],  # of film reviews
    }
    return tuple(
        (path.name, text)
        for read, paths in readers.items()
        for path in sorted(paths)
        for text in read(path)
        if re.match(r"[A-Z]|.*[A-Za-z]{2,}.*\s", text) and (read in (_document, _content) or not _CODE.search(text))
    )


def _too_long(text: str) -> list[str]:
    """The sentences that are too long, without marks, addresses, code, and percentages in brackets."""
    text = re.sub(r"<!--.*?-->|\]\([^)]*\)|\([^()]*%[^()]*\)", "", text)
    sentences = re.split(r"(?<=[.!?])[\"”*)]*\s+|\n\s*\n|\n\s*[-*|] |\s\|\s", re.sub(r"`[^`]*`", "code", text))
    return [each for each in sentences if len(re.findall(r"\S*[^\W\d_]\S*|\{\}", each)) > MOST_WORDS]


def test_no_word_is_banned() -> None:
    assert len(_texts()) > 2000
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
