"""Makes the site: a folder of pages that open from any file server or from disk.

Everything on it was computed before: shipped traces, recorded trainings, records of studies, and what is exact of the
lessons' small graphs. Its templates are in ``assets/site``; its one script is the explorer's own code.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.claims import claims
from gfx_core.bench.report import conclusion
from gfx_core.bench.studies import STUDIES
from gfx_core.bench.tables import tables
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import listed
from gfx_core.drawing.export import css, player_data, train_parts
from gfx_core.drawing.hero import HERO, TERMS, story, verdict
from gfx_core.drawing.masks import nodes_at, trace_picture, truth_of
from gfx_core.drawing.svg import STYLE
from gfx_core.drawing.templates import asset, render
from gfx_core.explanation.question import SHIPPED
from gfx_core.files import write_text
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.job_context import JobContext
from gfx_core.metrics.summary import best_edges
from gfx_core.site.markup import PLACES, glossary_html, plain, rich
from gfx_core.teaching.glossary import find
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
from gfx_core.text.answers import flow_words, prediction_words, things, trace_title, truth_words
from gfx_core.trace.edit import shown_reason
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import load
from gfx_core.training.recording import Recording
from gfx_core.training.recording import read as read_recording
from gfx_core.training.training import STORIES, Story

CARDS = ("ba_shapes-301", "mutagenicity-nitrobenzene", "graph_sst2-the-jokes-are-not-funny", "own_graph")
"""Explanations on the first page: a node's, a molecule's, a sentence's, and that of a graph which no data set has."""
HIDDEN = "A"
"""The hidden GNN of lesson 9."""
FIGURE = ("mutagenicity", "graph_sst2")
"""The data sets of the paper's qualitative figure: a prediction explained by several explainers, side by side."""
COLUMNS = ("gflowexplainer", "gnnexplainer", "pgexplainer", "subgraphx")
"""The explainers of the figure, as far as a trace has their masks."""

Page = tuple[str, str]  # a file's name and its text


def write_site(folder: Path) -> None:
    """Write all files of the site into a folder.

    Raises:
        UserError: They cannot be written.
    """
    files = {
        "site.css": css("view") + STYLE,
        "player.css": css("player"),
        "train.css": css("train"),
        "site.js": f'(() => {{\n"use strict";\n{asset("bundles/site.mjs")}}})();\n',  # files load no modules
        "logo.svg": asset("logo.svg"),
    }
    for name, text in files.items():  # they take no time, if the folder cannot be written
        write_text(folder / name, text)
    for name, text in pages():
        write_text(folder / f"{name}.html", text)


def pages() -> Iterator[Page]:
    """All pages."""
    hero = HERO.shipped_trace.stem
    cards = [(name, traces()[name]) for name in CARDS]
    what = {"hero": story(traces()[hero]), "hero_name": hero, "purpose": stops()[0].sentence, "terms": TERMS}
    yield page("index", "home", cards=cards, stories=recordings(), **what)
    yield page("explanations", datasets=listed().values(), traces=traces().items())
    yield from players()
    yield page("trainings", stories=recordings())
    for entry, recording in recordings().items():
        view = train_parts(recording.as_dict(), "file")
        yield page(f"training-{entry.name}", "training", title=entry.title, about=entry.watch, recording=view)
    yield page("lessons")
    yield from lessons()
    decided = claims(tables())
    studies = [(study.title, [claim for claim in decided if claim.study == study.name]) for study in STUDIES.values()]
    yield page("results", about=conclusion(decided), studies=studies)
    rows = [figure_row(trace) for trace in traces().values() if trace.dataset in FIGURE]
    yield page("figure", columns=[METHODS[name].title for name in COLUMNS], rows=rows)
    yield page("glossary", terms=glossary_html("lesson-{}.html"))


def page(name: str, template: str = "", **values: Any) -> Page:
    """A page; the templates contain titles and, as ``about``, a sentence for search engines and previews."""
    functions = answer_words, answer_svg, flow_words, things, prediction_words, trace_title, rich, plain, find
    values |= {function.__name__: function for function in functions}
    return name, render(
        f"site/{template or name}.html", bar=BAR, stops=tour_stops(), places=PLACES, lessons=LESSONS, **values
    )


@cache
def tour_stops() -> list[dict[str, Any]]:
    """The stops of the guided tour that are on the site, each with its file and the address that leads there."""
    rows: list[dict[str, Any]] = []
    for stop in stops():
        if stop.point[0].removeprefix(".") not in PLACES.values():
            continue
        link = stop.link
        played = (
            f"player-{question.shipped_trace.stem}"
            for question in SHIPPED
            if {question.dataset, question.name} <= {*link.values()}
        )
        file = f"training-{link['story']}" if "story" in link else next(played, stop.page).replace("home", "index")
        query = {name: link[name] for name in ("see",) if name in link} | {"tour": len(rows) + 1}
        where = {"page": f"{file}.html", "address": f"{file}.html?{urlencode(query)}"}
        rows.append(where | {"sentence": stop.sentence, "point": stop.point, "press": stop.press})
    return rows


# Explanations


@cache
def traces() -> dict[str, Trace]:
    """The shipped traces by name, in the order of the examples; then the one of an own graph."""
    paths = [question.shipped_trace for question in SHIPPED]
    return {path.stem: load(path) for path in (*paths, ASSETS / "site" / "own_graph.json")}


def answer_words(trace: Trace) -> str:
    """What explains the prediction, in a few words."""
    assert trace.answer is not None
    return trace.answer.first.name if len(trace.answer.reasons) == 1 else verdict(trace)


def answer_svg(trace: Trace) -> str:
    """A small picture of the answer."""
    assert trace.answer is not None
    nodes = {node for reason in trace.answer.reasons for node in reason.nodes}
    return trace_picture(trace, f"The answer for {trace_title(trace)}", nodes=nodes, size=(320.0, 200.0)).svg()


def players() -> Iterator[Page]:
    """A page for each explanation."""
    names = list(traces())
    for before, after, (name, trace) in zip(names[-1:] + names, names[1:] + names, traces().items(), strict=False):
        assert trace.answer is not None
        unknown = trace.prediction.true is None
        accuracy = read_header(model_path(trace.dataset)).accuracy.get("test") if unknown else None
        options = {"autoplay": True, "few": True, "reason": shown_reason(trace)}
        yield page(
            f"player-{name}",
            "player",
            title=trace_title(trace),
            about=trace.answer.sentence,
            trace=trace,
            truth=truth_words(trace, accuracy),
            player={**player_data(trace), "options": options},
            before=before,
            after=after,
        )


# Trainings and lessons


@cache
def recordings() -> dict[Story, Recording]:
    """The stories of which a recording is shipped."""
    return {story: read_recording(story.path) for story in STORIES.values() if story.path.is_file()}


def lessons() -> Iterator[Page]:
    """A page for each lesson."""
    from gfx_core.teaching.lesson_jobs import ask_all

    recorded = {story.name: recording for story, recording in recordings().items()}
    subgraphs = ask_all(JobContext())["sum"]
    states = final_states(recorded["orders"])
    graphs = [read_graph(text) for text in LESSONS[9]["asked"]]
    questions = {number: about() for number, about in QUESTIONS.items()}
    questions[6] = about_the_best(subgraphs)
    questions[8] = about_the_last_step(states[most_wrong(states, 1)])
    questions[9] = about_the_rule(HIDDEN)
    drawn = {6: rewards(subgraphs), 9: [*map(answer_card, graphs, probabilities(HIDDEN, graphs))]}
    for number, question in questions.items():
        lesson = LESSONS[number]
        site = {"view": lesson.get("view"), "stories": {}} | lesson.get("site", {})
        view = site["view"]
        replies = [plain(question.say(answer)) for answer in range(len(question.options) or NUMBERS)]
        trained = {
            title: {**train_parts(recorded[name].as_dict(), "file"), "only": ("dag", "stop")}
            for name, title in site["stories"].items()
        }
        yield page(
            f"lesson-{number}",
            "lesson",
            title=lesson["title"],
            about=lesson["idea"],
            number=number,
            lesson=lesson,
            view=view,
            drawn=drawn.get(number) or (view and view_data(view)),
            recordings=trained,
            question=question,
            answers={"right": question.right, "replies": replies},
        )


def figure_row(trace: Trace) -> dict[str, Any]:
    """A row of `site/figure.html`: of each column its picture, empty where the trace has no such mask.

    All explainers keep equally many edges: as many as the true motif has or, where none is known, as the answer.
    """
    assert trace.answer is not None
    size = int(truth_of(trace).sum()) or len(trace.answer.first.edges)
    masks = {mask.method: np.array(mask.scores) for mask in trace.masks if mask.method in COLUMNS}
    kept = {name: best_edges(scores, size) for name, scores in masks.items()}
    also = set[int]().union(*(nodes_at(trace, edges) for edges in kept.values()))
    pictures = {
        name: trace_picture(trace, METHODS[name].title, kept[name], scores=scores, also=also).svg()
        for name, scores in masks.items()
    }
    return {"trace": trace, "pictures": [pictures.get(name, "") for name in COLUMNS]}
