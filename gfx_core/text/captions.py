"""What the player writes of a trace (assets/player/story.js): names, captions, and how much of the truth was found."""

import math
from collections.abc import Collection, Iterator
from operator import eq
from typing import Any

from gfx_core.config import read_content
from gfx_core.text.answers import counted_truth, motif_counts, node_names, note, reason_nouns, reason_shares, things
from gfx_core.text.numbers import about_percent, counted, listed, percent, signed
from gfx_core.text.theorem import theorem_words
from gfx_core.text.typesetting import sentence_shapes
from gfx_core.trace.derive import links_of
from gfx_core.trace.edit import along_reason
from gfx_core.trace.schema import STUDENT, Answer, Trace

_TEXTS = read_content("captions")
_MOST_NAMES = 4


def player_words(trace: Trace) -> dict[str, Any]:
    """All words, and `stories`: those of the trajectory that the trace shows, then of what ends in each reason."""
    answer, numbers = trace.answer, range(len(trace.reasons) + 1)
    words: dict[str, Any] = {"names": node_names(trace), "reasons": reason_nouns(trace)}
    words["stories"] = [story_words(along_reason(trace, number), max(number, 1)) for number in numbers]
    if answer is not None:
        words |= {"shares": reason_shares(answer), "rule": note("rule") + note("listed") * answer.exact}
        words["rings"] = [rings(trace, reason.nodes) for reason in answer.reasons]
    if trace.is_sentence:
        labels, points = zip(*((node.label, node.position) for node in trace.nodes), strict=True)
        words["shapes"] = sentence_shapes(labels, points, [(edge.source, edge.target) for edge in trace.edges])
    return words


def rings(trace: Trace, nodes: Collection[int]) -> list[list[int]]:
    """Rings of a subgraph; every hole in it is inside some of them.

    Args:
        trace: The trace.
        nodes: In an order in which each is linked to one before it.
    """
    links, paths, closed = links_of(trace), dict[int, list[int]](), []  # a path to each node from the first
    for node in nodes:
        before = [end for end in paths if end in links[node]]
        paths[node] = [step for end in before[:1] for step in paths[end]] + [node]
        for end in before[1:]:
            one, other = paths[node], paths[end]
            fork = sum(map(eq, one, other)) - 1
            closed.append(one[fork:] + other[:fork:-1])
    return closed


def story_words(trace: Trace, number: int = 1) -> dict[str, Any]:
    """A caption of each step and of the end; of an answer what the GNN predicts with one of its reasons, and facts.

    Args:
        trace: With this trajectory.
        number: Of the reason, 1 for the first.
    """
    chance = percent(math.exp(trace.final.log_trajectory_probability))
    size = counted(len(trace.final.edges), things(trace).edge)
    ends = f"{counted_truth(trace, trace.final.edges) or f'{size} found'}."
    words: dict[str, Any] = {"captions": [*_captions(trace)], "theorem": theorem_words(trace)}
    if trace.answer is not None:
        words |= _reason_words(trace, trace.answer, number)
        ends += " " + (words["apart"] or f"That is {words['it']}.")
    words["end"] = f"Stopped: {ends} log R = {signed(trace.final.log_reward)}; this order had probability {chance}."
    return words


def _captions(trace: Trace) -> Iterator[tuple[str, str]]:
    """Of each step: the set with the node that was added, and what comes next."""
    names, chance = node_names(trace), ""
    for step in trace.steps:
        text = f"The set starts as {names[trace.start]}{'' if trace.target is None else ', the explained node'}."
        if step.added is not None:
            cut = listed([names[node] for node in step.cut_vertices], _MOST_NAMES)
            held = f"held together by {cut}" if cut else "no cut vertex"
            text = f"Added {names[step.added]}, which had {chance}. "
            text += f"The set has {counted(step.size, things(trace).node)}: {held}."
        chance = about_percent(step.action.probability)
        action = "STOP" if step.chosen is None else names[step.chosen]
        alone = f"The GNN gives “{trace.classes[trace.prediction.predicted]}” {about_percent(step.reward.probability)}."
        yield f"{text} {alone}", "Now it must stop." if step.stop.forced else f"Next: {action} ({chance})."


def _reason_words(trace: Trace, answer: Answer, number: int) -> dict[str, Any]:
    """What a reason is called, the cover's caption, how the end differs from it, what the GNN gives, and facts."""
    reason, predicted, names = answer.reasons[number - 1], trace.prediction.predicted, node_names(trace)
    nouns, ends, taught = reason_nouns(trace), set(trace.final.nodes), STUDENT in trace.made
    it = f"{nouns[number - 1]} {number}"
    if alone := len(nouns) == 1:  # else the reasons' buttons have its share
        it = "the reason" if nouns == ["reason"] else "the best part that we found"
    differences = {"lacks": set(reason.nodes) - ends, "also has": ends.difference(reason.nodes)}
    apart = [
        f"{verb} {listed([names[n] for n in sorted(nodes)], _MOST_NAMES)}"
        for verb, nodes in differences.items()
        if nodes
    ]
    hit, missed, extra = motif_counts(trace, reason.edges)
    values = {
        **things(trace)._asdict(),
        "it": it,
        "label": trace.classes[predicted],
        "judge": "student" if taught else "GNN",
        "by": " (student)" * taught,
        "nodes": len(reason.nodes),
        "edges": len(reason.edges),
        "hit": hit,
        "true": hit + missed,
        "extra": extra,
        "share": about_percent(reason.share) * alone,
        "how": "the exact probability" if answer.exact else "the share of the samples",
        "drawn": reason.drawn,
        "samples": trace.num_drawn,
        "probability": "" if reason.probability is None else percent(reason.probability),
    }
    gives = {
        "alone": reason.alone[predicted],
        "without": reason.without[predicted],
        "none": None if alone else answer.without_all[predicted],
        "start": trace.steps[0].reward.probability if trace.target is not None and reason.edges else None,
        "all": trace.prediction.probability,
    }
    cover = f"The outline is {it}{'' if alone else f' of {len(nouns)}'}. Wider {values['edge']}s are in more samples."
    return {
        "it": it,
        "cover": f"{cover} Play shows how a sample grows: one that ends {'elsewhere' if apart else 'there'}.",
        "apart": f"It is not {it}: it {listed(apart)}." if apart else "",
        "rows": [
            (name, text.format(**values), gives[name], about.format(**values))
            for name, (text, about) in _TEXTS["rows"].items()
            if gives[name] is not None
        ],
        "facts": [[text.format(**values) for text in texts] for name, texts in _TEXTS["facts"].items() if values[name]],
    }
