"""How the package is built: what it needs of assets/ goes along, inside the package.

Only `pip install` reads this. In a checkout assets/ lies beside the package, where `gfx_core.config` finds it as well.
"""

import shutil
from pathlib import Path

from setuptools.command.build_py import build_py

CARRIED = (
    "bundles",
    "content",
    "explainers",
    "fonts",
    "kit",
    "models",
    "hidden_gnns",
    "player",
    "policies",
    "results",
    "rules",
    "state_graph",
    "students",
    "traces",
    "train",
    "trainings",
)
"""Folders of assets/ that the package reads; pictures and examples for people stay behind."""


class BuildWithAssets(build_py):
    """Copies the assets behind the modules."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:  # then the checkout itself is used
            return
        for folder in CARRIED:
            target = Path(self.build_lib) / "gfx_core" / "assets" / folder
            shutil.copytree(Path("assets") / folder, target, dirs_exist_ok=True)
