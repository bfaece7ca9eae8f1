"""The link that Data sets, Explain and Compare share: which prediction is looked at, and how it is explained.

One prediction travels: whatever page of the explorer is opened next shows the one that was looked at last. A link that
names a prediction counts more. The pages' own choices, such as Compare's methods, stay with the pages.
"""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.registry import DATASETS, dataset_info, sources_of
from gfx_core.datasets.source import Listed, Numbered, Source
from gfx_core.explanation.question import Question, options
from gfx_core.gfn.knobs import Knob
from gfx_core.gnn.kinds import checked_gnn
from gfx_core.trace.schema import MOST_REASONS
from pages.ui import sessions
from pages.ui.address import Address, Parameter, nodes, one_of, spell_nodes, whole
from pages.ui.widgets import WORDS, in_row, page_link

FIRST_DATASET = "ba_shapes"
EXPLORER = Address()


def _named_by(parameter: str) -> Parameter[str | None]:
    def parse(text: str) -> str:
        return sources_of(DATASET.read())[parameter].checked(text)

    return EXPLORER.parameter(parameter, None, parse, under=(DATASET,))


DATASET = EXPLORER.parameter("dataset", FIRST_DATASET, lambda text: dataset_info(sessions.local_name(text)).name)
NAMES = {name: _named_by(name) for name in dict.fromkeys(name for dataset in DATASETS for name in sources_of(dataset))}
"""How an instance is named, by source: a link holds one of them."""
GNN = EXPLORER.parameter("gnn", None, checked_gnn)

NAMED = (DATASET, *NAMES.values())
"""What names an instance."""
PREDICTION = (*NAMED, GNN)


def _option(name: str, option: Knob) -> Parameter[Any]:
    under = (DATASET, GNN) if name == "own" else () if option.travels else PREDICTION
    return EXPLORER.parameter(option.link, option.default, option.read, spell=option.spell, under=under)


OPTIONS = {name: _option(name, option) for name, option in options().items()}
"""All that a link has on how a prediction is explained, by the fields of `Question`."""
FLOWS, OWN, EDITS = OPTIONS["flows"], OPTIONS["own"], OPTIONS["edits"]
ORDER = EXPLORER.parameter(
    "order",
    None,
    nodes,
    spell=spell_nodes,
    under=(*PREDICTION, *(parameter for name, parameter in OPTIONS.items() if name != "flows")),
)
"""A trajectory chosen by hand, by local nodes; it stays when the flows change, so that they can be compared."""
REASON = EXPLORER.parameter("reason", None, whole(1, MOST_REASONS), under=(*PREDICTION, *OPTIONS.values()))
"""Which of the answer's reasons is outlined and played, 1 for the first."""
STOPPED = EXPLORER.switch("stop", under=(ORDER,))
STEP = EXPLORER.parameter("step", None, whole(0, 999), under=(ORDER, REASON))
BY_HAND = EXPLORER.switch("mode", "hand")
WHAT_IF = EXPLORER.switch("whatif")
"""Whether the instance is edited: what if an edge were gone?"""
TABS: dict[str, str] = WORDS["tabs"]
"""What is below the player: the title of each tab by its name in the link."""
TAB = EXPLORER.parameter("tab", "", one_of(tuple(TABS)))
BESIDE = EXPLORER.parameter("view", "", one_of(["states"]))
"""What stands beside the player's graph: the state space, or nothing for the usual panels."""
TOOLS = EXPLORER.parameter(
    "tools", False, {"all": True, "few": False}.__getitem__, spell=lambda on: "all" if on else "few"
)
"""Whether Explain shows all its tools, or at first the few that everybody needs; read by `all_tools`."""


def all_tools() -> bool:
    """Whether all tools are shown: where the link has it so, or uses one of them."""
    return TOOLS.read(any(parameter.in_link for parameter in (TAB, BY_HAND, WHAT_IF, *OPTIONS.values())))


@dataclass(frozen=True)
class PredictionQuery:
    """Which prediction the link names.

    Attributes:
        info: The data set.
        source: Where the instance comes from; ``None`` if the link has none.
        name: Which instance; ``None`` for the one shown first.
        gnn: Which GNN, by name; ``None`` for the first that is trained.
        problems: A sentence for each part of the link that could not be used.
    """

    info: DatasetInfo
    source: Source | None
    name: str | None
    gnn: str | None
    problems: tuple[str, ...] = ()


def read_query(first: Question | None = None) -> PredictionQuery:
    """What the link names; parts that make no sense become problems and are left at their defaults.

    Args:
        first: What is shown where the link names no instance; the usual one without it.
    """
    if first is not None and not any(parameter.in_link for parameter in NAMED):
        problem = GNN.problem
        return PredictionQuery(first.info, first.origin, first.name, GNN.read(first.gnn), (problem,) if problem else ())
    info, source, name = dataset_info(DATASET.read()), None, None
    problems = [f"{DATASET.problem} Showing {info.title} instead." if DATASET.problem else None, GNN.problem]
    if not DATASET.problem:  # a name belongs to a data set
        for parameter, candidate in sources_of(info.name).items():  # what is typed comes last and counts most
            if NAMES[parameter].in_link:
                source, name, problem = candidate, NAMES[parameter].read(), NAMES[parameter].problem
                instead = f" Showing {source.first} instead." if isinstance(source, Listed) else ""
                problems[0] = problem and problem + instead
    return PredictionQuery(info, source, name, GNN.read(), tuple(filter(None, problems)))


def go_to(dataset: str, source: str, name: str) -> None:
    """Look at another instance."""
    EXPLORER.change({DATASET: dataset, **dict.fromkeys(NAMES.values()), NAMES[source]: name})


def go_to_number(dataset: str, index: int) -> None:
    """Look at a node or graph of a data set."""
    go_to(dataset, Numbered.parameter, str(index))


PREDICTION_PAGES = ("explain", "compare", "datasets")
"""The pages that show a prediction."""
_HOW = (*OPTIONS.values(), TOOLS)
_TRAVELS = (*PREDICTION, *_HOW)
_LATEST = "prediction"  # session state: the parameters of the prediction that was looked at last


def remember_prediction(dataset: str, source: str, name: str) -> None:
    """Note what is looked at, with all that the link has on how it is explained."""
    how = {parameter.name: parameter.text for parameter in (GNN, *_HOW) if parameter.in_link}
    st.session_state[_LATEST] = {DATASET.name: dataset, source: name, **how}


def prediction_link() -> dict[str, str]:
    """The parameters of the prediction that is looked at, for a link to another page; empty before there was one."""
    return dict(st.session_state.get(_LATEST, {}))


def opening_link(page: str, last: dict[str, str]) -> dict[str, str]:
    """With which link a page opens that is gone to without one.

    Args:
        page: Its name.
        last: Its own last link.
    """
    now = prediction_link()
    if not now or (page not in PREDICTION_PAGES and (page != "train" or last)):
        return last
    same, travels = now.items() <= last.items(), {parameter.name for parameter in _TRAVELS}
    for name, text in last.items():
        parameter = EXPLORER.parameters.get(name)
        belongs = parameter is not None and parameter.stands_under(set(_TRAVELS))  # to one prediction
        if name not in travels and (same or not belongs):
            now[name] = text
    return now


def page_links(here: str) -> None:
    """Links to the same prediction on the other pages.

    Args:
        here: The page that is shown.
    """
    with in_row("ways-on", width="content"):
        for page in (*PREDICTION_PAGES, *(["train"] if here == "explain" else [])):
            if page != here:
                page_link(page, prediction_link())
