"""What can be pressed, typed into or moved on a page: a newcomer is to find few of them at first."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_VISIBLE = """(below) => {
  const ROLES = "button link tab slider switch checkbox radio menuitem combobox spinbutton".split(" ");
  const CONTROL = ["a[href]", "button", "input", "select", "textarea", "summary"]
    .concat(ROLES.map((role) => `[role=${role}]`)).join();
  const inside = (root) => [...root.querySelectorAll("*")]  // also what components keep in a shadow DOM
    .flatMap((element) => [element, ...(element.shadowRoot ? inside(element.shadowRoot) : [])]);
  const drawn = (element) => {
    const { width, height, left, right, top, bottom } = element.getBoundingClientRect();
    const beside = right <= 0 || left >= window.innerWidth, away = bottom <= 0 || top >= window.innerHeight;
    return width > 1 && height > 1 && !beside && (below || !away)
      && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const named = (element) => (element.getAttribute("aria-label") || element.labels?.[0]?.innerText
    || element.innerText || element.title || element.className || "").trim().split("\\n").join(" ");
  return inside(document)
    .filter((element) => element.matches(CONTROL) && !element.parentElement?.closest(CONTROL))
    .filter((element) => drawn(element)  // a switch is seen by its label, the help sign in a label is not
      || (element.localName === "input" && element.labels[0] && drawn(element.labels[0])))
    .map((element) => `${element.getAttribute("role") || element.localName}: ${named(element)}`);
}"""


def visible_controls(page: "Page", *, below: bool = False) -> list[str]:
    """Kind and name of each control on the screen: buttons, links, tabs, fields, sliders, switches, help signs.

    The navigation counts, and so do controls that are disabled. One within another is the same control.

    Args:
        page: The page, settled, in a window of the size that is meant: 1280 by 720 for a notebook.
        below: Whether those count as well that one has to scroll to.
    """
    found: list[str] = page.evaluate(_VISIBLE, below)
    return found


def open_pickers(page: "Page") -> None:
    """Open what Explain's pickers are behind, unless they are open."""
    inside = page.get_by_role("combobox", name="Data set")
    if not inside.is_visible():
        page.locator(".st-key-pick button").first.click()
        inside.wait_for()
