"""Own data in a browser: files of hostile names and a drawing become data sets."""

import re

from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.settling import expect, settled

EVIL = '<img src=x onerror="window.hit=1">'


def take(page: Page, size: str) -> None:
    """Use what was understood: it is offered a GNN."""
    expect(page.get_by_text(size)).to_be_visible()
    page.locator(".st-key-own-take button").click()
    expect(page.get_by_role("heading", name=re.compile("GNN"))).to_be_visible()


def test_files_and_a_drawing(open_page: OpenPage) -> None:
    page = open_page("/own")
    quoted = EVIL.replace('"', '""')
    files = {
        f"{EVIL}.csv": f'source,target\n"{quoted}",b\nb,c\nc,"{quoted}"\n',
        "nodes.csv": f'id,class\n"{quoted}",<b>one</b>\nb,two\nc,two\n',
    }
    settled(page)
    page.locator(".st-key-own-bring input[type=file]").set_input_files(
        [{"name": name, "mimeType": "text/csv", "buffer": text.encode()} for name, text in files.items()]
    )
    take(page, "3 nodes, 3 edges")
    expect(page.get_by_role("heading", name=re.compile("^<img src=x onerror="))).to_be_visible()
    assert page.evaluate("window.hit") is None
    page.get_by_text("Draw", exact=True).click()
    sheet = page.locator(".st-key-own-editor svg")
    for x, y in ((60, 60), (200, 60), (130, 160)):
        sheet.click(position={"x": x, "y": y})
    use = page.get_by_role("button", name=re.compile(r"3 nodes, 2 links"))
    expect(use).to_be_visible()
    settled(page)
    use.click()
    take(page, "3 nodes, 2 edges")
