"""One explanation, large: it plays by itself and ends in the answer. For those who have never seen one.

Home shows it, and so does the site. Where the answer has several reasons, a sample that ends in each plays before it.
"""

from typing import Any

from msgspec.structs import replace

from gfx_core.config import read_content
from gfx_core.drawing.export import player_data
from gfx_core.explanation.question import Question
from gfx_core.text.answers import counted_truth, reason_groups, reason_nouns, things
from gfx_core.text.numbers import capitalised, counted, listed, number_word
from gfx_core.trace.schema import Trace

HERO = Question("tree_grid", "514")
"""What plays first, here and on the site: two reasons, each in about half of the samples."""
TEXTS: dict[str, dict[str, str]] = read_content("hero")
TERMS = TEXTS["terms"]
"""What a newcomer has to know, a sentence each."""


def story(trace: Trace) -> dict[str, Any]:
    """The trace as the player reads it, and what came of it."""
    return {**player_data(replace(trace, masks=())), "verdict": verdict(trace)}


def verdict(trace: Trace) -> str:
    """What came of it, in a few words; nothing is judged where nothing is known to be true."""
    end, words = trace.answer, TEXTS["verdicts"]
    if end is None or not end.explains:
        return words["none"]
    groups = reason_groups(trace, end)
    if len(groups) > 1:
        noun = "parts" if "part" in reason_nouns(trace) else "reasons"
        shares = listed([group.share for group in groups])
        return words["shares"].format(number=capitalised(number_word(len(groups))), noun=noun, shares=shares)
    if (truth := counted_truth(trace, end.edges)) and len(end.reasons) == 1:
        return truth
    nodes = counted(len(end.first.nodes), things(trace).node)
    return capitalised(groups[0].name) or words["part"].format(nodes=nodes)
