"""Runs the notebooks in assets/examples/ without Jupyter; ``python -m tests.notebooks`` writes their outputs again."""

import ast
import contextlib
import io
import json
import tempfile
from typing import Any

from gfx_core.files import write_text
from tests.conftest import ROOT

FOLDER = ROOT / "assets" / "examples"
NOTEBOOKS = ("explain_a_node", "a_molecule", "gflownet_by_hand", "train_and_watch", "many_explanations")
"""Those that are run; any_gflownet needs torchgfn, which no test installs."""

Cells = list[dict[str, Any]]


def read(name: str) -> dict[str, Any]:
    """A notebook as its file has it."""
    return dict(json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")))


def executed(notebook: dict[str, Any], names: dict[str, Any]) -> Cells:
    """Its cells with what each prints and shows, as Jupyter would keep it.

    Args:
        notebook: The notebook.
        names: Takes what its code defines.
    """
    number, cells = 0, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            printed, shown = run_cell("".join(cell["source"]), names)
            outputs: list[dict[str, Any]] = []
            if printed:
                outputs.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
            if shown is not None:
                result = {"data": rendered(shown), "execution_count": number, "metadata": {}}
                outputs.append({**result, "output_type": "execute_result"})
            cell = {**cell, "execution_count": number, "outputs": outputs}
        cells.append(cell)
    return cells


def run_cell(source: str, names: dict[str, Any]) -> tuple[str, Any]:
    """What a cell prints, and what its last line comes to."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Module(body, []), "notebook", "exec"), names)
        shown = None if last is None else eval(compile(ast.Expression(last.value), "notebook", "eval"), names)
    return out.getvalue(), shown


def rendered(value: Any) -> dict[str, list[str]]:
    """A value as text and, if it can be, as HTML."""
    found = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        found["text/html"] = value._repr_html_().splitlines(keepends=True)
    return found


def main() -> None:
    """Write the outputs of all notebooks again."""
    for name in NOTEBOOKS:
        notebook = read(name)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            notebook["cells"] = executed(notebook, {})
        write_text(FOLDER / f"{name}.ipynb", json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
