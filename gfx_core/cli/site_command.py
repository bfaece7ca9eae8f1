"""The static site as a command: ``python -m gfx_core site --out FOLDER``."""

import argparse
from pathlib import Path

from gfx_core.cli import Commands


def add_site(commands: Commands) -> None:
    """Make the site."""
    command = commands.add_parser("site", help="make a static site, which opens from any file server or from disk")
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write it")
    command.set_defaults(run=_site)


def _site(options: argparse.Namespace) -> None:
    from gfx_core.site.build import write_site  # only here: it reads all that is shipped

    files = write_site(options.out)
    size = sum(file.stat().st_size for file in files)
    print(f"→ {options.out / 'index.html'} and {len(files) - 1} more files, {size / 1e6:.1f} MB")
