"""Own data in a browser: hostile files, broken ones and a drawing become data sets, or a sentence."""

import re

from playwright.sync_api import FilePayload, Page

from tests.browser.conftest import OpenPage
from tests.browser.settling import expect, settled
from tests.user_data.broken_files import broken

EVIL = '<img src=x onerror="window.hit=1">'


def drop(page: Page, *files: tuple[str, bytes]) -> None:
    """Bring some files, as if they were dropped on the page."""
    settled(page)
    payloads: list[FilePayload] = [
        {"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in files
    ]
    page.locator(".st-key-own-bring input[type=file]").set_input_files(payloads)


def take(page: Page) -> None:
    """Use what was understood: it is offered a GNN."""
    page.locator(".st-key-own-take button").click()
    expect(page.get_by_role("heading", name=re.compile("GNN"))).to_be_visible()


def test_hostile_and_broken_files_and_a_drawing(open_page: OpenPage) -> None:
    page = open_page("/own")
    quoted = EVIL.replace('"', '""')
    nodes = f'id,class\n"{quoted}",<b>one</b>\nb,two\nc,two\n'
    edges = f'source,target\n"{quoted}",b\nb,c\nc,"{quoted}"\n'
    drop(page, (f"{EVIL}.csv", edges.encode()), ("nodes.csv", nodes.encode()))
    expect(page.get_by_text("3 nodes, 3 edges")).to_be_visible()
    take(page)
    heading = page.get_by_role("heading", name=re.compile("^<img src=x onerror="))
    expect(heading).to_be_visible()
    other = open_page("/own")  # somebody else
    settled(other)
    assert EVIL not in other.locator("body").inner_text()
    files, word = broken("bomb")
    drop(page, *((file.name, file.data) for file in files))
    alert = page.locator(".st-key-own-preview [data-testid=stAlert]").first
    expect(alert).to_contain_text(re.compile(word, re.IGNORECASE))
    expect(heading).to_be_visible()  # what was there stays
    settled(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".st-key-own-preview")).to_have_count(0)
    assert page.evaluate("window.hit") is None

    page.get_by_text("Draw", exact=True).click()
    sheet = page.locator(".st-key-own-editor svg")
    for x, y in ((60, 60), (200, 60), (130, 160)):
        sheet.click(position={"x": x, "y": y})
    use = page.get_by_role("button", name=re.compile(r"3 nodes, 2 links"))
    expect(use).to_be_visible()
    settled(page)
    use.click()
    expect(page.get_by_text("3 nodes, 2 edges")).to_be_visible()
