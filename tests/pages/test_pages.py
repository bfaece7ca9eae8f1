"""What holds for every page."""

import json
import subprocess
import sys
import tomllib

from gfx_core.drawing import colours
from gfx_core.teaching.lesson_texts import LESSONS
from tests.pages.page_reading import PAGES, ROOT
from tests.patience import PATIENCE_S

_WALK = """
import json, sys
from tests.pages.page_reading import opened
before = set(sys.modules)
opened("home")
charts = {"plotly", "networkx", "rdkit", "scipy"} & ({*sys.modules} - before)  # SciPy lays out graphs
assert not charts, f"Home loads {charts}"
from gfx_core.jobs.pool import WorkerPool
WorkerPool._add_slot = lambda *_, **__: None  # nobody answers: what pages do by themselves is what is looked at
for page, link in json.loads(sys.argv[1]):
    at = opened(page, **link)
    assert at.title and not at.error, (page, link)
    assert any("CPU · " in text.value or "GPU · " in text.value for text in at.markdown), page
    shown = at.get("bidi_component")[1:] or at.get("latex")  # the first component shows nothing
    assert shown or not link, (page, link)
    reads_records = page == "results" or link == {"lesson": "7"}  # what studies found; they come last
    banned = {"torch", "torch_geometric"} | (set() if reads_records else {"pandas"})
    if loaded := sorted(banned & set(sys.modules)):
        sys.exit(f"{page} {link} loads {loaded}")
"""


def test_every_page_opens_and_none_loads_torch(mutagenicity_root: object) -> None:
    """What is shipped is said at once, and all else asked of a worker; a server that holds torch is slow for all."""
    links: list[tuple[str, dict[str, str]]] = [(page, {}) for page in PAGES]
    links += [("learn", {"lesson": str(lesson)}) for lesson in range(2, len(LESSONS) + 1)]
    links += [("train", {"story": "sequence"}), ("datasets", {"dataset": "mutagenicity"})]
    links += [("datasets", {"dataset": "ba_shapes", "index": "301"}), ("compare", {"dataset": "ba_shapes"})]
    links += [(page, {"dataset": "mutagenicity", "compound": "Phenol"}) for page in ("datasets", "explain", "compare")]
    links.sort(key=lambda at: at[0] == "results" or at[1] == {"lesson": "7"})
    command = [sys.executable, "-c", _WALK, json.dumps(links)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_settings_carry_a_class() -> None:
    """Watching files and collecting garbage after each run made thirty visitors wait for seconds."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["fileWatcherType"] == "none"
    assert config["runner"]["postScriptGC"] is False
    assert config["runner"]["magicEnabled"] is False  # else a page shows the strings that document its constants
    assert config["browser"]["gatherUsageStats"] is False
    # a browser that lags behind still has what the server takes for known; Streamlit's own 2 runs are too few
    assert config["global"]["maxCachedMessageAge"] >= 20


def test_the_pages_call_nobody_and_take_colours_from_one_place() -> None:
    roles = [colour for colour in colours.ROLES.values() if "#" in colour]
    for path in [ROOT / "app.py", *(ROOT / "pages").rglob("*.*"), *(ROOT / "gfx_core" / "drawing").glob("*.py")]:
        if path.suffix not in {".py", ".js", ".css"}:
            continue
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not {word for word in ("http://", "https://", "unsafe_allow_html") if word in text}, path
        assert not any(colour in text for colour in roles), path
