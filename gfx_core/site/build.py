"""Makes the site: a folder of pages that open from any file server or from disk.

Everything on it was computed before: shipped traces, recorded trainings, records of studies, and what is exact of the
lessons' small graphs. Its templates are in ``assets/site``; its one script is the explorer's own code.
"""

from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.claims import claims
from gfx_core.bench.report import conclusion
from gfx_core.bench.studies import STUDIES
from gfx_core.bench.tables import tables
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import listed
from gfx_core.drawing import qualitative
from gfx_core.drawing.export import css, player_css, train_css, train_parts
from gfx_core.drawing.hero import HERO, TERMS, story, verdict
from gfx_core.drawing.masks import trace_picture
from gfx_core.drawing.svg import STYLE
from gfx_core.drawing.templates import asset
from gfx_core.explanation.question import SHIPPED
from gfx_core.files import write_text
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.job_context import JobContext
from gfx_core.site.markup import PLACES, glossary_html, plain, render_page
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.hidden_gnns import answer_card, probabilities, read_graph
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.lesson_views import rewards, view_data
from gfx_core.teaching.practice import final_states, most_wrong
from gfx_core.teaching.questions import (
    NUMBERS,
    QUESTIONS,
    about_the_best,
    about_the_last_step,
    about_the_rule,
)
from gfx_core.teaching.tour import BAR, stops
from gfx_core.text.answers import flow_words, things, trace_title, truth_words
from gfx_core.text.numbers import about_percent
from gfx_core.text.theorem import theorem_words
from gfx_core.trace.edit import shown_reason
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import load, to_json
from gfx_core.training.recording import Recording
from gfx_core.training.recording import read as read_recording
from gfx_core.training.training import STORIES, Story

MOLECULE, OWN = "mutagenicity-nitrobenzene", "own_graph"
"""Others on the first page: a molecule, and a graph of one's own, which no data set has."""

HIDDEN = "A"
"""The hidden GNN of lesson 9."""

Page = tuple[str, str]  # a file's name and its text


def write_site(folder: Path) -> None:
    """Write all files of the site into a folder.

    Raises:
        UserError: They cannot be written.
    """
    files = {
        "site.css": css("view", "kit/kit", "site/site") + STYLE,
        "player.css": player_css(),
        "train.css": train_css(),
        "site.js": f'(() => {{\n"use strict";\n{asset("bundles/site.mjs")}}})();\n',  # files load no modules
        "logo.svg": asset("logo.svg"),
    }
    for name, text in chain(files.items(), pages()):
        write_text(folder / name, text)  # those first that take no time, if the folder cannot be written


def pages() -> Iterator[Page]:
    """All pages."""
    yield home()
    yield from explanations()
    yield from trainings()
    yield from lessons()
    yield results()
    rows = [
        (instance_name(name, trace), qualitative.figure_row(trace))
        for name, trace in traces().items()
        if trace.dataset in qualitative.DATASETS
    ]
    columns = [METHODS[name].title for name in qualitative.COLUMNS]
    about = "The paper’s figure, drawn for our GNNs"
    yield page("figure", "Explanations side by side", about, "results", columns=columns, rows=rows)
    intro = "Every symbol and term: what it means, and how the paper writes it."
    yield page("glossary", "Glossary", intro, "glossary", terms=glossary_html("lesson-{}.html"))


def page(
    name: str,
    title: str,
    about: str,
    chapter: str = "",
    template: str = "",
    **values: Any,
) -> Page:
    """A page; ``about`` is for search engines and previews."""
    common = {"title": title, "about": about, "chapter": chapter, "bar": BAR, "stops": tour_stops()}
    return f"{name}.html", render_page(template or name, **common, **values)


@cache
def tour_stops() -> list[dict[str, Any]]:
    """The stops of the guided tour that are on the site, each with its file and the address that leads there."""
    rows: list[dict[str, Any]] = []
    for stop in stops():
        if stop.point[0].removeprefix(".") not in PLACES.values():
            continue
        dataset, names = stop.link.get("dataset"), stop.link.values()
        file = "index" if stop.page == "home" else stop.page
        if "story" in stop.link:
            file = f"training-{stop.link['story']}"
        for question in SHIPPED:
            if question.dataset == dataset and question.name in names:
                file = f"player-{question.shipped_trace.stem}"
                break
        query = {name: value for name, value in stop.link.items() if name == "see"} | {"tour": len(rows) + 1}
        where = {"page": f"{file}.html", "address": f"{file}.html?{urlencode(query)}"}
        rows.append(where | {"sentence": stop.sentence, "point": stop.point, "press": stop.press})
    return rows


# Explanations


@cache
def traces() -> dict[str, Trace]:
    """The shipped traces by name, in the order of the examples; then the one of an own graph."""
    paths = [question.shipped_trace for question in SHIPPED]
    return {path.stem: load(path) for path in (*paths, ASSETS / "site" / f"{OWN}.json")}


def instance_name(stem: str, trace: Trace) -> str:
    """A molecule's name, a sentence's words, or the number of a node or graph."""
    if any(node.element for node in trace.nodes):
        return stem.removeprefix(f"{trace.dataset}-").capitalize()
    if trace.target is not None:
        return f"{trace.dataset_title} {trace.nodes[trace.target].label}"
    return trace_title(trace).removeprefix(f"{trace.dataset_title} " if trace.is_sentence else "")


def prediction(trace: Trace) -> str:
    """The predicted class and its probability."""
    share = about_percent(trace.prediction.probability)
    return f"{trace.classes[trace.prediction.predicted]} ({share})".replace(" %", "\u00a0%")


def card(stem: str) -> dict[str, str]:
    """A small picture of the answer, which leads to its player."""
    trace = traces()[stem]
    assert trace.answer is not None
    reasons, name = trace.answer.reasons, instance_name(stem, trace)
    nodes = {node for reason in reasons for node in reason.nodes}
    why = reasons[0].name if len(reasons) == 1 else verdict(trace)
    picture = trace_picture(trace, f"The answer for {name}", nodes=nodes, size=(320.0, 200.0)).svg()
    return {"link": f"player-{stem}", "title": name, "text": prediction(trace), "more": why, "picture": picture}


def home() -> Page:
    """The first page: an explanation that plays, what it is, and where to go from here."""
    hero = HERO.shipped_trace.stem
    sentence = next(name for name, trace in traces().items() if trace.is_sentence)
    return page(
        "index",
        "See how a GFlowNet explains a GNN",
        "Watch a GFlowNet explain the prediction of a graph neural network, node by node, in your browser.",
        template="home",
        hero=story(traces()[hero]),
        hero_name=hero,
        purpose=stops()[0].sentence,
        terms=TERMS,
        cards=[card(name) for name in ("ba_shapes-301", MOLECULE, sentence, OWN)],
        stories=list(recordings()),
    )


def explanations() -> Iterator[Page]:
    """All explanations by data set, and a page for each."""
    chapters = {name: (info.title, info.description) for name, info in listed().items()}
    club = "Zachary’s karate club, which split in two. The explorer read its tables and trained a GNN, as with yours."
    chapters[traces()[OWN].dataset] = "Your own graph", club
    datasets = []
    for name, (title, about) in chapters.items():
        cards = [card(stem) for stem, trace in traces().items() if trace.dataset == name]
        datasets.append({"title": title, "about": about, "cards": cards})
    intro = "Each picture marks the part of the graph that explains one prediction. Open one, and it plays."
    yield page("explanations", "Explanations that play", intro, "explanations", datasets=datasets)
    stems = list(traces())
    for at, (stem, trace) in enumerate(traces().items()):
        assert trace.answer is not None
        untold = trace.prediction.true is None
        accuracy = read_header(model_path(trace.dataset)).accuracy.get("test") if untold else None
        options = {"autoplay": True, "few": True, "reason": shown_reason(trace)}
        yield page(
            f"player-{stem}",
            instance_name(stem, trace),
            trace.answer.sentence,
            "explanations",
            "player",
            predicted=prediction(trace),
            instance=things(trace).instance,
            truth=truth_words(trace, accuracy),
            notes=" ".join(trace.notes),
            flows=flow_words(trace),
            player={"trace": to_json(trace), "theorem": theorem_words(trace), "options": options},
            before=stems[at - 1],
            after=stems[(at + 1) % len(stems)],
        )


# Trainings and lessons


@cache
def recordings() -> dict[Story, Recording]:
    """The stories of which a recording is shipped."""
    return {story: read_recording(story.path) for story in STORIES.values() if story.path.is_file()}


def train_view(recording: Recording, **more: Any) -> dict[str, Any]:
    """The values of a view that replays a training."""
    return {**train_parts(recording.as_dict(), "file"), "live": None, **more}


def trainings() -> Iterator[Page]:
    """The list of recorded trainings, and a page for each."""
    intro = "Flows, residuals and stopping probabilities change while a policy learns, beside their exact values."
    yield page("trainings", "Watch a policy learn", intro, "trainings", stories=list(recordings()))
    for entry, recording in recordings().items():
        view = train_view(recording)
        yield page(f"training-{entry.name}", entry.title, entry.watch, "trainings", "training", recording=view)


def lessons() -> Iterator[Page]:
    """The list of lessons, and a page for each."""
    from gfx_core.teaching.lesson_jobs import ask_all

    intro = "Nine small lessons, about 25 minutes: what a GFlowNet is, and how it explains a prediction."
    yield page("lessons", "Learn how it works", intro, "lessons")
    recorded = {story.name: recording for story, recording in recordings().items()}
    subgraphs = ask_all(JobContext(), index=known.INDEX)["sum"]
    states = final_states(recorded["orders"])
    graphs = [read_graph(text) for text in LESSONS[9]["asked"]]
    answers = zip(graphs, probabilities(HIDDEN, graphs), strict=True)
    questions = {number: about() for number, about in QUESTIONS.items()}
    questions[6] = about_the_best(known.INDEX, subgraphs)
    questions[8] = about_the_last_step(states[most_wrong(states, 1)])
    questions[9] = about_the_rule(HIDDEN)
    drawn = {6: rewards(known.INDEX, subgraphs), 9: [answer_card(graph, share) for graph, share in answers]}
    for number, question in questions.items():
        lesson = LESSONS[number]
        there = lesson.get("site", {})
        view = there.get("view") or lesson.get("view")
        stories = there.get("stories", {})
        replies = [plain(question.say(answer)) for answer in range(len(question.options) or NUMBERS)]
        yield page(
            f"lesson-{number}",
            lesson["title"],
            lesson["idea"],
            "lessons",
            "lesson",
            number=number,
            lesson=lesson,
            view=view,
            drawn=drawn.get(number) or (view and view_data(view)),
            recordings={title: train_view(recorded[name], only=("dag", "stop")) for name, title in stories.items()},
            question=question,
            answers={"right": question.right, "replies": replies},
        )


# Results


def results() -> Page:
    """What all records come to, then the claims, each with its verdict and the number that decides it."""
    decided = claims(tables())
    studies = [(study.title, [claim for claim in decided if claim.study == study.name]) for study in STUDIES.values()]
    return page("results", "How well do the explainers do?", conclusion(decided), "results", studies=studies)
