"""What a trace's nodes are called in sentences and tables. The player does the same (assets/player/names.js)."""

from collections import Counter
from typing import NamedTuple

from gfx_core.sentence_shape import spelled
from gfx_core.trace.schema import Trace

_LONGEST = 48  # letters of a sentence in a title
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Things(NamedTuple):
    """What people call what a trace is about, and its nodes and edges."""

    instance: str
    node: str
    edge: str


def things(trace: Trace) -> Things:
    """A sentence has words and links, a molecule atoms and bonds, any other graph nodes and edges."""
    if trace.is_sentence:
        return Things("sentence", "word", "link")
    if trace.nodes[trace.start].element:
        return Things("molecule", "atom", "bond")
    return Things("graph" if trace.target is None else "node", "node", "edge")


def trace_title(trace: Trace) -> str:
    """Which prediction it is of: the data set, and the number of the node or graph or how the sentence begins."""
    if not trace.is_sentence:
        return f"{trace.dataset_title} {trace.index}"
    text = spelled([node.label for node in trace.nodes])
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST].rpartition(' ')[0] or text[:_LONGEST]} …"
    return f"{trace.dataset_title} “{text}”"


def node_names(trace: Trace) -> list[str]:
    """An atom with its number, a label or an id; of a sentence's words those that come again are numbered: the₂."""
    if not trace.is_sentence:
        return [f"{node.element}{node.id}" if node.element else node.label or str(node.id) for node in trace.nodes]
    seen: Counter[str] = Counter()
    names = []
    for node in trace.nodes:
        seen[node.label.lower()] += 1
        number = seen[node.label.lower()]
        names.append(node.label if number == 1 else node.label + str(number).translate(_SUBSCRIPTS))
    return names
