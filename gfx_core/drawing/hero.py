"""One explanation, large: it plays by itself and ends in the answer. For those who have never seen one.

Home shows it, and so does the site. Where the answer has several reasons, a sample that ends in each plays before it.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from gfx_core.explanation.question import Question
from gfx_core.text.answers import reason_groups, reason_shares, things
from gfx_core.text.numbers import about_percent, capitalised, counted, listed, number_word
from gfx_core.trace.edit import along_reason
from gfx_core.trace.schema import Answer, Reason, Step, Trace, TraceNode, Verdict

HERO = Question("tree_grid", "514")
"""What plays first, here and on the site: two reasons, each in about half of the samples."""
_TERMS = {
    "GNN": "A graph neural network classifies a node or a graph.",
    "GFlowNet": "It learns to sample parts of the graph in proportion to their reward: how well a part alone keeps the "
    "GNN’s prediction.",
    "Sample": "A sample starts at the pink node, adds neighbours one by one, and stops. We take many.",
    "Reasons": "A prediction may have several. Samples can find each of them; a greedy search ends in one.",
}


def terms() -> str:
    """What a newcomer has to know, a sentence each, as markup."""
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{text}</dd>' for name, text in _TERMS.items())}</dl>"


def story(trace: Trace) -> dict[str, Any]:
    """What the browser is given: the graph, a sentence for each frame and who is in the set, reasons and the answer."""
    end = trace.answer
    assert end is not None  # whatever is computed or shipped has one
    several = len(end.reasons) > 1
    shares = reason_shares(end)
    frames, reasons = [], []
    for number, reason in enumerate(end.reasons, 1):
        steps = along_reason(trace, number).steps if several else trace.steps
        frames += [_frame(trace, steps, at, number) for at in range(len(steps))]
        if several:
            says = _ended(trace, reason, number)
            frames.append({"nodes": reason.nodes, "edges": reason.edges, "start": reason.nodes[0], "says": says})
            percent = shares[number - 1]
            reasons.append({"name": reason.name, "share": reason.share, "percent": percent, "at": len(frames) - 1})
    edges = [structs.asdict(edge) for edge in trace.edges]
    starts = {frame["start"] for frame in frames}
    return {
        "nodes": [
            {
                "id": node.id,
                "position": [round(coordinate, 3) for coordinate in node.position],
                "label": _label(node),
                "element": node.element,
            }
            for node in trace.nodes
        ],
        "edges": [edge | {"in_motif": None} for edge in edges] if several else edges,
        "written": trace.is_sentence,
        "known": trace.has_truth and not several,
        "frames": frames,
        "reasons": reasons,
        "end": {
            "nodes": sorted({node for reason in end.reasons for node in reason.nodes}),
            "edges": end.edges,
            "start": starts.pop() if len(starts) == 1 else None,
            "verdict": verdict(trace, end),
            "says": end.sentence,
        },
    }


def _frame(trace: Trace, steps: Sequence[Step], at: int, number: int) -> dict[str, Any]:
    step = steps[at]
    return {
        "members": step.members,
        "start": step.members[0],
        "added": step.added,
        "frontier": [{"node": action.node, "probability": action.probability} for action in step.frontier],
        "cut_vertices": [],
        "parents": [],
        "says": _says(trace, steps, at, number),
    }


def _label(node: TraceNode) -> str:
    return node.element or node.label or str(node.id)


def _says(trace: Trace, steps: Sequence[Step], at: int, number: int) -> str:
    prediction, step = trace.prediction, steps[at]
    if step.added is None and number > 1:
        return "The next sample takes other steps: each is taken at random, by its probability."
    if step.added is None:
        what = f"this {things(trace).instance}"
        chance = about_percent(prediction.probabilities[prediction.predicted])
        return f"The GNN predicts “{trace.classes[prediction.predicted]}” ({chance}) for {what}. Why?"
    actions = steps[at - 1].frontier
    chance = about_percent(next(action.probability for action in actions if action.node == step.added))
    return (
        f"It adds {_label(trace.nodes[step.added])}, one of {len(actions) + 1} choices, with a probability of {chance}."
    )


def _ended(trace: Trace, reason: Reason, number: int) -> str:
    alone = about_percent(reason.alone[trace.prediction.predicted])
    return f"Sample {number} stops: {reason.name}. This part alone gives {alone}."


def verdict(trace: Trace, end: Answer) -> str:
    """What came of it, in a few words; nothing is judged where nothing is known to be true."""
    if not end.explains:
        return "No part explains this prediction"
    if len(end.reasons) > 1:
        groups = reason_groups(trace, end)
        if len(groups) == 1:
            return capitalised(groups[0].name)
        shares = listed([group.share for group in groups])
        enough = all(trace.prediction.is_enough(reason.alone) for reason in end.reasons)
        what = "reasons" if enough and end.verdict not in (Verdict.ENOUGH, Verdict.UNDECIDED) else "parts"
        return f"{capitalised(number_word(len(groups)))} {what}: {shares} of samples end at or near them"
    answer, motif = set(end.first.edges), {number for number, edge in enumerate(trace.edges) if edge.in_motif}
    if trace.has_truth and motif:
        beside = len(answer - motif)
        return f"Found {len(answer & motif)} of {len(motif)} true edges" + (f", and {beside} beside" if beside else "")
    name = end.first.name
    return capitalised(name) if name else f"These {counted(len(end.first.nodes), things(trace).node)}"
