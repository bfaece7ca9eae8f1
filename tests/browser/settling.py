"""When a page has nothing more to say, however slow the computer is.

Streamlit's client marks a page as running once the server says that it runs, and not when it is asked: on a busy
computer a page looks idle for a while after it was opened or clicked. So the pages of tests note what goes over the
wire: whoever asked waits for the end of a run that began after that.
"""

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import FloatRect, Locator, Page, TimeoutError
from playwright.sync_api import expect as expect_once
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.patience import PATIENCE_S

_OFTEN_MS = 2400
"""Up to here Playwright looks ten times a second; with more time it looks twice."""


class expect:  # noqa: N801  # stands in for Playwright's
    """Playwright's ``expect``, which waits as long as all tests do and still notices at once."""

    def __init__(self, part: Page | Locator) -> None:
        self._assertions = expect_once(part)

    def __getattr__(self, name: str) -> Callable[..., None]:
        check = getattr(self._assertions, name)

        def holds(*expected: Any, **options: Any) -> None:
            deadline = time.monotonic() + PATIENCE_S
            while True:
                try:
                    return check(*expected, **options, timeout=_OFTEN_MS)
                except AssertionError:
                    if time.monotonic() > deadline:
                        raise

        return holds


def _field(message: type[BackMsg] | type[ClientState] | type[ForwardMsg], name: str) -> int:
    return message.DESCRIPTOR.fields_by_name[name].number


_FIELDS = f"""
  const RERUN = {_field(BackMsg, "rerun_script")}, BY_ITSELF = {_field(ClientState, "is_auto_rerun")};
  const PART = {_field(ClientState, "fragment_id")};
  const BEGINS = {_field(ForwardMsg, "new_session")}, ENDS = {_field(ForwardMsg, "script_finished")};
  const GOES_ON = {ForwardMsg.FINISHED_EARLY_FOR_RERUN};
"""

LISTEN = (
    """(() => {"""
    + _FIELDS
    + """
  const fields = (bytes) => {  // of a protobuf message: number → value, or bytes
    const found = new Map();
    let at = 0;
    const varint = () => {
      let value = 0;
      for (let shift = 1; ; shift *= 128) {
        const byte = bytes[at++];
        value += (byte % 128) * shift;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const tag = varint(), kind = tag % 8;
      let value;
      if (kind === 0) value = varint();
      else {
        const size = kind === 2 ? varint() : kind === 5 ? 4 : 8;
        value = bytes.subarray(at, at += size);
      }
      found.set(Math.floor(tag / 8), value);
    }
    return found;
  };
  // One clock counts what is asked and what begins. What a page asks by itself, every second perhaps, is not waited for
  const wire = { clock: 1, asked: 1, part: 0, partAt: 0, begun: 0, ended: 0, shown: 0, questions: 0 };
  window.testWire = wire;
  window.WebSocket = class extends window.WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        const said = fields(new Uint8Array(data));
        if (said.has(BEGINS)) wire.begun = ++wire.clock;
        if (said.has(ENDS) && said.get(ENDS) !== GOES_ON) wire.ended = wire.begun;
      });
    }
    send(data) {
      const message = fields(data).get(RERUN), asks = message && fields(message);
      if (asks && !asks.get(BY_ITSELF)) {
        wire.questions += 1;
        if (asks.get(PART)?.length) Object.assign(wire, { part: ++wire.clock, partAt: performance.now() });
        else wire.asked = ++wire.clock;
      }
      super.send(data);
    }
  };
})()"""
)
"""Run in every page before its own scripts."""

_FRAMES = 3
"""What was said is drawn in one of the next frames."""

_DROPPED_MS = 5000
"""A part of a page that is gone is asked for in vain: after a while nobody waits for its answer."""

_SETTLED = """([frames, droppedMs]) => {
  const { testWire: wire } = window;
  const app = document.querySelector("[data-testid=stApp]");
  if (app?.dataset.testConnectionState !== "CONNECTED") return false;
  const answered = wire.ended > wire.asked && (wire.ended > wire.part || performance.now() - wire.partAt > droppedMs);
  const idle = app.dataset.testScriptState === "notRunning";
  const itself = wire.begun > wire.ended;  // what runs now the page has asked for by itself
  wire.shown = answered && (idle || itself) ? wire.shown + 1 : 0;
  return wire.shown > frames;
}"""


def settled(page: Page) -> None:
    """Wait until the server has answered all that it was asked, and the page has drawn that."""
    page.evaluate("testWire.shown = 0")
    page.wait_for_function(_SETTLED, arg=[_FRAMES, _DROPPED_MS])


_TOO_WIDE = """() => {
  const frames = [document.documentElement, document.querySelector("[data-testid=stMain]")];
  const most = Math.max(...frames.map((frame) => frame.scrollWidth - frame.clientWidth));
  const wide = [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1);
  return [most, wide.slice(0, 8).map((element) => `${element.tagName} ${element.getAttribute("class")}`)];
}"""


def fits(page: Page) -> None:
    """Wait until nothing is wider than the window; what should be on the page must be there before."""
    try:
        page.wait_for_function(f"() => ({_TOO_WIDE})()[0] <= 0")
    except TimeoutError:
        most, elements = page.evaluate(_TOO_WIDE)
        raise AssertionError(f"{page.url} is {most} pixels too wide: {elements}") from None


def box_of(part: Locator) -> FloatRect:
    """Where a part of a page is drawn."""
    box = part.bounding_box()
    assert box is not None
    return box


def open_pickers(page: Page) -> None:
    """Open what Explain's pickers are behind, unless they are open."""
    inside = page.get_by_role("combobox", name="Data set")
    if not inside.is_visible():
        page.locator(".st-key-pick button").first.click()
        inside.wait_for()
