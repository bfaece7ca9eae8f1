"""The glossary: every symbol and term of the explorer, and links to them. The texts are in assets/content."""

from dataclasses import dataclass
from functools import cache

import msgspec

from gfx_core.config import Task, read_content
from gfx_core.datasets.registry import DATASETS
from gfx_core.gfn.settings import GFNConfig, RewardConfig, policy_config
from gfx_core.metrics.summary import METRICS
from gfx_core.text.theorem import EQUATIONS

GLOSSARY = "/glossary"
"""Address of the page."""
_CHARGED = {"nodes": "a node", "size": "an edge", "radius": "a step of radius", "similarity": "for distance"}


@dataclass(frozen=True)
class GlossaryEntry:
    """One symbol or term.

    Attributes:
        anchor: Where links reach it: ``/glossary#anchor``.
        name: What it is called.
        meaning: One or two sentences.
        group: The heading that it stands under.
        symbol: How it is written in the explorer; empty where it has no symbol.
        paper: How the GFlowExplainer paper writes it; empty where the paper has no notation for it.
        where: Pages that show it: label and address.
        lesson: The lesson that teaches it.
        also: Other names that find it.
    """

    anchor: str
    name: str
    meaning: str
    group: str
    symbol: str = ""
    paper: str = ""
    where: tuple[tuple[str, str], ...] = ()
    lesson: int | None = None
    also: tuple[str, ...] = ()


def reward_in_words(reward: RewardConfig) -> str:
    """β and what is charged for: ``β = 50, 0.1 a node``."""
    prices = [f"{price:g} {word}" for name, word in _CHARGED.items() if (price := reward.price(name))]
    return ", ".join([f"β = {reward.beta:g}", *prices])


@cache
def entries() -> tuple[GlossaryEntry, ...]:
    """All of them, in reading order."""
    content = read_content("glossary")
    sizes = sorted({policy_config(name).max_nodes for name in DATASETS})
    first = {info.task: name for name, info in reversed(DATASETS.items())}  # one of each task: all have the same
    rewards = [f"{task} tasks {reward_in_words(policy_config(first[task]).reward)}" for task in (Task.NODE, Task.GRAPH)]
    values = {
        "shipped_rewards": f"Shipped policies: {'; '.join(rewards)}.",
        "paper_nodes": GFNConfig().max_nodes,
        "shipped_nodes": " or ".join(map(str, sizes)),
        **{name: metric.sentence for name, metric in METRICS.items()},
    }
    for term in content["term"]:
        term["meaning"] = term["meaning"].format_map(values)
        term["where"] = [content["pages"][page] for page in term.get("where", ())]
        if "equation" in term:
            number = f"eq. {EQUATIONS[term['equation']]}"
            term["paper"] = f"{term['paper']} ({number})" if "paper" in term else number
    return msgspec.convert(content["term"], tuple[GlossaryEntry, ...])


def groups() -> tuple[str, ...]:
    """Their headings, in reading order."""
    return tuple(dict.fromkeys(entry.group for entry in entries()))


def _simple(name: str) -> str:
    return name.strip().lower().replace(" ", "-").replace("_", "-")


@cache
def _by_name() -> dict[str, GlossaryEntry]:
    every = reversed(entries())
    named = {_simple(name): entry for entry in every for name in (*entry.also, entry.name, entry.anchor)}
    return named | {entry.anchor: entry for entry in entries()}


def find(name: str) -> GlossaryEntry | None:
    """The entry with this anchor or name."""
    return _by_name().get(_simple(name))


def term(name: str, text: str | None = None) -> str:
    """A Markdown link to an entry, e.g. ``[flow](/glossary#flow)``.

    Args:
        name: Its anchor or name.
        text: What the link says; the name by default.

    Raises:
        KeyError: if the glossary has no such entry.
    """
    return f"[{text or name}]({GLOSSARY}#{_by_name()[_simple(name)].anchor})"


def tooltip(name: str) -> str:
    """What an entry means, with a link to it: the text of a tooltip.

    Raises:
        KeyError: if the glossary has no such entry.
    """
    entry = _by_name()[_simple(name)]
    return f"{entry.meaning} [More in the glossary]({GLOSSARY}#{entry.anchor})"
