"""A student in front of the pages: one with a mouse, one with nothing but Tab, arrows, Enter and Space."""

import re

from playwright.sync_api import Locator, Page, expect

MOST_TABS = 250
_FOCUSED = """() => {
  let e = document.activeElement;
  while (e && e.shadowRoot && e.shadowRoot.activeElement) e = e.shadowRoot.activeElement;
  if (!e || e === document.body) return ["", ""];
  const kinds = { radio: "radio", range: "slider", number: "spinbutton", checkbox: "switch", search: "searchbox" };
  const role = e.getAttribute("role")
    || (e.tagName === "INPUT" && kinds[e.type]) || { BUTTON: "button", A: "link" }[e.tagName] || "";
  const words = e.getAttribute("aria-label") || (e.closest("label") ?? e).innerText || e.textContent || "";
  return [role, words.replace(/\\s+/g, " ").trim()];
}"""


def _value(slider: Locator) -> float:
    return float(slider.evaluate("(e) => Number(e.value ?? e.getAttribute('aria-valuenow'))"))


class Student:
    """Does what a lesson asks for, with a mouse."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def slider(self, name: str) -> Locator:
        return self.page.get_by_role("slider", name=re.compile(name)).first

    @property
    def question(self) -> Locator:
        return self.page.locator("[class*='st-key-question-']")

    def answer(self, number: int | None = None) -> tuple[str, str]:
        """Answer the question wrongly once, then rightly; what was said to it.

        Args:
            number: The right one, where a number is asked for; else all options are tried.
        """
        expect(self.question).to_be_visible()
        if number is not None:
            self.enter(number + 1)
            is_right, wrong = self._told("")
            assert not is_right
            self.enter(number)
            is_right, right = self._told(wrong)
            assert is_right
            return wrong, right
        wrong, right, before, found = "", "", "", 0
        for option in range(self.question.get_by_role("radio").count()):
            self.choose(option)
            is_right, before = self._told(before)
            if is_right:
                right, found = before, option
            else:
                wrong = before
            if right and wrong:
                break
        assert right, "no answer is right"
        if before != right:  # the first one was right, and then a wrong one was tried
            self.choose(found)
            assert self._told(before)[0]
        return wrong, right

    def _told(self, before: str) -> tuple[bool, str]:
        """Whether the answer is right, and what is said to it: each answer is told something of its own."""
        told = self.question.locator("[data-testid^='stAlertContent']")
        expect(told).to_have_count(1)
        expect(told).not_to_have_text(before)
        kind, words = told.evaluate("(e) => [e.dataset.testid, e.textContent]")
        return kind == "stAlertContentSuccess", words

    def press(self, role: str, name: str) -> None:
        """Press a button, link, option or switch whose name holds a regular expression."""
        target = self.page.get_by_role(role, name=re.compile(name)).first  # type: ignore[arg-type]
        expect(target).to_be_enabled()
        if role == "switch":
            target.locator("xpath=ancestor::label").click()
        else:
            target.click()

    def raise_slider(self, name: str, to: float) -> None:
        """Move a slider up to a value."""
        slider = self.slider(name)
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for _ in range(300):
            if _value(slider) >= to:
                break
            x += 1
            self.page.mouse.move(x, y)
        self.page.mouse.up()

    def choose(self, number: int) -> None:
        """Choose an answer of the question by its number."""
        self.question.get_by_role("radio").nth(number).locator("xpath=ancestor::label").click()

    def enter(self, value: int) -> None:
        """Answer the question by a number."""
        self.question.get_by_role("spinbutton").fill(str(value))
        self.page.keyboard.press("Enter")


class WithKeyboard(Student):
    """Presses nothing but Tab, arrows, Enter and Space; only a number is typed."""

    _option = 0

    def key(self, key: str) -> None:
        assert key in ("Tab", "Enter", "Space", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")
        self.page.keyboard.press(key)

    def focused(self) -> tuple[str, str]:
        """Role and name of what has the focus."""
        role, name = self.page.evaluate(_FOCUSED)
        return role, name

    def reach(self, role: str, name: str) -> None:
        """Go on with Tab, and within a group with the arrows, until something has the focus."""
        seen = []
        for _ in range(MOST_TABS):
            found, words = self.focused()
            if found == role and re.search(name, words):
                return
            seen.append(f"{found} {words[:40]}")
            self.key("Tab")
        raise AssertionError(f"Tab never reaches the {role} “{name}”, only: {dict.fromkeys(seen)}")

    def press(self, role: str, name: str) -> None:
        expect(self.page.get_by_role(role, name=re.compile(name)).first).to_be_enabled()  # type: ignore[arg-type]
        if role == "radio":  # the whole group is one stop; arrows go on from there
            target = self.page.get_by_role("radio", name=re.compile(name)).first
            group = target.locator("xpath=ancestor::*[@role='radiogroup'][1]").get_by_role("radio")
            self.reach("radio", "|".join(re.escape(words.strip()) for words in group.all_inner_texts()))
            for _ in range(group.count()):
                if re.search(name, self.focused()[1]):
                    break
                self.key("ArrowRight")
            self.key("Space")
        else:
            self.reach(role, name)
            self.key("Space" if role == "switch" else "Enter")

    def raise_slider(self, name: str, to: float) -> None:
        self.reach("slider", name)
        slider = self.slider(name)
        for _ in range(100):
            if _value(slider) >= to:
                break
            self.key("ArrowRight")

    def choose(self, number: int) -> None:
        first = self.question.get_by_role("radio").first.locator("xpath=ancestor::label").inner_text()
        if not self.question.locator("input:checked").count():
            self.reach("radio", re.escape(first.strip()))
            self.key("Space")
            self._option = 0
        while self._option != number:
            self.key("ArrowDown" if number > self._option else "ArrowUp")
            self._option += 1 if number > self._option else -1

    def enter(self, value: int) -> None:
        self.reach("spinbutton", "")
        for _ in self.question.get_by_role("spinbutton").input_value():
            self.page.keyboard.press("Backspace")
        self.page.keyboard.type(str(value))  # a number has to be typed
        self.key("Enter")
