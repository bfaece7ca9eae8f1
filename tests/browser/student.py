"""A student in front of a lesson: one with a mouse, one with nothing but Tab, arrows, Enter and Space."""

import re

from playwright.sync_api import Locator, Page

from tests.browser.settling import box_of, expect

MOST_KEYS = 250
_FOCUSED = """() => {
  let e = document.activeElement;
  while (e && e.shadowRoot && e.shadowRoot.activeElement) e = e.shadowRoot.activeElement;
  if (!e || e === document.body) return ["", ""];
  const kinds = { radio: "radio", range: "slider", number: "spinbutton", checkbox: "switch" };
  const role = e.getAttribute("role")
    || (e.tagName === "INPUT" && kinds[e.type]) || { BUTTON: "button", A: "link" }[e.tagName] || "";
  const words = e.getAttribute("aria-label") || (e.closest("label") ?? e).innerText || e.textContent || "";
  return [role, words.replace(/\\s+/g, " ").trim()];
}"""


class Student:
    """Does what a lesson asks for, with a mouse. Names are regular expressions."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def part(self, role: str, name: str) -> Locator:
        return self.page.get_by_role(role, name=re.compile(name)).first  # type: ignore[arg-type]

    @property
    def question(self) -> Locator:
        return self.page.locator("[class*='st-key-question-']")

    def answer(self, number: int | None) -> None:
        """Answer the question rightly, at least by the last of several tries.

        Args:
            number: The answer, where a number is asked for: a wrong one is entered first. Else all options are tried.
        """
        expect(self.question).to_be_visible()
        options = self.question.get_by_role("radio").count()
        tries = range(options) if number is None else (number + 1, number)
        reply = ""
        for value in tries:
            if number is None:
                self.choose(value)
            else:
                self.enter(value)
            alert = self.question.locator("[data-testid^='stAlertContent']")
            expect(alert).to_have_count(1)
            expect(alert).not_to_have_text(reply)  # each answer has a reply of its own
            kind, reply = alert.evaluate("(e) => [e.dataset.testid, e.textContent]")
            if kind == "stAlertContentSuccess":
                return
        raise AssertionError("no answer is right")

    def press(self, role: str, name: str) -> None:
        """Press a button, link, option or switch."""
        expect(self.part(role, name)).to_be_enabled()
        target = self.part(role, name)
        (target.locator("xpath=ancestor::label") if role == "switch" else target).click()

    def raise_slider(self, name: str, to: float) -> None:
        """Drag a slider up to a value."""
        slider = self.part("slider", name)
        slider.scroll_into_view_if_needed()
        box = box_of(slider)
        x, y = box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        while self.value(slider) < to and x < box["x"] + box["width"]:
            x += 1
            self.page.mouse.move(x, y)
        self.page.mouse.up()

    @staticmethod
    def value(slider: Locator) -> float:
        return float(slider.evaluate("(e) => Number(e.value ?? e.getAttribute('aria-valuenow'))"))

    def choose(self, number: int) -> None:
        """Choose an option of the question."""
        self.question.get_by_role("radio").nth(number).locator("xpath=ancestor::label").click()

    def enter(self, value: int) -> None:
        """Answer the question by a number."""
        self.question.get_by_role("spinbutton").fill(str(value))
        self.page.keyboard.press("Enter")


class WithKeyboard(Student):
    """Presses nothing but Tab, arrows, Enter and Space; only a number is typed."""

    def focused(self) -> tuple[str, str]:
        """Role and name of what has the focus."""
        role, name = self.page.evaluate(_FOCUSED)
        return role, name

    def reach(self, role: str, name: str) -> None:
        """Go on with Tab until something has the focus."""
        stops = []
        for _ in range(MOST_KEYS):
            focused, words = self.focused()
            if focused == role and re.search(name, words):
                return
            stops.append(f"{focused} {words[:40]}")
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never reaches the {role} “{name}”, only: {dict.fromkeys(stops)}")

    def press(self, role: str, name: str) -> None:
        expect(self.part(role, name)).to_be_enabled()
        self.reach(role, name)
        self.page.keyboard.press("Space" if role == "switch" else "Enter")

    def raise_slider(self, name: str, to: float) -> None:
        self.reach("slider", name)
        for _ in range(MOST_KEYS):
            if self.value(self.part("slider", name)) >= to:
                return
            self.page.keyboard.press("ArrowRight")
        raise AssertionError(f"the slider “{name}” does not reach {to}")

    def choose(self, number: int) -> None:
        if number == 0:
            option = self.question.get_by_role("radio").first.locator("xpath=ancestor::label").inner_text()
            self.reach("radio", re.escape(option.strip()))
        self.page.keyboard.press("ArrowDown" if number else "Space")  # one option after the other

    def enter(self, value: int) -> None:
        self.reach("spinbutton", "")
        for _ in self.question.get_by_role("spinbutton").input_value():
            self.page.keyboard.press("Backspace")
        self.page.keyboard.type(str(value))
        self.page.keyboard.press("Enter")
