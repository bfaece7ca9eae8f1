"""How the package is built: assets/ and the explorer's pages go along, inside the package.

Only `pip install` reads this. In a checkout they lie beside the package, where `gfx_core.config` finds them as well.
"""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

LEFT = ("deploy", "examples", "screenshots")
"""What the package does not need of assets/: it is for people who read the checkout."""


class BuildWithoutThisFile(build_py):
    """The explorer lies in the same folder as this file, which is no part of it."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        modules = super().find_package_modules(package, package_dir)
        return [(package, module, path) for package, module, path in modules if module != "setup"]


setup(
    cmdclass={"build_py": BuildWithoutThisFile},
    packages=[*find_packages(include=["gfx_core*"]), "gfx_core.assets", "gfx_core.explorer"],
    package_dir={"gfx_core.assets": "assets", "gfx_core.explorer": "."},
    package_data={
        "gfx_core": ["py.typed"],
        "gfx_core.assets": ["**/*"],
        "gfx_core.explorer": ["pages/**/*", ".streamlit/*"],
    },
    exclude_package_data={
        "": ["*.pyc", "*.part"],
        "gfx_core.assets": [f"{folder}/*" for folder in LEFT],
    },
    include_package_data=False,
)
