"""Own data as a visitor meets it: a file becomes a data set, a GNN, an answer, a link and a file again."""

import json
import re
from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect

from gfx_core.user_data.examples import files_of
from tests.browser.conftest import OpenPage
from tests.browser.settling import settled
from tests.user_data.broken_files import BROKEN

EVIL = '<img src=x onerror="window.hit=1">'


def drop(page: Page, *files: tuple[str, bytes]) -> None:
    """Bring some files, as if they were dropped on the page."""
    settled(page)
    payloads: list[FilePayload] = [
        {"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in files
    ]
    page.locator(".st-key-own-bring input[type=file]").set_input_files(payloads)


def take(page: Page) -> None:
    """Use what was understood."""
    page.get_by_role("button", name="Use this data set").click()
    expect(page.get_by_role("heading", name="A GNN for it")).to_be_visible()


def train(page: Page) -> None:
    """Train a GNN, briefly."""
    settled(page)
    seconds = page.locator(".st-key-own-gnn-seconds input")
    seconds.fill("2")
    seconds.press("Enter")
    settled(page)
    page.get_by_role("button", name="Train it").click()
    expect(page.get_by_text("Right on unseen ones")).to_be_visible()


def test_from_a_file_to_an_answer_a_link_and_a_file(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/own")
    (rings,) = files_of("rings")
    drop(page, (rings.name, rings.data))
    expect(page.get_by_text("24 marked motifs with 120 edges")).to_be_visible()
    expect(page.locator(".st-key-own-picture svg.network").first).to_be_visible()
    take(page)
    train(page)

    page.get_by_role("link", name="Explain a prediction").click()
    expect(page).to_have_url(re.compile(r"/explain\?dataset=own-[0-9a-f]{16}-[0-9a-f]{16}&index=\d+"))
    expect(page.locator(".st-key-player svg").first).to_be_visible()
    link = page.url.partition("/explain")[2]

    settled(page)
    page.get_by_text("All tools", exact=True).click()
    expect(page.get_by_text("Exact flows, computed from").first).to_be_visible()
    page.get_by_role("tab", name="Save and load").click()
    expect(page).to_have_url(re.compile("tab=files"))
    settled(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="JSON", exact=True).click()
    trace = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    assert trace["dataset_title"] == "rings on a tree"
    with page.expect_download() as saved:
        page.get_by_role("button", name="Page that plays offline").click()
    assert b"<html" in Path(saved.value.path()).read_bytes()[:200].lower()

    page.reload()  # the same visit
    expect(page.locator(".st-key-player svg").first).to_be_visible()

    other = open_page(f"/explain{link}")  # somebody else, with the same link
    expect(other.get_by_text("This link needs a data set")).to_be_visible()
    expect(other.locator(".st-key-player svg").first).to_be_visible()
    settled(other)
    assert "rings on a tree" not in other.locator("body").inner_text()
    other.goto(page.url.partition("/explain")[0] + "/explain?tab=files")
    settled(other)
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace), encoding="utf-8")
    other.locator("input[type=file]").set_input_files(path)  # but the saved trace plays for anybody
    expect(other.get_by_text(re.compile("loaded from a file: rings on a tree"))).to_be_visible()
    expect(other.locator(".st-key-player svg").first).to_be_visible()


def test_broken_and_hostile_files_and_a_drawing(open_page: OpenPage) -> None:
    page = open_page("/own")
    nodes = f'id,class\n"{EVIL.replace(chr(34), chr(34) * 2)}",<b>one</b>\nb,two\nc,two\n'
    edges = f'source,target\n"{EVIL.replace(chr(34), chr(34) * 2)}",b\nb,c\nc,"{EVIL.replace(chr(34), chr(34) * 2)}"\n'
    drop(page, (f"{EVIL}.csv", edges.encode()), ("nodes.csv", nodes.encode()))
    expect(page.get_by_text("3 nodes, 3 edges")).to_be_visible()
    take(page)
    heading = page.get_by_role("heading", name=re.compile("^<img src=x onerror="))
    expect(heading).to_be_visible()
    assert page.evaluate("window.hit") is None

    for name in ("entities", "JSON deep", "bomb"):
        files, word = BROKEN[name]
        drop(page, *((file.name, file.data) for file in files))
        error = page.locator(".st-key-own-preview [data-testid=stAlert]").first  # below it: what was taken before
        expect(error).to_contain_text(re.compile(word, re.IGNORECASE))
        expect(heading).to_be_visible()  # what was there stays
        settled(page)
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".st-key-own-preview")).to_have_count(0)
    assert page.evaluate("window.hit") is None

    page.get_by_role("radio", name="Draw").or_(page.get_by_text("Draw", exact=True)).first.click()
    sheet = page.locator(".st-key-own-editor svg")
    expect(sheet).to_be_visible()
    for x, y in ((60, 60), (200, 60), (130, 160)):
        sheet.click(position={"x": x, "y": y})
    expect(page.get_by_role("button", name="Use this drawing (3 nodes, 2 links)")).to_be_visible()
    settled(page)
    page.get_by_role("button", name=re.compile("^Use this drawing")).click()
    expect(page.get_by_text("3 nodes, 2 edges")).to_be_visible()


def test_a_plain_edge_list_is_asked_for_classes_and_finds_some_in_the_graph(open_page: OpenPage) -> None:
    page = open_page("/own?from=paste")
    settled(page)
    edges = "\n".join(f"a{one} a{other}\nb{one} b{other}" for one in range(6) for other in range(one))
    field = page.get_by_role("textbox", name="Edges, one in a line")
    field.fill(f"{edges}\na0 b0")
    field.press("Control+Enter")
    settled(page)
    page.get_by_role("button", name="Read it").click()
    expect(page.get_by_text("These classes come from the graph itself, not from your data.")).to_be_visible()
    found = r"2 classes of nodes: community of a\d \(6\) and community of b\d \(6\)\."
    expect(page.get_by_text(re.compile(found))).to_be_visible()
    settled(page)
    page.get_by_role("combobox", name=re.compile("What should the GNN predict")).click()
    page.get_by_role("option", name="nothing yet").click()
    expect(page.get_by_text("Without classes no GNN can be trained here.")).to_be_visible()
    settled(page)
    page.get_by_role("combobox", name=re.compile("What should the GNN predict")).click()
    page.get_by_role("option", name=re.compile("^communities")).click()
    expect(page.get_by_text("Without classes no GNN can be trained here.")).to_have_count(0)
    settled(page)
    take(page)
    expect(page.get_by_role("button", name="Train it")).to_be_visible()
