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

FIRST_DATASET = "ba_shapes"
EXPLORER = Address()


def _named_by(parameter: str) -> Parameter[str | None]:
    def parse(text: str) -> str:
        return sources_of(DATASET.read())[parameter].checked(text)

    return EXPLORER.parameter(parameter, None, parse, under=(DATASET,))


DATASET = EXPLORER.parameter("dataset", FIRST_DATASET, lambda text: dataset_info(sessions.local_name(text)).name)
NAMES = {name: _named_by(name) for name in dict.fromkeys(name for known in DATASETS for name in sources_of(known))}
"""How an instance is named, by source: a link holds one of them."""
BY_NUMBER = EXPLORER.switch("source", "dataset", under=(DATASET,))
"""That the data set itself is meant, whichever of its instances."""
GNN = EXPLORER.parameter("gnn", None, checked_gnn)

NAMED = (DATASET, BY_NUMBER, *NAMES.values())
"""What names an instance."""
PREDICTION = (*NAMED, GNN)


def _option(name: str, option: Knob) -> Parameter[Any]:
    under = (DATASET, GNN) if name == "own" else () if option.travels else PREDICTION

    def spell(value: Any) -> str | None:
        return None if value is False or value == "" else option.spell(value)

    return EXPLORER.parameter(option.link, option.default, option.read, spell=spell, under=under)


OPTIONS = {name: _option(name, option) for name, option in options().items()}
"""All that a link says of how a prediction is explained, by the fields of `Question`."""
FLOWS, BETA, NODE_PRICE, MAX_NODES = (OPTIONS[name] for name in ("flows", "beta", "node_price", "max_nodes"))
SEED, CHOICE, SAMPLES, OWN = (OPTIONS[name] for name in ("seed", "choice", "samples", "own"))
TUNED, FRAGMENTS, EDITS = (OPTIONS[name] for name in ("tuned", "fragments", "edits"))
ORDER = EXPLORER.parameter(
    "order",
    None,
    nodes,
    spell=spell_nodes,
    under=(*PREDICTION, *(parameter for name, parameter in OPTIONS.items() if name != "flows")),
)
"""A trajectory that somebody chose, by local nodes; it stays when the flows change, so that they can be compared."""
REASON = EXPLORER.parameter("reason", None, whole(1, MOST_REASONS), under=(*PREDICTION, *OPTIONS.values()))
"""Which of the answer's reasons is outlined and played, 1 for the first."""
STOPPED = EXPLORER.switch("stop", under=(ORDER,))
STEP = EXPLORER.parameter("step", None, whole(0, 999), under=(ORDER, REASON))
BY_HAND = EXPLORER.switch("mode", "hand")
WHAT_IF = EXPLORER.switch("whatif")
"""Whether the instance is edited: what if an edge were gone?"""
TABS = {"Sampled subgraphs": None, "Edge marginals": "marginals", "All predictions": "all", "Save and load": "files"}
"""What is below the player, and what the link calls it."""
TAB = EXPLORER.parameter(
    "tab", next(iter(TABS)), {text: name for name, text in TABS.items() if text}.__getitem__, spell=TABS.__getitem__
)

BESIDE = EXPLORER.parameter("view", "", one_of(["states"]), spell=lambda name: name or None)
"""What stands beside the player's graph: the state space, or nothing for the usual panels."""
FOLDED = EXPLORER.switch("hydrogens", "folded")
"""Whether a molecule's hydrogens are folded into their atoms: CH₃, NH₂."""
TOOLS = EXPLORER.parameter(
    "tools", False, {"all": True, "few": False}.__getitem__, spell=lambda on: "all" if on else "few"
)
"""Whether a page shows all its tools, or at first the few that everybody needs; read by `all_tools`."""
_TOOLS = "all-tools"  # session state: whether they were shown last


def all_tools() -> bool:
    """Whether all tools are shown: where the link says so or uses one of them; else as they were shown last."""
    used = any(parameter.in_link for parameter in (TAB, BY_HAND, WHAT_IF, *OPTIONS.values()))
    shown: bool = TOOLS.read(used or st.session_state.get(_TOOLS, False))
    st.session_state[_TOOLS] = shown
    return shown


@dataclass(frozen=True)
class PredictionQuery:
    """Which prediction the link names.

    Attributes:
        info: The data set.
        source: Where the instance comes from; ``None`` if the link does not say.
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
    """What the link names; parts that make no sense are told of and left at their defaults.

    Args:
        first: What is shown where the link names no instance; the usual one without it.
    """
    if first is not None and not any(each.in_link for each in NAMED):
        problems = filter(None, [GNN.problem])
        return PredictionQuery(first.info, first.origin, first.name, GNN.read(first.gnn), tuple(problems))
    info = dataset_info(DATASET.read())
    source, name = None, None
    problems = [f"{problem} Showing {info.title} instead." for problem in (DATASET.problem,) if problem]
    if not problems:  # a name belongs to a data set, which may not have been found
        source = _named_source(info)
        if source is not None:
            name = NAMES[source.parameter].read()
            if problem := NAMES[source.parameter].problem:
                problems.append(f"{problem} Showing {source.first} instead." if isinstance(source, Listed) else problem)
    problems += filter(None, [GNN.problem])
    return PredictionQuery(info, source, name, GNN.read(), tuple(problems))


def _named_source(info: DatasetInfo) -> Source | None:
    """The source that the link names; what somebody typed counts most."""
    for parameter, source in reversed(sources_of(info.name).items()):
        if NAMES[parameter].in_link or (parameter == Numbered.parameter and BY_NUMBER.read()):
            return source
    return None


def go_to(dataset: str, source: Source, name: str | None) -> None:
    """Look at another instance; ``None`` for whichever the source shows first."""
    named: dict[Parameter[str | None], str | None] = dict.fromkeys(NAMES.values())
    named[NAMES[source.parameter]] = name
    by_number = name is None and isinstance(source, Numbered)
    EXPLORER.change({DATASET: dataset, BY_NUMBER: by_number, **named})


def go_to_number(dataset: str, index: int) -> None:
    """Look at a node or graph of a data set."""
    go_to(dataset, sources_of(dataset)[Numbered.parameter], str(index))


PREDICTION_PAGES = {
    "explain": ("Explain this", "play_circle"),
    "compare": ("Compare on this prediction", "compare"),
    "datasets": ("See its data set", "hub"),
}
"""The pages that show a prediction: what a link to each says, and its icon."""
_HOW = (GNN, *OPTIONS.values(), FOLDED)
_TRAVELS = (*NAMED, *_HOW)
_ABOUT = {parameter.name for parameter in (DATASET, *NAMES.values(), GNN)}
_LATEST = "prediction"  # session state: the parameters of the prediction that was looked at last
_TRAINED = "prediction-trained"  # session state: those of what Train has opened with, or was looked at there


def remember_prediction(dataset: str, source: str, name: str) -> None:
    """Note what is looked at, with all that the link says about how it is explained."""
    how = {parameter.name: parameter.text for parameter in _HOW if parameter.in_link}
    st.session_state[_LATEST] = {DATASET.name: dataset, source: name, **how}


def prediction_link() -> dict[str, str]:
    """The parameters of the prediction that is looked at, for a link to another page; empty before there was one."""
    return dict(st.session_state.get(_LATEST, {}))


def _about() -> dict[str, str]:
    """Which prediction is looked at, whatever is asked about it."""
    return {name: text for name, text in prediction_link().items() if name in _ABOUT}


def remember_training(before: dict[str, str]) -> bool:
    """Note what Train shows: it opens so again as long as no other prediction is looked at elsewhere.

    Args:
        before: What `prediction_link` was. What it asks about the same prediction stays: Train asks for none of it.

    Returns:
        Whether other pages show the same prediction with edits.
    """
    now = st.session_state[_TRAINED] = _about()
    same = now == {name: text for name, text in before.items() if name in _ABOUT}
    if same:
        st.session_state[_LATEST] = before
    return same and EDITS.name in before


def opening_link(page: str, last: dict[str, str]) -> dict[str, str]:
    """With which link a page opens, if it is gone to without one.

    Args:
        page: Its name.
        last: Its own last link.
    """
    if page == "train" and _about() != st.session_state.get(_TRAINED, {}):
        return _about()
    now = prediction_link()
    if page not in PREDICTION_PAGES or not now:
        return last
    same = all(last.get(name) == text for name, text in now.items())

    def belongs(name: str) -> bool:
        """Whether a parameter makes sense for one prediction only, as a trajectory does."""
        parameter = EXPLORER.parameters.get(name)
        return parameter is not None and parameter.stands_under(set(_TRAVELS))

    names = {parameter.name for parameter in _TRAVELS}
    return {**now, **{name: text for name, text in last.items() if name not in names and (same or not belongs(name))}}


def page_links(here: str) -> None:
    """Links to the same prediction on the other pages.

    Args:
        here: The page that is shown.
    """
    with st.container(horizontal=True, width="content", key="ways-on"):
        for page, (label, icon) in PREDICTION_PAGES.items():
            if page != here:
                st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=prediction_link())
        if here == "explain":
            link = _about()
            st.page_link("pages/train.py", label="Watch it learn", icon=":material/model_training:", query_params=link)
