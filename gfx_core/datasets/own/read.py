"""Read whatever somebody brings: which reader it is for is told by its content, not by its name alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from gfx_core.datasets.own import limits
from gfx_core.datasets.own.draft import Draft, shortened
from gfx_core.datasets.own.edge_list import read_tables
from gfx_core.datasets.own.networkx_files import read_gml, read_json, read_xml
from gfx_core.datasets.own.tu_zip import read_zip
from gfx_core.errors import UserError

TYPES = ("csv", "tsv", "txt", "edges", "edgelist", "graphml", "gexf", "gml", "json", "xml", "zip")
"""Endings of file names that are offered; none is required."""


@dataclass(frozen=True)
class Brought:
    """A file that somebody brought.

    Attributes:
        name: What they call it.
        data: Its content.
    """

    name: str
    data: bytes

    @property
    def called(self) -> str:
        """Its name in sentences."""
        return f"“{shortened(self.name) or 'the file'}”"


def read(files: Sequence[Brought], clock: limits.Clock | None = None) -> Draft:
    """Read some files that belong together.

    Raises:
        UserError: One sentence on what is wrong, and with which file.
    """
    clock = clock or limits.Clock()
    if not files:
        raise UserError("There is nothing to read: choose a file or paste some edges.")
    if len(files) > limits.MAX_FILES:
        raise UserError(f"At most {limits.MAX_FILES} files are read in one go.")
    for file in files:
        limits.check_bytes(len(file.data), file.called)
    try:
        return _read(files, clock)
    except (RecursionError, MemoryError) as error:
        raise UserError(f"{files[0].called} is too deep or too large to be read.") from error


def _read(files: Sequence[Brought], clock: limits.Clock) -> Draft:
    if any(file.data[:4] == b"PK\x03\x04" or file.name.lower().endswith(".zip") for file in files):
        if len(files) > 1:
            raise UserError("An archive is read alone: bring it without other files.")
        return read_zip(files[0].called, files[0].data, clock)
    texts = [(file.called, _text(file)) for file in files]
    kinds = [_kind(text) for _, text in texts]
    if len(files) > 1 and kinds != ["table"] * len(files):
        odd = next(name for (name, _), kind in zip(texts, kinds, strict=True) if kind != "table")
        raise UserError(f"Only tables are read together, and {odd} is none: bring it alone.")
    if kinds[0] == "table":
        return read_tables(texts, clock)
    reader = {"xml": read_xml, "gml": read_gml, "json": read_json}[kinds[0]]
    return reader(*texts[0], clock)


def _text(file: Brought) -> str:
    if not file.data.strip():
        raise UserError(f"{file.called} is empty.")
    if file.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UserError(f"{file.called} is text in UTF-16: save it as UTF-8.")
    if b"\x00" in file.data:
        raise UserError(f"{file.called} is no text but a binary file, which is not read.")
    try:
        return file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{file.called} is not text in UTF-8: save it in that encoding.") from error


def _kind(text: str) -> str:
    """What a text is, by how it begins."""
    begin = text.lstrip()[:4096]
    if begin[:1] == "<":
        return "xml"
    if begin[:1] in "{[":
        return "json"
    plain = "\n".join(line for line in begin.splitlines() if not line.lstrip().startswith("#")).lower()
    if "graph" in plain and "[" in plain and plain.lstrip().startswith(("graph", "creator", "version", "comment")):
        return "gml"
    return "table"
