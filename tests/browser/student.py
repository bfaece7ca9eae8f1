"""A student in front of a lesson, who uses nothing but keys: what cannot have the focus, or is deaf to keys, fails."""

import re

from playwright.sync_api import Locator, Page

from tests.browser.settling import expect

MOST_KEYS = 250


class Student:
    """Does what a lesson asks for. Names are regular expressions."""

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
            number: The answer, where a number is asked for. Else all options are tried.
        """
        expect(self.question).to_be_visible()
        alert = self.question.locator("[data-testid^='stAlertContent']")
        reply = ""
        for value in range(self.question.get_by_role("radio").count()) if number is None else (number,):
            if number is None:
                self.choose(value)
            else:
                self.enter(value)
            expect(alert).not_to_have_text(reply)  # each answer has a reply of its own
            kind, reply = alert.evaluate("(e) => [e.dataset.testid, e.textContent]")
            if kind == "stAlertContentSuccess":
                return
        raise AssertionError("no answer is right")

    def press(self, role: str, name: str) -> None:
        """Press a button, link, option or switch."""
        expect(self.part(role, name)).to_be_enabled()
        self.part(role, name).press("Space" if role in ("switch", "radio") else "Enter")

    def raise_slider(self, name: str, to: float) -> None:
        """Move a slider up to a value."""
        slider = self.part("slider", name)
        for _ in range(MOST_KEYS):
            if slider.evaluate("(e) => Number(e.value ?? e.getAttribute('aria-valuenow'))") >= to:
                return
            slider.press("ArrowRight")
        raise AssertionError(f"the slider “{name}” does not reach {to}")

    def choose(self, number: int) -> None:
        """Choose an option of the question."""
        self.question.get_by_role("radio").nth(number).press("Space")
        self.question.get_by_role("button", name="Answer").press("Enter")

    def enter(self, value: int) -> None:
        """Answer the question by a number."""
        field = self.question.get_by_role("spinbutton")
        field.fill(str(value))
        field.press("Enter")
