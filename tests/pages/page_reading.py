"""Read what a page shows."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from pages.ui.streamlit_private import prepare
from tests.patience import PATIENCE_S, until

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py") if path.stem != "__init__")

Open = Callable[..., AppTest]
"""The fixture ``open_page``: a page's file name and URL parameters in, the page out."""

_make = PagesManager.__init__


def _of_one_script(self: PagesManager, *given: Any, **named: Any) -> None:
    _make(self, *given, **named)
    prepare()


PagesManager.__init__ = _of_one_script  # type: ignore[method-assign]  # AppTest forgets it before every run

# Each AppTest reads the metadata of all installed packages
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def opened(name: str = "datasets", /, **link: str) -> AppTest:
    """A page by its file name, with some URL parameters, after a check that it did not crash."""
    return opened_with({}, name, **link)


def opened_with(state: Mapping[str, Any], name: str, /, **link: str) -> AppTest:
    """The same in a session that holds something already, such as a visit."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S)
    for key, value in state.items():
        at.session_state[key] = value
    at.switch_page(f"pages/{name}.py")
    for key, value in link.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def answered(at: AppTest) -> AppTest:
    """A page once all that it has asked for is computed."""
    jobs = at.session_state["jobs"].values() if "jobs" in at.session_state else ()
    until(lambda: all(job.finished for job in jobs))
    at.run()
    assert not at.exception
    return at


def looked_until(at: AppTest, condition: Callable[[], object]) -> AppTest:
    """Look at a page again and again until something is so."""
    until(lambda: condition() or not at.run(), between_s=0.1)
    assert not at.exception
    return at


def by_link(at: AppTest, link: Mapping[str, str]) -> AppTest:
    """The page that is shown by another link, as by Back; what a browser says else may be late, and is not heeded."""
    at.query_params.clear()
    at.query_params.update(link)
    if "page" in at.session_state:
        del at.session_state["page"]
    return at


def go(at: AppTest, name: str, /, **link: str) -> AppTest:
    """Change the page as the navigation does, or by a link: nothing of the old one is left."""
    at.query_params.clear()
    if link:
        by_link(at, link)
    at.switch_page(f"pages/{name}.py").run()
    assert not at.exception
    return at


def keys(*kinds: Iterable[Any]) -> set[str]:
    """The keys of widgets."""
    return {str(widget.key) for kind in kinds for widget in kind}


def links_to(at: AppTest, page: str) -> list[str]:
    """What the page's links to another page say."""
    return [link.proto.query_string for link in at.get("page_link") if link.proto.page == page]


def has(at: AppTest, key: str) -> bool:
    """Whether a component of that key is on the page."""
    return any(key in c.proto.id for c in at.get("bidi_component"))


def url(at: AppTest, name: str) -> Any:
    """What the URL says; ``None`` if nothing."""
    value = at.query_params.get(name)
    return value[0] if isinstance(value, list) else value


def link_of(at: AppTest) -> dict[str, str]:
    """All that the URL says."""
    return {name: url(at, name) for name in at.query_params}


def component(at: AppTest, key: str) -> Any:
    """What a component was given."""
    found = [c.proto for c in at.get("bidi_component") if key in c.proto.id]
    assert found, f"there is no {key}"
    data = json.loads(found[0].json)
    return data[0] if isinstance(data, list) and len(data) == 1 else data


def reported(at: AppTest, key: str, event: str, value: object, *, state: bool = False) -> AppTest:
    """The page after what a component reports, in one request with what else was clicked since.

    Args:
        at: The page.
        key: Of the component.
        event: What it reports.
        value: With what.
        state: Whether that is a part of its state, as a lesson's is, and no event.
    """
    request = at._tree.get_widget_states()
    (shown,) = [c.proto.id for c in at.get("bidi_component") if key in c.proto.id]
    told = json.dumps([{"event": event, "value": value}])
    if state:
        request.widgets.add(id=shown, json_value=json.dumps({event: value}))
    else:
        request.widgets.add(id=_make_trigger_id(shown, "events"), json_trigger_value=told)
    at._run(request)
    assert not at.exception
    return at


def table_lines(at: AppTest) -> dict[str, list[str]]:
    """The cells of the page's table of numbers by the name of each line, the line of heads first.

    Small print stands in brackets, what only a reader hears as text.
    """
    (table,) = [each.proto.body for each in at.get("html") if '<div class="number-table"' in each.proto.body]
    plain = re.sub(r'<span aria-label="([^"]*)">', r"\1 ", table).replace("<small>", " (").replace("</small>", ")")
    rows = [re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL) for row in re.findall(r"<tr.*?</tr>", plain, re.DOTALL)]
    lines = [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in rows]
    return {line[0]: line for line in lines}


def texts(at: AppTest) -> str:
    """Everything that is written on the page."""
    return "\n".join(read(element.value) for element in (*at.markdown, *at.caption, *at.subheader))


def read(text: object) -> str:
    """What a visitor reads where `pages.ui.text.plain` was used."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", str(text)).replace("\u2060", "")


def bars_of(at: AppTest) -> list[dict[str, Any]]:
    """What the GNN gives each class."""
    (drawn,) = [each.proto.body for each in at.get("html") if 'class="class-bars"' in each.proto.body]
    found = re.findall(r"<li( class=predicted)?><span>(.*?) <small>.*?--share: ([\d.]+)", drawn)
    return [{"name": unescape(name), "share": float(share), "predicted": bool(said)} for said, name, share in found]
