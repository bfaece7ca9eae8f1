"""Make the scripts that browsers are given: each component or page of its own with all modules that it imports.

    python assets/bundle.py

Whoever changes a module runs this and commits assets/bundles; nobody else needs Node.js, whose npx fetches esbuild.
A bundle is not minified: it can be reviewed, and a change of one module is a change of a few lines of it. Comments and
what nothing uses stay behind. `assets/bundles/sources.json` says which modules each is made of, with a digest of these
and of the bundle itself, which `tests/js` compares: no test makes a bundle.
"""

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUNDLES = ROOT / "assets" / "bundles"
SOURCES = BUNDLES / "sources.json"
ESBUILD = ("esbuild@0.28.2", "--bundle", "--format=esm", "--charset=utf8", "--loader:.css=text")


def entries() -> dict[str, str]:
    """The module that each bundle begins with, by the bundle's name.

    The player and the views of a training are components and pages of their own, and the site has one script; all
    others stand among the lessons or beside the Python of their components and have a default export, which Streamlit
    calls.
    """
    found = {
        "player": "assets/player/component.js",
        "player_page": "assets/player/standalone.js",
        "player_page_states": "assets/player/standalone_states.js",
        "site": "assets/site/site.js",
        "train": "assets/train/component.js",
        "train_news": "assets/train/news.js",
        "train_page": "assets/train/standalone.js",
    }
    folders = (ROOT / "pages" / "ui" / "components", ROOT / "assets" / "lessons")
    for path in sorted(path for folder in folders for path in folder.glob("*.js")):
        if "\nexport default " in path.read_text(encoding="utf-8"):
            found[path.stem] = path.relative_to(ROOT).as_posix()
    return found


def digest(name: str, sources: Sequence[str]) -> str:
    """Of a bundle, of the modules it is made of, and of how it is made."""
    known = hashlib.sha256(" ".join(ESBUILD).encode())
    for path in (*(ROOT / source for source in sources), BUNDLES / f"{name}.mjs"):
        known.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    return known.hexdigest()


def main() -> None:
    """Make all of them anew."""
    wanted = entries()
    for old in BUNDLES.glob("*.mjs"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        metafile = Path(folder) / "metafile.json"
        command = [
            "npx",
            "--yes",
            *ESBUILD,
            "--log-level=warning",
            "--outdir=assets/bundles",
            "--out-extension:.js=.mjs",
        ]
        command += [f"--metafile={metafile}", *(f"{name}={entry}" for name, entry in wanted.items())]
        subprocess.run(command, cwd=ROOT, check=True)
        outputs = json.loads(metafile.read_text(encoding="utf-8"))["outputs"]
    made = {name: sorted(outputs[f"assets/bundles/{name}.mjs"]["inputs"]) for name in sorted(wanted)}
    table = {name: {"digest": digest(name, sources), "sources": sources} for name, sources in made.items()}
    SOURCES.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
