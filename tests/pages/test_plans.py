"""The lesson plans: their minutes, their links, their questions and the answers to them."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from gfx_core.config import ASSETS
from gfx_core.teaching import questions
from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS
from gfx_core.teaching.practice import FinalState
from gfx_core.trace.serialize import from_json, load
from tests.pages.page_reading import Open, component, link_of

DOCS = ASSETS / "docs"
SOLUTIONS = "lesson-solutions.md"
SHEETS = {file.name: file.read_text(encoding="utf-8") for file in DOCS.glob("lesson-*.md")}
PLANS = [name for name in SHEETS if name != SOLUTIONS]
LINKS = sorted({link for sheet in SHEETS.values() for link in re.findall(r"\[([^]]+)\]\((/[^)]+)\)", sheet)})
ANSWERS = dict(re.findall(r"^\| \*\*(\w+)\*\* \| (.+) \|$", SHEETS[SOLUTIONS], re.MULTILINE))
EXPLAINED = {"Explain node 612": "tree_cycles-612", "Explain nitrobenzene": "mutagenicity-nitrobenzene"}

STATE = FinalState("abcde", 4, 0.1, 0.3, (0.1, 0.3), 10)


@pytest.mark.parametrize("plan", PLANS)
def test_the_minutes_are_those_of_the_title(plan: str) -> None:
    minutes = sum(map(int, re.findall(r"^\| (\d+) \|", SHEETS[plan], re.MULTILINE)))
    assert plan == f"lesson-plan-{minutes}.md"
    assert SHEETS[plan].startswith(f"# Lesson plan: {minutes} minutes\n")


def test_every_question_has_an_answer_and_every_answer_a_question() -> None:
    asked = re.findall(r"\*\*(\w{1,2})\*\* ", "".join(SHEETS[plan] for plan in PLANS))  # homework among them
    assert set(asked) == ANSWERS.keys()


@pytest.mark.parametrize(("name", "link"), LINKS, ids=lambda text: text)
@pytest.mark.usefixtures("no_workers")
def test_a_link_opens_what_it_names(name: str, link: str, open_page: Open) -> None:
    parts = urlsplit(link)
    parameters = dict(parse_qsl(parts.query))
    at = open_page(parts.path[1:], **parameters)
    title = str(at.title[0].value)
    assert not at.error
    assert parameters.items() <= link_of(at).items()
    if parts.path == "/learn":
        assert name.lower() == f"lesson {title.partition(' · ')[0]}"
    elif parts.path == "/explain":
        shipped = load(ASSETS / "traces" / f"{EXPLAINED[name]}.json")
        assert from_json(component(at, "player")["trace"], name).answer == shipped.answer
    else:
        assert name.lower() in title.lower()


def test_the_answers_are_those_of_the_lessons() -> None:
    asked = {f"{number}a": about() for number, about in questions.QUESTIONS.items()}
    for label, question in {**asked, "8a": questions.about_the_last_step(STATE)}.items():
        right = question.options[question.right] if question.options else str(question.right)
        assert ANSWERS[label].startswith(f"“{right}”"), label
    best = questions.TEXTS["best"]
    assert ANSWERS["6a"] == f"“{best['answers'][best['right']]['option']}”"
    options = {each["rule"]: each["option"] for each in questions.TEXTS["rule"]["answers"]}
    for name, rule in HIDDEN_GNNS.items():
        assert re.search(rf"GNN {name}[^“]*“{options[rule]}”", ANSWERS["9a"])
    toy = questions.toy_ground()
    assert f"the reward {toy.reward[toy.names.index('abc')]:g}" in ANSWERS["4b"]
    assert f"{sum(toy.reward):g}" in ANSWERS["1b"]
