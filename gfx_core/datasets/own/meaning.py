"""Meaning: which columns of a draft are classes, marks, names and features; guessed first, then up to the visitor."""

from collections.abc import Sequence
from dataclasses import dataclass

from gfx_core.datasets.own import limits
from gfx_core.datasets.own.draft import Draft
from gfx_core.errors import UserError

NOTHING = frozenset(("", "nan", "none", "null", "na", "n/a", "?"))
"""Cells that say nothing."""
_CLASS = ("class", "y", "target", "label", "category", "community", "club", "group", "type", "value")
_MOTIF = ("motif", "truth", "ground_truth", "mark", "marked", "explanation")
_NAME = ("name", "title", "label", "display")


@dataclass(frozen=True)
class Meaning:
    """What the columns of a draft mean.

    Attributes:
        label: The column of classes; empty for none. In a set of graphs that names the class of each, it is not asked.
        motif: The column that marks what an explanation should find; empty for none.
        name: The column of names that are written on nodes; empty for what the file calls them.
        features: The columns that the GNN reads; none: it sees the links alone.
        edge_motif: The column of the edges that marks them likewise; empty for none.
        scaled: Whether numbers are put on one scale, with mean 0 and deviation 1.
    """

    label: str = ""
    motif: str = ""
    name: str = ""
    features: tuple[str, ...] = ()
    edge_motif: str = ""
    scaled: bool = True

    def check(self, draft: Draft) -> None:
        """Refuse columns that the draft has not."""
        for name in filter(None, (self.label, self.motif, self.name, *self.features)):
            if name not in draft.columns:
                raise UserError(f"There is no column “{name}” in this {draft.form}.")
        if self.edge_motif and self.edge_motif not in draft.edge_columns:
            raise UserError(f"The edges have no column “{self.edge_motif}” in this {draft.form}.")


def values(column: Sequence[str]) -> list[str]:
    """The different words of a column that say something, numbers in their order."""
    found = {cell for cell in column if cell.lower() not in NOTHING}
    return sorted(found, key=lambda cell: (as_number(cell) is None, as_number(cell) or 0.0, cell))


def as_number(cell: str) -> float | None:
    """A cell as a number; ``None`` if it is none, or not a finite one."""
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if abs(found) < 1e30 else None


def is_numeric(column: Sequence[str]) -> bool:
    """Whether all that a column says is numbers."""
    said = [cell for cell in column if cell.lower() not in NOTHING]
    return bool(said) and all(as_number(cell) is not None for cell in said)


def guessed(draft: Draft) -> Meaning:
    """What the columns most likely mean, by what they are called and hold."""
    different = {name: len(values(column)) for name, column in draft.columns.items()}

    def called(known: Sequence[str], columns: Sequence[str]) -> list[str]:
        plain = {name: name.lower().replace(" ", "_").replace("-", "_") for name in columns}
        return [name for want in known for name in columns if plain[name] == want]

    columns = list(draft.columns)
    motif = next(iter(called(_MOTIF, columns)), "")
    fit = [name for name in columns if 2 <= different[name] <= limits.MAX_CLASSES and name != motif]
    label = "" if draft.graph_labels is not None else next(iter(called(_CLASS, fit)), "")
    if not label and draft.graph is None and len(fit) == 1 and not is_numeric(draft.columns[fit[0]]):
        label = fit[0]
    names = [name for name in called(_NAME, columns) if name not in (label, motif)]
    name = next((name for name in names if different[name] > len(draft.names) / 2), "")
    features = tuple(
        column
        for column in columns
        if column not in (label, motif, name)
        and different[column] >= 2
        and (is_numeric(draft.columns[column]) or different[column] <= limits.MAX_WORDS)
    )
    edge_motif = next(iter(called(_MOTIF, list(draft.edge_columns))), "")
    return Meaning(label, motif, name, features[: limits.MAX_FEATURES], edge_motif)
