"""Theorem 1 in words, for one added node: which case it was, and what happened to each row of 𝒵.

The player and the lab show these sentences as they are. Nodes are numbered as the caller numbers their names.
"""

from collections.abc import Sequence

from gfx_core.config import read_content
from gfx_core.text.answers import node_names
from gfx_core.text.numbers import listed
from gfx_core.trace.derive import links_of
from gfx_core.trace.schema import Trace

EQUATIONS = read_content("equations")
"""Numbers as the paper prints them: its own labels count otherwise, and comments in the code cite these too."""

CASES = ("no case yet", f"Case 1 (eq. {EQUATIONS['case_1']})", f"Case 2 (eq. {EQUATIONS['case_2']})")
"""What an addition was to Theorem 1; there is none below three nodes."""

_MOST_NAMES = 8


def theorem_words(trace: Trace) -> list[str]:
    """A sentence for each step of a trace: the case of adding its node, and the effect."""
    names, links, sentences = node_names(trace), links_of(trace), []
    cut: Sequence[int] = ()
    for step in trace.steps:
        new, case = step.members[-1], step.theorem_case
        touched = [node for node in step.members if node in links[new]]
        words = case_words(case, names, new, touched, cut, step.cut_vertices)
        sentences.append(f"{CASES[case]}: {words}" if case else words)
        cut = step.cut_vertices
    return sentences


def case_words(
    case: int, names: Sequence[str], new: int, touched: Sequence[int], cut_before: Sequence[int], cut: Sequence[int]
) -> str:
    """Which case of Theorem 1 applied and its effect on the cut vertices.

    Args:
        case: 1 for eq. 16, 2 for eq. 17, 0 below three nodes.
        names: Of the nodes.
        new: The node that was added.
        touched: The nodes it touches.
        cut_before: The cut vertices before.
        cut: The cut vertices now.
    """
    if case == 0:
        return "Below three nodes there is nothing to cut: 𝒵 is all zeros."
    name = names[new]
    if case == 1:
        holder = names[touched[0]]
        still = "it was one before" if touched[0] in cut_before else "it was not one before"
        return f"{name} touches only {holder} and is attached to it alone, so {holder} is a cut vertex now ({still})."
    freed = [names[node] for node in cut_before if node not in cut]
    effect = "are no longer cut vertices" if len(freed) > 1 else "is no longer a cut vertex"
    effect = f"{listed(freed, _MOST_NAMES)} {effect}" if freed else "no cut vertex is lost"
    return f"{name} touches {listed([names[node] for node in touched], _MOST_NAMES)} and joins their pieces: {effect}."


def step_note(removable: Sequence[int], cut: Sequence[int], names: Sequence[str]) -> str:
    """Which nodes of a set may be removed, and which hold it together."""
    free, holding = (", ".join(names[node] for node in nodes) for nodes in (removable, cut))
    parents = f"May be removed (valid parents): {free}." if free else "No node may be removed."
    return f"{parents} Cut vertices: {holding}." if holding else f"{parents} No cut vertex."


def row_words(
    m: int,
    before: Sequence[Sequence[int]],
    after: Sequence[Sequence[int]],
    touched: Sequence[int],
    names: Sequence[str],
) -> str:
    """The effect of the added node on row m of 𝒵, that is, with node m taken away.

    Args:
        m: The row.
        before: 𝒵 before.
        after: 𝒵 now, one row and one column larger.
        touched: The nodes that the new one touches.
        names: Of all nodes, the new one last.
    """
    name, new, pieces = names[m], names[-1], sorted(set(before[m]) - {0})
    if list(touched) == [m]:
        if len(after) < 3:
            return f"Two nodes: nothing to cut, so the row of {name} is zeros."
        return f"{new} touches only {name}. Without {name} it is alone: a new piece, number {after[m][-1]}."
    if not pieces:
        return f"Without {name} the others are one piece, and {new} touches it: the row of {name} stays zeros."
    joined = sorted({before[m][node] for node in touched} - {0})
    if joined == pieces:
        return f"{new} touches every piece that {name} kept apart: they become one, and the row becomes zeros again."
    if len(joined) == 1:
        return f"Without {name}, {new} touches piece {joined[0]} only and joins it."
    return f"{new} joins pieces {listed([*map(str, joined)])} of {name}: all are number {joined[-1]} now."
