"""Edits of an instance in words: what was changed, what the GNN predicts then, and what changes a prediction."""

from collections.abc import Sequence

from gfx_core.config import Drawing
from gfx_core.datasets.edits import Counterfactual, Edit, node_name, read_edits
from gfx_core.datasets.instance import Instance
from gfx_core.text.numbers import about_percent, capitalised, counted, listed
from gfx_core.trace.schema import likeliest

_NAMED = 4  # edits of one kind that are named one by one


def edit_words(before: Instance, edits: Sequence[Edit]) -> str:
    """What was changed of an instance: “without the edge 541–542, with a new edge 3–9”."""
    local = {int(node): at for at, node in enumerate(before.nodes)}
    words = before.info.vocabulary

    def name(node: int) -> str:
        return node_name(before, local[node]) if node in local else str(node)  # it came into sight by an edit

    edges = [edit for edit in edits if edit.other is not None]
    removed = [f"{name(edit.node)}–{name(edit.other or 0)}" for edit in edges if not edit.added]
    added = [f"{name(edit.node)}–{name(edit.other or 0)}" for edit in edges if edit.added]
    nodes = [name(edit.node) for edit in edits if edit.other is None and not edit.label]
    quoted = "“{}”" if before.info.drawing is Drawing.SENTENCE else "{}"
    changed = [f"{quoted.format(edit.label)} in place of {name(edit.node)}" for edit in edits if edit.label]
    gone = [_named(removed, f"the {words.edge}"), _named(nodes, f"the {words.node}")]
    new = [_named(added, f"a new {words.edge}"), listed(changed)]
    parts = [("without", list(filter(None, gone))), ("with", list(filter(None, new)))]
    return ", ".join(f"{how} {' and '.join(what)}" for how, what in parts if what)


def edited_note(before: Instance, edits: Sequence[Edit]) -> str:
    """That what is explained was edited, for whoever sees the explanation alone."""
    what = "graph" if before.target is not None else before.info.vocabulary.instance
    return f"This explains an edited {what}: {edit_words(before, edits)}."


def _named(names: Sequence[str], noun: str) -> str:
    """“the edge 1–2”, “the edges 1–2 and 2–3”, “12 edges”."""
    article, _, thing = noun.rpartition(" ")
    if len(names) > _NAMED:
        return counted(len(names), f"{article.removeprefix('a ').removeprefix('the')} {thing}".strip())
    if len(names) > 1:
        return f"{article.removeprefix('a ')} {thing}s {listed(names)}"
    return f"{noun} {names[0]}" if names else ""


def what_if_sentence(
    before: Instance, edits: Sequence[Edit], classes: Sequence[str], old: Sequence[float], new: Sequence[float]
) -> str:
    """What the GNN predicts of an edited instance, and what it predicted before.

    Args:
        before: The instance before the edits.
        edits: At least one.
        classes: What the classes are called.
        old: The probability of each class before.
        new: The same after the edits.
    """
    was, now = likeliest(old), likeliest(new)
    said = f"{capitalised(edit_words(before, edits))}, the GNN"
    if was == now:
        return f"{said} still predicts {classes[now]}: {about_percent(new[now])}, before {about_percent(old[was])}."
    return (
        f"{said} predicts {classes[now]} ({about_percent(new[now])}) instead of {classes[was]} "
        f"({about_percent(old[was])})."
    )


def flip_sentence(before: Instance, found: Counterfactual) -> str:
    """What was found to change the prediction of an instance, and whether anything smaller could."""
    edits, edge = read_edits(".".join(found.edits)), before.info.vocabulary.edge
    if not edits:
        end = "no set of them does" if found.smallest else "no set that we tried does"
        return f"Removing {edge}s does not change this prediction: {end} ({found.tried:,} tried)."
    if edits[0].label:
        return f"One changed {before.info.vocabulary.node} suffices. No single removed {edge} does."
    if len(edits) == 1:
        return f"One removed {edge} suffices."
    if found.smallest:
        return f"No smaller set of {edge}s suffices: we tried all of them."
    return f"This is the smallest set found. We tried {found.tried:,} sets, but not all smaller ones."
