"""JavaScript taken apart into tokens: enough to tell code from strings, comments, templates and regular expressions.

The tokens of a text, one after another, are the text again.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<number>\d[\w.]*(?:(?<=[eE])[+-]\d+)?)
      | (?P<word>[\w$]+)
      | (?P<mark>\.\.\.|\?\.(?!\d)|=>|[-+*/%&|^!~<>=?:;,.(){}\[\]\#])""",
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE = re.compile(r"[`}](?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_BEFORE_REGEX = {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await"}
_PAIRS = {")": "(", "]": "[", "}": "{"}


class Token(NamedTuple):
    """A piece of a script.

    Attributes:
        kind: ``space``, ``comment``, ``string``, ``number``, ``word``, ``mark``, ``regex`` or ``template``: the text
            of a template as far as the next ``${``, and from its ``}`` on.
        text: The piece.
        line: Where it begins, from 1.
        depth: How many brackets are open around it; a bracket itself counts as outside.
    """

    kind: str
    text: str
    line: int
    depth: int


def tokens(script: str) -> Iterator[Token]:
    """The tokens of a script.

    Raises:
        ValueError: If a string, a template or a bracket is left open or closed too often.
    """
    at, line, end = 0, 1, len(script)
    brackets: list[str] = []
    before = Token("mark", ";", 1, 0)  # the last one that is code
    while at < end:
        pattern, kind = _TOKEN, ""
        first = script[at]
        if first == "`" or (first == "}" and brackets and brackets[-1] == "${"):
            pattern, kind = _TEMPLATE, "template"
        elif first == "/" and script[at + 1 : at + 2] not in ("/", "*") and _may_be_regex(before):
            pattern, kind = _REGEX, "regex"
        found = pattern.match(script, at)
        if found is None:
            raise ValueError(f"line {line}: cannot read {script[at : at + 20]!r}")
        text, kind = found.group(), kind or str(found.lastgroup)
        if first in _PAIRS and (not brackets or brackets.pop() not in (_PAIRS[first], "${")):
            raise ValueError(f"line {line}: {first} closes what is not open")
        token = Token(kind, text, line, len(brackets))
        yield token
        if kind == "space" or kind == "comment":
            line += text.count("\n")
        else:
            before = token
            if kind == "mark" and text in "([{":
                brackets.append(text)
            elif kind == "template":
                line += text.count("\n")
                if text[-1] == "{":
                    brackets.append("${")
        at = found.end()
    if brackets:
        raise ValueError(f"{brackets[-1]} is never closed")


def code(part: Iterable[Token]) -> list[Token]:
    """Tokens without spaces and comments."""
    return [token for token in part if token.kind not in ("space", "comment")]


def _may_be_regex(before: Token) -> bool:
    """Whether a slash after this begins a regular expression; else it divides."""
    if before.kind == "mark":
        return before.text not in _PAIRS
    return before.kind == "word" and before.text in _BEFORE_REGEX
