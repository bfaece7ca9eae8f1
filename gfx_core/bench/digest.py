"""What a record was made from: digests of code, weights and data, by which a stale record is known.

Only what can change a number counts. Docstrings, comments, type hints, sentences and the methods of a study that only
show its records are left out of the code's digest, so that an edit of words or of a verdict does not make a measurement
stale; any other change of the named modules does.
"""

import ast
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.files import read_once

LENGTH = 12
"""Hexadecimal digits of a digest."""
SHOWING = ("claims", "figure", "line", "notes", "tables")
"""Methods of a study that read records and compute none (`gfx_core.bench.study.Study`)."""


class _Meaning(ast.NodeTransformer):
    """Leaves what is computed: no docstrings, annotations or sentences."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        words = isinstance(node.value, str) and " " in node.value
        return ast.Constant("") if words else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [part for part in node.body if getattr(part, "name", "") not in SHOWING]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Where a name comes from does not change what it does."""


@cache
def _module_digest(module: str) -> str:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    tree = _Meaning().visit(ast.parse(Path(spec.origin).read_text(encoding="utf-8")))
    return hashlib.sha256(json.dumps(_plain(tree)).encode()).hexdigest()[:LENGTH]


def _plain(node: Any) -> Any:
    """A syntax tree as plain JSON without its empty fields, which differ between versions of Python."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = {name: value for name, value in ast.iter_fields(node) if value not in (None, [])}
    return [type(node).__name__, {name: _plain(value) for name, value in fields.items()}]


def code_digest(modules: Sequence[str]) -> str:
    """Of what some modules compute."""
    return _modules_digest(tuple(modules))


@cache
def _modules_digest(modules: tuple[str, ...]) -> str:
    return hashlib.sha256("".join(map(_module_digest, sorted(modules))).encode()).hexdigest()[:LENGTH]


@read_once(256)
def file_digest(path: Path) -> str:
    """Of a file; of nothing where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:LENGTH] if path.is_file() else ""


@cache
def data_digest(dataset: str) -> str:
    """Of the graphs, features, classes and motifs of a data set; of nothing where it is not at hand."""
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.errors import UserError

    try:
        data = load_dataset(dataset)
    except UserError:
        return ""
    found = hashlib.sha256()
    for array in (data.edge_index, data.x, data.y, data.motif, data.explainable):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:LENGTH]
