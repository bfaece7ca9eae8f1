"""What our JavaScript must and must not do, checked on its tokens: no linter can be installed with pip alone."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from gfx_core.drawing.modules import modules_of, read_module
from gfx_core.drawing.script_tokens import Token, code, tokens

ROOT = Path(__file__).resolve().parents[2]
KIT = ROOT / "assets" / "kit"
SOURCES = sorted([*(ROOT / "assets").rglob("*.js"), *(ROOT / "pages").rglob("*.js")])
UNIT_TESTS = sorted((ROOT / "tests" / "js").glob("*.test.js"))
MODULES = [*SOURCES, *sorted((ROOT / "tests" / "js").glob("*.js"))]
LONGEST = 120

_KEYWORDS = """
as async await break case catch class const continue default delete do else export extends false finally for from
function if import in instanceof let new null of return static super switch this throw true try typeof void while
"""
_GLOBALS = """
Array Blob Boolean DOMParser DOMPoint Error Float32Array Image Infinity IntersectionObserver JSON Map Math Number Object
MouseEvent PointerEvent PopStateEvent Promise ResizeObserver Set String Uint16Array URL URLSearchParams WeakMap
WheelEvent XMLSerializer atob btoa cancelAnimationFrame clearTimeout decodeURIComponent document encodeURIComponent
getComputedStyle innerHeight matchMedia navigator performance requestAnimationFrame setTimeout undefined window
"""
KEYWORDS, GLOBALS = set(_KEYWORDS.split()), set(_GLOBALS.split())
FORBIDDEN = {
    r"\bvar\b(?!:)": "var is of another time: const or let",
    r"\b(inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\.write\b": "data becomes text, never markup",
    r"\beval\(|\bFunction\(": "data is never run",
    r"(?<![=!<>])[=!]=(?!=)(?!\s*null\b)": "compare with === or !== (== null alone means null or undefined)",
    r"\bconsole\.|\bdebugger\b": "left over from looking for a mistake",
    r"\bfetch\(|\bXMLHttpRequest\b|\bWebSocket\b": "nothing is asked for over the network",
}
IN_THE_KIT = {
    r"\bcreateElement(NS)?\b|\bDOMParser\b": "dom.js",
    r"\bmatchMedia\(": "dom.js",
    r"\btoLocaleString\(": "numbers.js",
    r"`\}[ \u00a0]%": "numbers.js",
}
"""What only one file of the kit does; everybody else calls it. A template is seen as the text around its values."""


def findings(path: Path) -> list[str]:
    """What is wrong with one file, a line each."""
    text = path.read_text(encoding="utf-8")
    part = list(tokens(text))
    found = list(_looks(text))
    seen = _seen(part)
    for pattern, why in FORBIDDEN.items() if path not in UNIT_TESTS else ():
        found += [f"{line}: {match}: {why}" for line, match in _matches(pattern, seen)]
    for pattern, home in IN_THE_KIT.items():
        if path != KIT / home:
            found += [f"{line}: {match}: {home} of the kit does that" for line, match in _matches(pattern, seen)]
    names = Names(code(part))
    found += [f"{token.line}: {token.text} is not declared" for token in names.undeclared()]
    found += [f"{name} is declared and not used" for name in names.unused(read_module(path).exports)]
    if path.parent != KIT:
        twice = {name for name in names.declared_here() if name in kit_names()}
        found += [f"{name} is in the kit: import it" for name in sorted(twice)]
    return [f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}:{each}" for each in found]


@cache
def kit_names() -> frozenset[str]:
    """What the kit exports."""
    return frozenset(name for path in KIT.glob("*.js") for name in read_module(path).exports)


def entries() -> list[Path]:
    """The modules that are asked for: they have a default export, or do something when they are read."""
    modules = [read_module(path) for path in SOURCES]
    return [each.path for each in modules if each.default or any(not one.declares for one in each.statements)]


def unreached() -> list[str]:
    """Modules that no entry imports, and exports that nobody imports."""
    reached = {module.path for entry in entries() for module in modules_of(entry)}
    wanted = {(each.path, each.there) for path in MODULES for each in read_module(path).imports}
    found = [f"{path.name}: nobody imports it" for path in SOURCES if path not in reached]
    for path in SOURCES:
        found += [
            f"{path.name}: nobody imports {name}" for name in read_module(path).exports if (path, name) not in wanted
        ]
    return found


class Names:
    """The names of a script, without regard to scopes: a name counts as declared where any scope declares it."""

    def __init__(self, part: Sequence[Token]) -> None:
        self.part = part
        self.places = {id(token): place for place, token in enumerate(part)}
        self.methods: set[int] = set()
        self.parameters = {name for start in self._parameter_lists() for name in self._words(start, self._close(start))}
        self.parameters |= {
            token.text for token, after in pairwise(part) if after.text == "=>" and token.kind == "word"
        }
        self.variables = dict(self._variables())

    def declared_here(self) -> set[str]:
        """What is declared at the outermost level, imports aside."""
        return {name for name, token in self.variables.items() if not token.depth and token.text != "import"}

    def undeclared(self) -> list[Token]:
        known = KEYWORDS | GLOBALS | self.parameters | self.variables.keys()
        return [token for place, token in enumerate(self.part) if self._is_name(place) and token.text not in known]

    def unused(self, exports: Sequence[str]) -> list[str]:
        """Variables, functions and imports that are spoken of only where they are declared."""
        often = Counter(token.text for place, token in enumerate(self.part) if self._is_name(place))
        return [name for name in self.variables if often[name] < 2 and name not in exports and name != "_"]

    def _is_name(self, place: int) -> bool:
        token = self.part[place]
        before, after = self._text(place - 1), self._text(place + 1)
        is_key = after == ":" and before in ("{", ",")
        return token.kind == "word" and before not in (".", "?.", "#") and not is_key and place not in self.methods

    def _variables(self) -> Iterator[tuple[str, Token]]:
        for place, token in enumerate(self.part):
            if token.kind != "word" or self._text(place - 1) in (".", "?."):
                continue
            if token.text in ("function", "class") and self.part[place + 1].kind == "word":
                yield self._text(place + 1), token
            elif token.text == "import":
                end = next(k for k in range(place, len(self.part)) if self._text(k) == "}")
                yield from ((name, token) for name in self._words(place, end))
            elif token.text in ("const", "let"):
                ends = ("=", "of", "in", ";")
                inside = token.depth
                end = next(
                    k for k in range(place, len(self.part)) if self.part[k].depth == inside and self._text(k) in ends
                )
                keys = {k for k in range(place, end) if self._text(k + 1) == ":"}
                for k in range(place + 1, end):
                    if self.part[k].kind == "word" and k not in keys:
                        yield self._text(k), token

    def _parameter_lists(self) -> Iterator[int]:
        """Where parameters begin: after function, before =>, of methods, and what catch catches."""
        for place, token in enumerate(self.part):
            if token.text != "(" or token.kind != "mark":
                continue
            after, before = self._text(self._close(place) + 1), self._text(place - 1)
            is_function = "function" in (before, self._text(place - 2))
            is_method = (
                after == "{" and self.part[place - 1].kind == "word" and before not in ("if", "for", "while", "switch")
            )
            if is_method and not is_function and before != "catch":
                self.methods.add(place - 1)
            if is_function or is_method or after == "=>":
                yield place

    def _close(self, start: int) -> int:
        depth = self.part[start].depth
        return next(k for k in range(start + 1, len(self.part)) if self._text(k) == ")" and self.part[k].depth == depth)

    def _words(self, start: int, end: int) -> set[str]:
        return {token.text for token in self.part[start:end] if token.kind == "word"} - KEYWORDS

    def _text(self, place: int) -> str:
        return self.part[place].text if 0 <= place < len(self.part) else ""


def _looks(text: str) -> Iterator[str]:
    if not text.startswith("// "):
        yield "1: the first line says what the file is"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield "the file ends with one end of line"
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST:
            yield f"{number}: {len(line)} characters, {LONGEST} are allowed"
        if line != line.rstrip() or "\t" in line:
            yield f"{number}: a tab, or spaces at the end"


def _seen(part: Sequence[Token]) -> str:
    """The code without comments and without what strings say; of templates the text remains, between backticks."""
    shown = {
        "string": lambda text: '""',
        "template": lambda text: f"`{text}`",
        "comment": lambda text: "\n" * text.count("\n"),
    }
    return "".join(shown.get(token.kind, str)(token.text) for token in part)


def _matches(pattern: str, seen: str) -> Iterator[tuple[int, str]]:
    for match in re.finditer(pattern, seen):
        yield seen.count("\n", 0, match.start()) + 1, match.group()
