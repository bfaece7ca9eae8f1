"""An uploaded file or an example, the roles of its columns, and the preview of the data set. It needs no pandas."""

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gfx_core import limits
from gfx_core.config import ASSETS, read_content
from gfx_core.datasets.sentences import visible
from gfx_core.errors import UserError

UNKNOWN = ("class not known",)
"""In place of classes where a file names none."""
WORDS = read_content("columns")
"""By which columns, and what is in cells, are recognised."""


@dataclass(frozen=True)
class DataFile:
    """An uploaded file.

    Attributes:
        name: As the visitor calls it.
        data: Its content.
    """

    name: str
    data: bytes

    @property
    def called(self) -> str:
        """Its name in sentences."""
        return f"“{shortened(self.name) or 'the file'}”"

    @property
    def text(self) -> str:
        """Its content; ``UserError`` if that is no text."""
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"{self.called} is not text in UTF-8: save it in that encoding.") from error
        if "\x00" in text:
            raise UserError(f"{self.called} is a binary file, not text, so it cannot be read.")
        if not text.strip():
            raise UserError(f"{self.called} is empty: choose another file or paste some edges.")
        return text


@dataclass(frozen=True)
class ColumnRoles:
    """What the columns of a draft mean.

    Attributes:
        label: The column of classes; empty for none. A set of graphs names the class of each and has no such column.
        motif: The column that marks what an explanation should find; empty for none.
        name: The column of names that are written on nodes; empty for what the file calls them.
        features: The columns that the GNN reads; none: it sees the links alone.
        structure: Without a column, which classes of the graph's own structure are learned, ``communities`` or
            ``roles``; empty for none.
        categories: The features whose numbers are names: each value becomes a feature of its own, as words do.
    """

    label: str = ""
    motif: str = ""
    name: str = ""
    features: tuple[str, ...] = ()
    structure: str = ""
    categories: tuple[str, ...] = ()

    def change(self, **roles: Any) -> "ColumnRoles":
        """Give some columns other roles: one of classes, motifs or names is no feature any more."""
        changed = replace(self, **roles)
        features = tuple(name for name in changed.features if name not in (changed.label, changed.motif, changed.name))
        categories = tuple(name for name in changed.categories if name in features)
        return replace(changed, features=features, categories=categories)


@dataclass(frozen=True)
class Preview:
    """What was understood of some files.

    Attributes:
        form: What kind of file it is.
        columns: Those of the nodes, and how many different values each has.
        meaning: What the columns are taken for.
        problem: Why no data set can be made with that meaning; empty if one was.
        name: Of the data set that was made; it is in the visit's folder, and not yet counted among its data sets.
        telling: The features whose values each occur in one class only: a GNN that reads one need not see the graph.
        understood: A sentence for each thing that was.
        dropped: A sentence for each thing that was not used, with the reason.
        numeric: The columns of the nodes that contain only numbers.
    """

    form: str
    columns: dict[str, int]
    meaning: ColumnRoles
    problem: str = ""
    name: str = ""
    telling: tuple[str, ...] = ()
    understood: Sequence[str] = ()
    dropped: Sequence[str] = ()
    numeric: tuple[str, ...] = ()


def column_called(columns: Iterable[Hashable], words: Sequence[str]) -> str:
    """The column that is called the first of these words that is one; empty if there is none."""
    titles = {re.sub("[ -]", "_", str(title).lower()): str(title) for title in columns}
    return next((titles[word] for word in words if word in titles), "")


def shortened(text: str) -> str:
    """A name of at most so many letters, in one line and without what is not to be seen."""
    line = visible(text[: 4 * limits.MAX_TEXT])
    return line if len(line) <= limits.MAX_TEXT else f"{line[: limits.MAX_TEXT - 1]}…"


def limits_in_words() -> str:
    """The limits as a visitor wants to know them."""
    size = f"{limits.MAX_NODES:,} nodes ({limits.MAX_ALL_NODES:,} in all graphs) and {limits.MAX_EDGES:,} edges"
    return (
        f"A file may have {limits.MAX_BYTES // 2**20} MB, a graph {size}. At most {limits.MAX_FEATURES} features, "
        f"{limits.MAX_CLASSES} classes and {limits.MAX_SECONDS:.0f} s to read it. At most {limits.MAX_HELD} data sets "
        "at a time."
    )


def check_count(count: int, most: int, noun: str) -> None:
    """Refuse more of something than there may be."""
    if count > most:
        raise UserError(f"There are more than {most:,} {noun}: upload a part of them.")


EXAMPLES = read_content("example_files")
"""By their names in links: a title, a sentence about them, and the names of the files in ``assets/uploads``."""


def files_of(name: str) -> tuple[DataFile, ...]:
    """The files of an example."""
    return tuple(DataFile(file, (ASSETS / "uploads" / file).read_bytes()) for file in EXAMPLES[name]["names"])
