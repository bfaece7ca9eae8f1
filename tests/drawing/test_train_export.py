"""The file that replays a training on its own, and what the browser is sent of a recording."""

import json
import re

from gfx_core.drawing.export import train_html, train_parts
from tests.training.toy_recording import Toy, toy_recording

EVIL = "</script><img data-x onerror=alert(1)>"


def test_all_of_a_recording_is_in_its_file() -> None:
    recording = toy_recording(Toy(lanes=2, frames=3))
    page = train_html(recording)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))
    assert [lane["frames"] for lane in data["lanes"]] == [lane["frames"] for lane in recording["lanes"]]
    assert [lane["scenes"] for lane in data["lanes"]] == [lane["scenes"] for lane in recording["lanes"]]
    assert data["live"] is None


def test_nothing_is_asked_for_and_nothing_can_be_smuggled_in() -> None:
    recording = toy_recording(Toy(frames=2))
    recording["title"] = recording["lanes"][0]["name"] = EVIL
    recording["lanes"][0]["scenes"][0]["nodes"][0]["label"] = EVIL
    page = train_html(recording)
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert "default-src 'none'" in page
    addresses = re.findall(r"""(?:src|href)\s*=|url\(|@import|https?://[^\s"'`<]+""", page)
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}


def test_only_what_has_come_since_is_sent() -> None:
    recording = toy_recording(Toy(lanes=2, frames=5, changed=3))
    whole = train_parts(recording, "a")
    assert [(lane["from"], len(lane["scenes"])) for lane in whole["lanes"]] == [(0, 2), (0, 2)]
    since = train_parts(recording, "a", [3, 4])
    assert [[scene["from"] for scene in lane["scenes"]] for lane in since["lanes"]] == [[3], []]
    some = train_parts(recording, "a", [4, 9])
    assert [len(lane["frames"]) for lane in some["lanes"]] == [1, 0]
    assert [lane["from"] for lane in some["lanes"]] == [4, 5]  # no more than there are
    assert train_parts(recording, "a", [4])["lanes"] == whole["lanes"]  # of other lanes: all
