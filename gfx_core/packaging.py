"""How the package is built: assets/ and the explorer's pages go along, inside the package.

Only `pip install` reads this. In a checkout they lie beside the package, where `gfx_core.config` finds them as well.
"""

import shutil
from pathlib import Path

from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

LEFT = ("bundle.py", "deploy", "examples", "screenshots")
"""What the package does not need of assets/: it is for people who read the checkout."""
EXPLORER = ("app.py", "pages", ".streamlit")
"""What is found in the package's folder ``explorer``, so that no other package meets our ``pages``."""


class BuildWithExplorer(build_py):
    """Copies the assets and the explorer behind the modules."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:  # then the checkout itself is used
            return
        package = Path(self.build_lib) / "gfx_core"
        for path in Path("assets").iterdir():
            if path.name not in LEFT:
                _copy(path, package / "assets" / path.name)
        for name in EXPLORER:
            _copy(Path(name), package / "explorer" / name)


class SourceWithExplorer(sdist):
    """Packs assets and explorer into an archive of the source, too, from which the package can then be built."""

    def make_distribution(self) -> None:
        for name in ("assets", *EXPLORER):
            found = [Path(name), *Path(name).rglob("*")]
            self.filelist.extend([str(path) for path in found if path.is_file() and "__pycache__" not in path.parts])
        super().make_distribution()


def _copy(source: Path, target: Path) -> None:
    """A file or a whole folder."""
    if source.is_dir():
        unfinished = shutil.ignore_patterns("__pycache__", "*.partial", "*.fresh", "*.part")
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=unfinished)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
