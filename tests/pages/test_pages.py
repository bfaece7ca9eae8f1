"""What holds for every page."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

from pages.ui import shell
from pages.ui.lessons.frame import SHORT_TITLES
from tests.pages.page_reading import ROOT
from tests.patience import PATIENCE_S

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py") if path.stem != "__init__")


def test_the_router_knows_every_page() -> None:
    assert set(PAGES) == {file for file, _, _ in shell.PAGES}


_WALK = """
import json, sys
from tests.pages.page_reading import opened
before = set(sys.modules)
opened("home")
charts = {"plotly", "networkx", "rdkit"} & ({*sys.modules} - before)
assert not charts, f"Home loads {charts}"
from gfx_core.jobs.pool import WorkerPool
WorkerPool._add_slot = lambda *_, **__: None  # nobody answers: what pages do by themselves is what is looked at
for page, link in json.loads(sys.argv[1]):
    at = opened(page, **link)
    assert at.title and not at.error, (page, link)
    assert any("CPU · " in text.value or "GPU · " in text.value for text in at.markdown), page
    shown = at.get("bidi_component")[1:] or at.get("latex")  # the first component shows nothing
    assert shown or not link, (page, link)
    if loaded := sorted({"torch", "torch_geometric", "scipy", "pandas"} & set(sys.modules)):
        sys.exit(f"{page} {link} loads {loaded}")
"""


def test_every_page_opens_and_none_loads_torch(mutagenicity_root: Path) -> None:
    """What is shipped is said at once, and all else asked of a worker; a server that holds torch is slow for all."""
    links: list[tuple[str, dict[str, str]]] = [(page, {}) for page in PAGES]
    links += [("learn", {"lesson": str(lesson)}) for lesson in range(1, len(SHORT_TITLES) + 1)]
    links += [("train", {"story": story}) for story in ("first", "sequence")]
    links += [("datasets", {"dataset": "ba_shapes", "index": "301"}), ("datasets", {"dataset": "mutagenicity"})]
    links += [("explain", {"dataset": "tree_cycles", "index": "612"}), ("compare", {"dataset": "ba_shapes"})]
    links += [(page, {"dataset": "mutagenicity", "compound": "Phenol"}) for page in ("datasets", "explain", "compare")]
    command = [sys.executable, "-c", _WALK, json.dumps(links)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr[-2000:]


def test_streamlit_still_looks_where_the_router_tells_it_not_to() -> None:
    from streamlit import delta_generator

    assert isinstance(delta_generator._use_warning_has_been_displayed, bool)


def test_the_settings_carry_a_class() -> None:
    """Watching files and collecting garbage after each run made thirty visitors wait for seconds."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["fileWatcherType"] == "none"
    assert config["runner"]["postScriptGC"] is False
    assert config["runner"]["magicEnabled"] is False  # else a page shows the strings that document its constants
    assert config["browser"]["gatherUsageStats"] is False
    # a browser that lags behind still has what the server takes for known; Streamlit's own 2 runs are too few
    assert config["global"]["maxCachedMessageAge"] >= 20


def test_the_app_calls_nobody() -> None:
    for path in [ROOT / "app.py", *(ROOT / "pages").rglob("*.*"), *(ROOT / "gfx_core" / "drawing").glob("*.py")]:
        if path.suffix in {".py", ".js", ".css"}:
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert "http://" not in text, path
            assert "https://" not in text, path
            assert "unsafe_allow_html" not in text, path


def test_there_is_one_place_for_role_colours() -> None:
    from gfx_core.drawing import colours

    roles = [value.colour for value in vars(colours).values() if isinstance(value, colours.Role)]
    sources = [*(ROOT / "gfx_core" / "drawing").glob("*.py"), *(ROOT / "pages").rglob("*.*")]
    for path in sources:
        if path.name != "colours.py" and path.suffix in {".py", ".js", ".css"}:
            assert not any(colour in path.read_text(encoding="utf-8") for colour in roles), path
