"""Data sets and instances in words: counts, the true reason of a prediction, edits, the rules of a class."""

from collections.abc import Collection, Mapping, Sequence

from gfx_core.config import Task
from gfx_core.datasets.edits import Counterfactual, Edit, node_name, read_edits
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.text.numbers import about_percent, capitalised, counted, listed, plural
from gfx_core.trace.schema import likeliest


def statistics_line(info: DatasetInfo, statistics: Mapping[str, int]) -> str:
    """The counts of a data set in one line."""
    graphs, nodes, classes = statistics["graphs"], statistics["nodes"], statistics["classes"]
    size = f"{counted(nodes, 'node')} · {counted(statistics['edges'], 'edge')}"
    if info.task is Task.GRAPH:
        about = "about " if nodes % graphs else ""
        size = f"{counted(graphs, 'graph')} of {about}{counted(round(nodes / graphs), 'node')}"
    motifs = f" · {counted(statistics['motifs'], info.vocabulary.motif)}" if info.knows_reasons else ""
    return f"{size} · {counted(classes, 'class') if classes > 1 else 'no classes'}{motifs}"


def own_motif(instance: Instance) -> tuple[str, int, bool]:
    """The name of the instance's own motif, how many of its edges are in view, and whether these are all."""
    info, edges = instance.info, int(instance.own_edges[instance.undirected].sum())
    if info.labelled:  # a molecule may have several
        return f"{info.motif_names} {plural(info.vocabulary.motif)}", edges, True
    names = [kind.name for kind in info.motifs if len(kind.edges) == edges]
    return [*names, info.motif_names][0], edges, bool(names) or not info.motifs


def reason(instance: Instance) -> str:
    """What an explanation of this instance should find."""
    info, words = instance.info, instance.info.vocabulary
    name, edges, whole = own_motif(instance)
    if not info.knows_reasons:
        return "not known; we can compare an explanation only with the GNN's predictions."
    if edges:
        rest = "." if whole else "; the rest of it is too far for the GNN to see."
        return f"{'' if info.labelled else 'the '}{name} ({counted(edges, words.edge)}, drawn thick){rest}"
    if info.labelled:
        return f"no {info.motif_names} {words.motif} is in this {words.instance}."
    if not info.motifs and (instance.motif < 0).all():
        return "not known: no motifs are marked here."
    return "none, this node is in no motif." if instance.target is not None else "no motif is in this graph."


_MOST_SHARED = 2  # attributes that are named
_RARE = 0.5  # of the other nodes: a value that more of them have is not worth naming


def shared_note(instance: Instance, nodes: Collection[int]) -> str:
    """Which values of their attributes all nodes of a part share, and few other nodes in view; empty if none."""
    attributes = [set(pairs) for pairs in instance.node_attributes]
    others = [pairs for node, pairs in enumerate(attributes) if node not in nodes]
    if len(nodes) < 2 or not others:
        return ""
    common = set.intersection(*(attributes[node] for node in nodes))
    shares = sorted((sum(pair in pairs for pairs in others) / len(others), *pair) for pair in common if pair[1])
    words = listed(
        [
            f"{name} “{value}” ({about_percent(share) if share else 'none'} of the other nodes)"
            for share, name, value in shares[:_MOST_SHARED]
            if share <= _RARE
        ]
    )
    return f"All its {len(nodes)} nodes have {words}." if words else ""


_MOST_UNSEEN = 4  # words that are named
DISTRUST = "Do not trust this prediction."
"""How a note ends that is a warning."""


def unseen_note(words: Sequence[str], unseen: Sequence[str]) -> str:
    """How many words of a sentence its GNN was never trained on; empty if there are none."""
    if not unseen:
        return ""
    different = [f"“{word}”" for word in dict.fromkeys(unseen)]
    share = f"{len(unseen)} of {counted(len(words), 'word')}"
    sentence = f"The training set lacks {share}: {listed(different, _MOST_UNSEEN)}. The GNN knows their letters alone."
    return sentence if 2 * len(unseen) < len(words) else f"{sentence} {DISTRUST}"


_NAMED = 3  # edits of one kind, or rules, that are named one by one


def edit_words(before: Instance, edits: Sequence[Edit]) -> str:
    """What was changed of an instance: “without the edge 541–542 and with a new edge 3–9”."""
    local, words = {int(node): at for at, node in enumerate(before.nodes)}, before.info.vocabulary
    quoted = "“{}”" if before.is_sentence else "{}"

    def name(node: int) -> str:
        return node_name(before, local[node]) if node in local else str(node)  # it came into sight by an edit

    def change(edit: Edit) -> str:
        if edit.other is not None:
            return f"{'with a new' if edit.added else 'without the'} {words.edge} {name(edit.node)}–{name(edit.other)}"
        if edit.label:
            return f"with {quoted.format(edit.label)} in place of {name(edit.node)}"
        return f"without the {words.node} {name(edit.node)}"

    return listed([change(edit) for edit in edits], _NAMED + 1)


def edited_note(before: Instance, edits: Sequence[Edit]) -> str:
    """That an explanation is of an edited instance."""
    what = "graph" if before.target is not None else before.info.vocabulary.instance
    return f"This explains an edited {what}: {edit_words(before, edits)}."


def what_if_sentence(
    before: Instance, edits: Sequence[Edit], classes: Sequence[str], old: Sequence[float], new: Sequence[float]
) -> str:
    """The GNN's prediction for an edited instance, and the one before.

    Args:
        before: The instance before the edits.
        edits: At least one.
        classes: Names of the classes.
        old: The probability of each class before.
        new: The probability of each class after the edits.
    """
    was, now = likeliest(old), likeliest(new)
    before_edits, after = about_percent(old[was]), about_percent(new[now])
    sentence = f"{capitalised(edit_words(before, edits))}, the GNN"
    if was == now:
        return f"{sentence} still predicts {classes[now]}: {after}, before {before_edits}."
    return f"{sentence} predicts {classes[now]} ({after}) instead of {classes[was]} ({before_edits})."


def flip_sentence(before: Instance, flip: Counterfactual) -> str:
    """The edits that change the prediction of an instance, and whether a smaller set could."""
    edits, edge = read_edits(".".join(flip.edits)), before.info.vocabulary.edge
    if not edits:
        end = "no set of them does" if flip.smallest else "no set that we tried does"
        return f"Removing {edge}s does not change this prediction: {end} ({flip.tried:,} tried)."
    if edits[0].label:
        return f"One changed {before.info.vocabulary.node} suffices. No single removed {edge} does."
    if len(edits) == 1:
        return f"One removed {edge} suffices."
    if flip.smallest:
        return f"No smaller set of {edge}s suffices: we tried all of them."
    return f"This is the smallest set found. We tried {counted(flip.tried, 'set')}, but not all smaller ones."


def class_sentence(prediction: str, noun: str, counts: Sequence[tuple[str, int]], predicted: int, failed: int) -> str:
    """Of 180 nodes predicted cycle, 98 % are explained by a ring of six, 2 % by a path of three.

    Each share is rounded by itself, as on the card of its rule.

    Args:
        prediction: The class.
        noun: Of an instance.
        counts: Each rule's name and how many predictions it explains, most first; no name where no small part does.
        predicted: Predictions of the class.
        failed: Those that could not be explained for another reason.
    """
    total = sum(count for _, count in counts)
    if not total and failed:
        return f"None of {counted(failed, noun)} predicted {prediction} can be explained."
    if not total:
        return f"The GNN predicts {prediction} for no {noun}."

    def share(count: int) -> str:
        return "all" if count == total else about_percent(count / total)

    rules = [(name, count) for name, count in counts if name]
    if len(rules) > _NAMED + 1:
        rest = [count for _, count in rules[_NAMED:]]
        rules[_NAMED:] = [(f"{len(rest)} other rules", sum(rest))]
    clauses = [", ".join(f"{share(count)} by {name}" for name, count in rules).replace(" by", " are explained by", 1)]
    if unexplained := total - sum(count for _, count in rules):
        clauses.append(f"for {share(unexplained)} we found no small part")
    sample = f" (a random sample of {predicted:,})" if total + failed < predicted else ""
    return f"Of {counted(total, noun)} predicted {prediction}{sample}, {'; '.join(filter(None, clauses))}."


def mistake_sentence(true: str, prediction: str, noun: str, rule: str, count: int) -> str:
    """2 nodes of class house top are predicted house middle by a triangle. No rule: no small part explains it."""
    by = f"by {rule}" if rule else "and no small part explains it"
    return f"{counted(count, noun)} of class {true} {'is' if count == 1 else 'are'} predicted {prediction} {by}."
