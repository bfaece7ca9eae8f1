"""ES modules joined into one script: what a Streamlit component or a page of its own is given.

Each module keeps a scope of its own, so names cannot clash; a module comes after those it imports. Declarations that
nobody uses, comments and indentation stay behind: a component carries as much of the kit as it needs. What is
understood is what our files use, and all else is refused:

- ``import { a, b as c } from "./file.js";``
- ``export function``, ``export async function``, ``export class`` and ``export const name =``
- ``export default``, in the module that is asked for only
"""

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gfx_core.drawing import script_tokens
from gfx_core.drawing.script_tokens import Token, code, tokens
from gfx_core.files import stamp

_DECLARING = ("function", "async", "class", "const")


@dataclass(frozen=True)
class Import:
    """A name that comes from another module.

    Attributes:
        path: The file of the module.
        there: What it is called there.
        here: What it is called here.
    """

    path: Path
    there: str
    here: str


@dataclass(frozen=True)
class Statement:
    """A statement of a module that is in no other one.

    Attributes:
        text: Without ``export``, comments and indentation.
        declares: The names it declares; a statement that declares none does something.
        words: All words in it, names among them.
    """

    text: str
    declares: tuple[str, ...]
    words: frozenset[str]


@dataclass(frozen=True)
class Module:
    """One file, taken apart.

    Attributes:
        path: The file.
        imports: What it has from others.
        exports: The names it gives to others.
        default: What its default export is called, if it has one.
        statements: The rest.
    """

    path: Path
    imports: tuple[Import, ...]
    exports: tuple[str, ...]
    default: str | None
    statements: tuple[Statement, ...]

    def kept(self, wanted: Iterable[str]) -> list[Statement]:
        """The statements that are needed for some names: theirs, what they use, and all that do something."""
        missing = [*wanted, *(word for each in self.statements if not each.declares for word in each.words)]
        found: set[str] = set()
        while missing:
            name = missing.pop()
            for each in self.statements:
                if name in each.declares and name not in found:
                    found.update(each.declares)
                    missing.extend(each.words)
        return [each for each in self.statements if not each.declares or found.intersection(each.declares)]


@cache
def joined(entry: Path) -> str:
    """One script made of a module and of what it uses of all that it imports, directly or not.

    Joining takes a tenth of a second, so the outcome is kept beside the module, as Python keeps its own, until one of
    the files changes.

    Args:
        entry: The file of the module. Its default export, if any, is that of the script.

    Raises:
        ValueError: If a file cannot be read or joined, if modules import one another in a circle, or if a name is
            imported that is not exported.
    """
    kept = entry.parent / "__pycache__" / f"{entry.stem}.joined.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        known = json.loads(kept.read_text(encoding="utf-8"))
        if known["files"] == _stamps(known["files"]):
            return str(known["script"])
    modules = modules_of(entry)
    script = _joined(modules)
    files = _stamps([*(str(module.path) for module in modules), __file__, script_tokens.__file__])
    with suppress(OSError):  # a folder that cannot be written to costs a tenth of a second, no more
        kept.parent.mkdir(exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"files": files, "script": script}), encoding="utf-8")
        part.replace(kept)
    return script


def _stamps(files: Iterable[str]) -> dict[str, list[int]]:
    return {file: list(stamp(Path(file))) for file in files}


def _joined(modules: Sequence[Module]) -> str:
    wanted: dict[Path, list[str]] = {module.path: [] for module in modules}
    number = {module.path: f"${index}" for index, module in enumerate(modules)}
    parts = []
    for module in reversed(modules):  # those who import come first: they say what is wanted
        names = wanted[module.path] if module is not modules[-1] else [module.default] if module.default else []
        statements = module.kept(names)
        if not statements:
            continue
        used = frozenset().union(*(each.words for each in statements))
        lines = [f"const {number[module.path]} = (() => {{"]
        for path in dict.fromkeys(each.path for each in module.imports):
            here = [each for each in module.imports if each.path == path and each.here in used]
            wanted[path] += [each.there for each in here if each.there not in wanted[path]]
            pairs = (each.here if each.here == each.there else f"{each.there}: {each.here}" for each in here)
            if here:
                lines.append(f"const {{ {', '.join(pairs)} }} = {number[path]};")
        given = names[0] if module is modules[-1] and names else f"{{ {', '.join(names)} }}"
        lines += [*(each.text for each in statements), f"return {given};", "})();"]
        parts.append("\n".join(lines))
    ending = [f"export default {number[modules[-1].path]};"] if modules[-1].default else []
    return "\n".join(['"use strict";', *reversed(parts), *ending]) + "\n"


def modules_of(entry: Path) -> list[Module]:
    """A module after all that it imports, directly or not, each once."""
    found = _in_order(entry.resolve(), ())
    for module in found[:-1]:
        if module.default:
            raise ValueError(f"{module.path.name}: a default export has nobody to go to; export it by name")
    return found


def _in_order(path: Path, above: tuple[Path, ...]) -> list[Module]:
    if path in above:
        circle = " → ".join(each.name for each in (*above[above.index(path) :], path))
        raise ValueError(f"modules import one another in a circle: {circle}")
    module = read_module(path)
    found: dict[Path, Module] = {}
    for other in dict.fromkeys(each.path for each in module.imports):
        if other not in found:
            found |= {each.path: each for each in _in_order(other, (*above, path))}
    for each in module.imports:
        if each.there not in found[each.path].exports:
            raise ValueError(f"{path.name}: {each.path.name} exports no {each.there}")
    return [*found.values(), module]


@cache
def read_module(path: Path) -> Module:
    """Take one file apart.

    Raises:
        ValueError: If it cannot be read or holds what cannot be joined.
    """
    try:
        return _taken_apart(path, path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path.name}: {error}") from error


def _taken_apart(path: Path, script: str) -> Module:
    imports: list[Import] = []
    exports: list[str] = []
    default = None
    statements: list[Statement] = []
    for part in _statements(script):
        meant = code(part)
        words = [token.text for token in meant]
        if any(
            token.kind == "word" and token.text in ("import", "export") and words[place] not in (".", "?.")
            for place, token in enumerate(meant[1:])
        ):
            raise _refused(part)
        match words:
            case ["import", *_]:
                imports += [Import((path.parent / file).resolve(), *names) for file, *names in _imported(part, words)]
            case ["export", "default", *_]:
                default, rest = _default(part, words)
                statements.append(_statement(rest, default))
            case ["export", kind, *_] if kind in _DECLARING:
                statements.append(_statement(_without(part, 1)))
                if len(statements[-1].declares) != 1:
                    raise _refused(part)
                exports += statements[-1].declares
            case ["export", *_]:
                raise _refused(part)
            case _:
                statements.append(_statement(part))
    return Module(path, tuple(imports), tuple(exports), default, tuple(statements))


def _statements(script: str) -> Iterable[list[Token]]:
    """The statements that are in no other: functions and classes end with their brace, others with a semicolon."""
    part: list[Token] = []
    for token in tokens(script):
        part.append(token)
        if token.depth or token.text not in ("}", ";"):
            continue
        words = [each.text for each in code(part)[:4] if each.text not in ("export", "default", "async")]
        if token.text == ";" or {"function", "class"}.intersection(words[:1]):
            yield part
            part = []
    if code(part):
        yield part


def _imported(part: Sequence[Token], words: Sequence[str]) -> Iterable[tuple[str, str, str]]:
    """File, name there and name here of each name that is imported."""
    match words:
        case ["import", "{", *names, "}", "from", file, ";"] if file.startswith(('"./', '"../')):
            for name in " ".join(names).removesuffix(",").split(","):
                match name.split():
                    case [there]:
                        yield file[1:-1], there, there
                    case [there, "as", here]:
                        yield file[1:-1], there, here
                    case _:
                        raise _refused(part)
        case _:
            raise _refused(part)


def _default(part: Sequence[Token], words: Sequence[str]) -> tuple[str, list[Token]]:
    """What is exported by default, by its name or with one given to it."""
    first = part[0]
    name = Token("word", "$default", first.line, 0)
    space = Token("space", " ", first.line, 0)
    match words[2:]:
        case ["async", *_] | [_, "*", *_]:
            raise _refused(part)
        case ["function" | "class" as kind, "(" | "{" | "extends", *_]:
            return name.text, [Token("word", kind, first.line, 0), space, name, *_without(part, 3)]
        case ["function" | "class", own, *_]:
            return own, _without(part, 2)
        case _:
            mark = Token("mark", "=", first.line, 0)
            const = Token("word", "const", first.line, 0)
            return name.text, [const, space, name, space, mark, space, *_without(part, 2)]


def _statement(part: Sequence[Token], *declares: str) -> Statement:
    words = frozenset(token.text for token in part if token.kind == "word")
    return Statement(_shortened(part), declares or _declared(part), words)


def _declared(part: Sequence[Token]) -> tuple[str, ...]:
    """The names that a statement declares."""
    meant = code(part)
    words = [token.text for token in meant[:4] if token.text not in ("async", "*")]
    if words[0] in ("function", "class"):
        return (words[1],)
    if words[0] not in ("const", "let"):
        return ()
    names, naming = [], True
    for token in meant[1:]:
        if not token.depth and token.text in (",", "="):
            naming = token.text == ","
        elif naming and token.kind == "word":
            names.append(token.text)
    return tuple(names)


def _without(part: Sequence[Token], count: int) -> list[Token]:
    """The rest after so many tokens of code."""
    place = [place for place, token in enumerate(part) if token.kind not in ("space", "comment")][count]
    return list(part[place:])


def _shortened(part: Sequence[Token]) -> str:
    """The text as it is; of spaces and comments at most one space or the end of a line."""
    texts: list[str] = []
    for token in part:
        if token.kind not in ("space", "comment"):
            texts.append(token.text)
            continue
        gap = "\n" if "\n" in token.text else " "
        if texts and texts[-1] in ("\n", " "):
            gap = "\n" if "\n" in (gap, texts.pop()) else " "
        texts.append(gap)
    return "".join(texts).strip()


def _refused(part: Sequence[Token]) -> ValueError:
    first = code(part)[0]
    text = _shortened(part).split("\n")[0]
    return ValueError(f"line {first.line}: cannot join “{text[:60]}”")
