"""Preview: what was understood of some files, what was dropped and why, before anything is computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gfx_core.config import Task
from gfx_core.datasets.own import limits, store
from gfx_core.datasets.own.build import build
from gfx_core.datasets.own.draft import shortened
from gfx_core.datasets.own.meaning import Meaning, guessed, is_numeric, values
from gfx_core.datasets.own.read import Brought, read
from gfx_core.errors import UserError

_SHOWN = 3  # values of a column


@dataclass(frozen=True)
class Column:
    """One column of a table of nodes or edges.

    Attributes:
        name: What the file calls it.
        numeric: Whether it holds numbers only.
        different: How many different values it has.
        some: A few of them.
    """

    name: str
    numeric: bool
    different: int
    some: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """What was understood.

    Attributes:
        form: What kind of file it is.
        columns: Of the nodes.
        edge_columns: Of the edges.
        meaning: What the columns are taken for.
        problem: Why no data set can be made with that meaning; empty if one was.
        name: Of the data set that was made; it is in the visit's room, and not yet counted among its data sets.
        task: Of the data set.
        counts: Of nodes, edges and so on, by what they are.
        classes: What the classes are called.
        labelled: How many nodes or graphs have a class.
        understood: A sentence for each thing that was.
        dropped: A sentence for each thing that was not used, with the reason.
    """

    form: str
    columns: tuple[Column, ...]
    edge_columns: tuple[Column, ...]
    meaning: Meaning
    problem: str = ""
    name: str = ""
    task: Task = Task.NODE
    counts: dict[str, int] | None = None
    classes: tuple[str, ...] = ()
    labelled: int = 0
    understood: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def trainable(self) -> bool:
        """Whether there is enough to learn from for a GNN of its own."""
        return self.labelled >= limits.LEAST_LABELLED


def preview(files: Sequence[Brought], visit: str, meaning: Meaning | None = None, title: str = "") -> Preview:
    """Read files, make a data set of them and put it into the room of a visit.

    Args:
        files: What somebody brought.
        visit: Whose.
        meaning: What the columns mean; guessed by default.
        title: What to call it; by default what the first file is called.

    Raises:
        UserError: The files cannot be read.
    """
    draft = read(files)
    chosen = meaning or guessed(draft)
    columns, edge_columns = (_columns(table) for table in (draft.columns, draft.edge_columns))
    try:
        built = build(draft, chosen, shortened(title) or _title(files))
        name = store.save(built, draft.form, visit)
    except UserError as error:
        dropped = draft.dropped
        return Preview(draft.form, columns, edge_columns, chosen, str(error), dropped=dropped)
    dataset = built.dataset
    return Preview(
        draft.form,
        columns,
        edge_columns,
        chosen,
        "",
        name,
        dataset.task,
        dataset.statistics,
        dataset.info.classes,
        int((dataset.y >= 0).sum()),
        built.understood,
        built.dropped,
    )


def _title(files: Sequence[Brought]) -> str:
    stem = files[0].name.rpartition("/")[2].rpartition("\\")[2]
    return shortened(stem.rpartition(".")[0] or stem) or "Own data"


def _columns(table: Mapping[str, list[str]]) -> tuple[Column, ...]:
    found = []
    for name, cells in table.items():
        different = values(cells)
        found.append(Column(name, is_numeric(cells), len(different), tuple(map(shortened, different[:_SHOWN]))))
    return tuple(found)
