"""Make the scripts of pages that need no server: each with all modules that it imports.

    python assets/bundle.py

The explorer serves the modules as they are (`pages.ui.components.mount`). After a change run this, and commit
assets/bundles; it needs Node.js, whose npx fetches esbuild. A bundle is not minified, so it can be reviewed; comments
and what nothing uses stay behind. `assets/bundles/sources.json` lists the modules of each, with a digest of these and
of the bundle itself, which `tests/js` compares: no test makes a bundle.
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


ENTRIES = {
    "player_page": "assets/player/standalone.js",
    "player_page_states": "assets/player/standalone_states.js",
    "site": "assets/site/site.js",
    "train_page": "assets/train/standalone.js",
}
"""The module that each bundle begins with."""


def digest(name: str, sources: Sequence[str]) -> str:
    """Of a bundle, of the modules it is made of, and of how it is made."""
    known = hashlib.sha256(" ".join(ESBUILD).encode())
    for path in (*(ROOT / source for source in sources), BUNDLES / f"{name}.mjs"):
        known.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    return known.hexdigest()


def main() -> None:
    """Make all of them anew."""
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
        command += [f"--metafile={metafile}", *(f"{name}={entry}" for name, entry in ENTRIES.items())]
        subprocess.run(command, cwd=ROOT, check=True)
        outputs = json.loads(metafile.read_text(encoding="utf-8"))["outputs"]
    made = {name: sorted(outputs[f"assets/bundles/{name}.mjs"]["inputs"]) for name in sorted(ENTRIES)}
    table = {name: {"digest": digest(name, sources), "sources": sources} for name, sources in made.items()}
    SOURCES.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
