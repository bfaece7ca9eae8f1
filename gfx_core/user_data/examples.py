"""Example files to upload with one click, or to look at."""

from gfx_core.config import ASSETS, read_content
from gfx_core.user_data.draft import DataFile

EXAMPLES = read_content("example_files")
"""By their names in links: a title, a sentence about them, and the names of the files in ``assets/uploads``."""


def files_of(name: str) -> tuple[DataFile, ...]:
    """The files of an example."""
    return tuple(DataFile(file, (ASSETS / "uploads" / file).read_bytes()) for file in EXAMPLES[name]["names"])
