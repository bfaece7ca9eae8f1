"""Makes the site: a folder of pages that open from any file server or from disk.

Everything on it was computed before: shipped traces, recorded trainings, records of studies, and what is exact of the
lessons' small graphs. All pages have one template, one style sheet and one script, which is the explorer's own code.
"""

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import urlencode

from gfx_core.bench.claims import claims
from gfx_core.bench.report import conclusion
from gfx_core.bench.studies import STUDIES
from gfx_core.bench.tables import tables
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import listed
from gfx_core.drawing.export import css, player_css, render, train_css, train_parts
from gfx_core.drawing.hero import HERO, story, terms, verdict
from gfx_core.drawing.masks import subgraph_picture
from gfx_core.drawing.qualitative import TITLE, figure, shipped
from gfx_core.drawing.svg import STYLE
from gfx_core.explanation.question import SHIPPED
from gfx_core.files import write_text
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.site import lessons
from gfx_core.site.markup import PLACES, data, glossary_html, place, rich, view
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.tour import BAR, stops
from gfx_core.text.answers import flow_words, things, trace_title, truth_words
from gfx_core.text.numbers import about_percent
from gfx_core.text.theorem import theorem_words
from gfx_core.trace.edit import shown_reason
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import load, to_json
from gfx_core.training.recording import Recording
from gfx_core.training.recording import read as read_recording
from gfx_core.training.stories import STORIES, Story

MOLECULE, OWN = "mutagenicity-nitrobenzene", "own_graph"
"""Others on the first page: a molecule, and somebody's own graph, which no data set has."""


@dataclass(frozen=True)
class SitePage:
    """A page of the site.

    Attributes:
        name: Of its file, without an ending.
        title: As text.
        body: Its markup; texts in it are escaped by whoever makes it.
        about: For whoever looks for it or links to it, as text.
        chapter: The file of the chapter that it belongs to.
        styles: Style sheets that its views need besides the site's own.
    """

    name: str
    title: str
    body: str
    about: str
    chapter: str = ""
    styles: tuple[str, ...] = ()


CHAPTERS = ("Explanations", "Trainings", "Lessons", "Results", "Glossary")
"""What the navigation leads to; files have the same names in small letters."""
KEYS = '<p class="shortcuts"><kbd>space</kbd> play <kbd>←</kbd> <kbd>→</kbd> step{}</p>'
EXPLORER = """<aside class="needs"><p>The rest of this lesson needs the explorer, which asks GNNs and trains while you
play. The two commands that open it are at the end of this page.</p></aside>"""


def write_site(folder: Path) -> list[Path]:
    """Write all files of the site into a folder.

    Raises:
        UserError: They cannot be written.
    """
    texts = {
        "site.css": style(),
        "player.css": player_css(),
        "train.css": train_css(),
        "site.js": f'(() => {{\n"use strict";\n{_read("bundles/site.mjs")}}})();\n',  # files load no modules
        "logo.svg": _read("logo.svg"),
    }
    written = []
    for name, text in chain(texts.items(), ((f"{page.name}.html", document(page)) for page in pages())):
        write_text(folder / name, text)  # those first that take no time, if the folder cannot be written
        written.append(folder / name)
    return written


def pages() -> Iterable[SitePage]:
    """All pages."""
    found = traces()
    yield home(found)
    yield gallery(found)
    yield from players(found)
    yield from training_pages()
    yield from lesson_pages()
    yield results()
    body = f'<section class="figure">{render("figure_table.html", **figure(shipped()))}</section>'
    yield SitePage("figure", TITLE, body, "The paper’s figure, drawn for our GNNs", "results")
    yield glossary()


def chapter(name: str, title: str, intro: str, body: str) -> SitePage:
    """A page that the navigation leads to."""
    heading = f'<h1>{html.escape(title)}</h1><p class="lead{place(name)}">{html.escape(intro)}</p>'
    return SitePage(name, title, heading + body, intro, name)


def tile(link: str, title: str, text: str, more: str = "", picture: str = "") -> str:
    """A card that leads to a page; ``title``, ``text`` and ``more`` are texts, ``picture`` is markup."""
    small = f"<small>{rich(more)}</small>" if more else ""
    inside = f"{picture}<strong>{rich(title)}</strong><span>{rich(text, links=False)}</span>{small}"
    return f'<a class="card" href="{html.escape(link)}.html">{inside}</a>'


def document(page: SitePage) -> str:
    """A page as its file has it."""
    template = _read("site/page.html")
    early = template.partition("<script>")[2].partition("</script>")[0]  # what runs before anything is drawn
    digest = base64.b64encode(hashlib.sha256(early.encode()).digest()).decode()
    own = {page.chapter: ' aria-current="page"'}
    nav = "".join(f'<a href="{name.lower()}.html"{own.get(name.lower(), "")}>{name}</a>' for name in CHAPTERS)
    sheets = "".join(f'<link rel="stylesheet" href="{name}.css">' for name in ("site", *page.styles))
    return Template(template).substitute(
        title=html.escape(page.title),
        about=html.escape(page.about),
        digest=digest,
        sheets=sheets,
        nav=nav,
        body=page.body,
        bar=BAR,
        stops=data(tour_stops()),
    )


@cache
def tour_stops() -> list[dict[str, Any]]:
    """The stops of the guided tour that are on the site, each with its file and the address that leads there."""
    found: list[dict[str, Any]] = []
    for stop in stops():
        if stop.point[0].removeprefix(".") in PLACES.values():
            link = stop.link
            shown = [each for each in SHIPPED if each.dataset == link.get("dataset") and each.name in link.values()]
            if shown:
                name = f"player-{shown[0].shipped_trace.stem}"
            elif "story" in link:
                name = f"training-{link['story']}"
            else:
                name = "index" if stop.page == "home" else stop.page
            query = ({"see": link["see"]} if "see" in link else {}) | {"tour": str(len(found) + 1)}
            where = {"page": f"{name}.html", "address": f"{name}.html?{urlencode(query)}"}
            found.append(where | {"sentence": stop.sentence, "point": stop.point, "press": stop.press})
    return found


@cache
def style() -> str:
    """The one style sheet: the kit's tokens, the site's own rules, and pictures; views take their colours from it."""
    return css("view", "kit/kit", "site/site") + STYLE


@cache
def _read(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


# Explanations


def traces() -> dict[str, Trace]:
    """The shipped traces by name, in the order of the examples; then the one of an own graph."""
    paths = [question.shipped_trace for question in SHIPPED]
    return {path.stem: load(path) for path in (*paths, ASSETS / "site" / f"{OWN}.json")}


def name_of(stem: str, trace: Trace) -> str:
    """What is explained, for people: a molecule by its name, a sentence by its words, a node or graph by its number."""
    if any(node.element for node in trace.nodes):
        return stem.removeprefix(f"{trace.dataset}-").capitalize()
    if trace.target is not None:
        return f"{trace.dataset_title} {trace.nodes[trace.target].label}"
    return trace_title(trace).removeprefix(f"{trace.dataset_title} " if trace.is_sentence else "")


def predicted(trace: Trace) -> str:
    """What the GNN predicts, and how sure it is."""
    at = trace.prediction.predicted
    return f"{trace.classes[at]} ({about_percent(trace.prediction.probabilities[at])})".replace(" %", "\u00a0%")


def card(stem: str, trace: Trace) -> str:
    """A small picture of the answer, which leads to its player."""
    assert trace.answer is not None
    reasons, name = trace.answer.reasons, name_of(stem, trace)
    nodes = sorted({node for reason in reasons for node in reason.nodes})
    why = reasons[0].name if len(reasons) == 1 else verdict(trace, trace.answer)
    picture = subgraph_picture(trace, nodes, f"The answer for {name}", (320.0, 200.0)).svg()
    return tile(f"player-{stem}", name, predicted(trace), why, picture)


def home(found: Mapping[str, Trace]) -> SitePage:
    """The first page: an explanation that plays, what it is, and where to go from here."""
    hero = found[HERO.shipped_trace.stem]
    sentence = next(name for name, trace in found.items() if trace.is_sentence)
    body = Template(_read("site/home.html")).substitute(
        hero=view("hero", story(hero), '<div class="kit player hero"></div>'),
        link=f"player-{HERO.shipped_trace.stem}.html",
        purpose=html.escape(stops()[0].sentence),
        terms=terms(),
        cards="".join(card(name, found[name]) for name in ("ba_shapes-301", MOLECULE, sentence, OWN)),
        lessons="".join(f'<li><a href="lesson-{n}.html">{rich(text["title"])}</a></li>' for n, text in LESSONS.items()),
        stories="".join(f'<li><a href="training-{each.name}.html">{rich(each.title)}</a></li>' for each in trainings()),
    )
    about = "Watch a GFlowNet explain the prediction of a graph neural network, node by node, in your browser."
    return SitePage("index", "See how a GFlowNet explains a GNN", body, about)


def gallery(found: Mapping[str, Trace]) -> SitePage:
    """All explanations, by data set."""
    chapters = {name: (info.title, info.description) for name, info in listed().items()}
    club = "Zachary’s karate club, which split in two. The explorer read its tables and trained a GNN, as with yours."
    chapters[found[OWN].dataset] = "Your own graph", club
    parts = []
    for name, (title, about) in chapters.items():
        cards = "".join(card(stem, trace) for stem, trace in found.items() if trace.dataset == name)
        parts.append(f"<h2>{html.escape(title)}</h2><p>{html.escape(about)}</p><div class='cards'>{cards}</div>")
    intro = "Each picture marks the part of the graph that explains one prediction. Open one, and it plays."
    return chapter("explanations", "Explanations that play", intro, "".join(parts))


def player_view(trace: Trace) -> str:
    """The player of a trace."""
    options = {"autoplay": True, "few": True, "reason": shown_reason(trace)}
    return view("player", {"trace": to_json(trace), "theorem": theorem_words(trace), "options": options})


def truth(trace: Trace) -> str:
    """Whether the GNN is right, or how often it is, as the explorer says it."""
    accuracy = None
    if trace.prediction.true is None:
        accuracy = read_header(model_path(trace.dataset)).accuracy.get("test")
    return truth_words(trace, accuracy)


def players(found: Mapping[str, Trace]) -> Iterable[SitePage]:
    """A page for each explanation."""
    stems, keys = list(found), KEYS.format(" <kbd>P</kbd> present")
    for at, (stem, trace) in enumerate(found.items()):
        assert trace.answer is not None
        name = name_of(stem, trace)
        instance = things(trace).instance
        note = f'<p class="to-know">{html.escape(" ".join(trace.notes))}</p>' if trace.notes else ""
        before, after = stems[at - 1], stems[(at + 1) % len(stems)]
        body = f"""<header class="watched"><h1>{html.escape(name)}</h1>
<p>Why does the GNN predict <b>{html.escape(predicted(trace))}</b> for this {html.escape(instance)}?
{html.escape(truth(trace))}</p>{keys}{note}</header>
<noscript><p>{html.escape(trace.answer.sentence)}</p></noscript>
{player_view(trace)}
<p><small>{html.escape(flow_words(trace))}</small></p>
<nav class="onward"><a href="player-{before}.html">Previous</a><a href="explanations.html">All explanations</a>
<a href="player-{after}.html">Next</a></nav>"""
        yield SitePage(f"player-{stem}", name, body, trace.answer.sentence, "explanations", ("player",))


# Trainings


@cache
def trainings() -> dict[Story, Recording]:
    """The stories of which a recording is shipped."""
    return {each: read_recording(each.path) for each in STORIES.values() if each.path.is_file()}


def train_view(recording: Recording, **more: Any) -> str:
    """A training, replayed."""
    return view("train", {**train_parts(recording.as_dict(), "file"), "live": None, **more})


def training_pages() -> Iterable[SitePage]:
    """The list of recorded trainings, and a page for each."""
    intro = "Flows, residuals and stopping probabilities change while a policy learns, beside their exact values."
    tiles = "".join(tile(f"training-{each.name}", each.title, each.watch) for each in trainings())
    yield chapter("trainings", "Watch a policy learn", intro, f'<div class="cards wide">{tiles}</div>')
    for each, recording in trainings().items():
        top = f"<h1>{rich(each.title)}</h1><p><b>Watch:</b> {rich(each.watch)}</p>{KEYS.format('')}"
        body = f"""<header class="watched">{top}</header>
{train_view(recording)}
<nav class="onward"><a href="trainings.html">All trainings</a></nav>"""
        yield SitePage(f"training-{each.name}", each.title, body, each.watch, "trainings", ("train",))


# Lessons


def lesson_pages() -> Iterable[SitePage]:
    """The list of lessons, and a page for each."""
    intro = "Nine small lessons, about 25 minutes: what a GFlowNet is, and how it explains a prediction."
    first = {number: _first_sentence(text["idea"]) for number, text in LESSONS.items()}
    tiles = "".join(tile(f"lesson-{at}", f"{at} · {LESSONS[at]['title']}", words) for at, words in first.items())
    yield chapter("lessons", "Learn how it works", intro, f'<div class="cards wide">{tiles}</div>')
    recorded = {each.name: recording for each, recording in trainings().items()}
    for number, text in LESSONS.items():
        task = text["task"].splitlines()[0]  # of the first part
        if number in lessons.HALF:
            task = _first_sentence(task)
        done = [] if number in lessons.SEEN else [f"<b>To do:</b> {rich(task)}"]
        seen = [f"<b>To see:</b> {rich(text['look'])}"] if number in (*lessons.HALF, *lessons.SEEN) else []
        do = "<br>".join(done + seen)
        drawn = [lessons.DRAWN[number]()] if number in lessons.DRAWN else []
        for name, title in lessons.RECORDED.get(number, {}).items():
            drawn.append(f"<h2>{rich(title)}</h2>{train_view(recorded[name], only=('dag', 'stop'))}")
        drawn += [EXPLORER] if number in lessons.PARTLY else []
        ways = {"Previous": number - 1, "Next": number + 1}
        onward = (
            f'<a href="lesson-{at}.html">{way}: {rich(LESSONS[at]["title"])}</a>'
            for way, at in ways.items()
            if at in LESSONS
        )
        body = f"""<header><h1>{number} · {rich(text["title"])}</h1><p>{rich(text["idea"])}</p>
<p class="task">{do}</p></header>
{"".join(drawn)}
{lessons.question(number, recorded["orders"])}
<nav class="onward">{"".join(onward)}</nav>"""
        yield SitePage(f"lesson-{number}", text["title"], body, text["idea"], "lessons", ("train",))


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.?]) ", text)[0]


# Results and glossary


def results() -> SitePage:
    """What all records come to, then the claims, each with its verdict and the number that decides it."""
    decided, parts = claims(tables()), []
    for study in STUDIES.values():
        rows = "".join(
            f'<li class="{claim.verdict.replace(" ", "-")}"><b>{claim.verdicts}{" · paper" * claim.paper}</b>'
            f"<span>{rich(claim.sentence)}</span><data>{html.escape(claim.numbers)}</data></li>"
            for claim in decided
            if claim.study == study.name
        )
        parts.append(f"<h2>{html.escape(study.title)}</h2><ul class='claims'>{rows}</ul>")
    how = """<p>Every explainer explains the same predictions of the same GNNs and is scored on the same edges.
All results are shown, including bad ones.</p>
<p><a class="button" href="figure.html">Explanations side by side: the paper’s figure</a></p>"""
    return chapter("results", "How well do the explainers do?", conclusion(decided), how + "".join(parts))


def glossary() -> SitePage:
    """Every term."""
    intro = "Every symbol and term: what it means, and how the paper writes it."
    return chapter("glossary", "Glossary", intro, view("glossary", {}, glossary_html("lesson-{}.html")))
