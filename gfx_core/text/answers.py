"""A trace in words: names of its nodes, the answer in a sentence or two, where its flows come from."""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from msgspec.structs import replace

from gfx_core.config import FlowSource, read_content
from gfx_core.datasets.sentences import spelled
from gfx_core.text.numbers import about_percent, capitalised, listed, number_word, percent, subscript, whole_percents
from gfx_core.trace.schema import SAME, STUDENT, Answer, Reason, Trace, Verdict, likeliest

MAX_LENGTH = 600
_TEXTS = read_content("answers")
_NUMBER = re.compile(r"⟨(.*?)\|(.*?)⟩")  # the words for one and for several
_ARTICLE = re.compile(r"\ban? ")  # in the name of a part of which a molecule has several
_LONGEST = 48  # letters of a sentence or a name in a title
_LEAST_OTHER = 0.005
_MANY = 0.5  # of the samples: with less they differ
_FEW = 0.2  # with less, a prediction is not because of it
_HARDLY = 0.1  # a prediction within it above chance is hardly one
_HELPS = 0.05  # with less, a prediction hardly changes


class Things(NamedTuple):
    """Nouns for what a trace explains, and for its nodes and edges."""

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
    """The data set, and a molecule's name, the beginning of a sentence, or a number."""
    text = spelled([node.label for node in trace.nodes]) if trace.is_sentence else trace.name
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST].rpartition(' ')[0] or text[:_LONGEST]} …"
    return f"{trace.dataset_title} “{text}”" if trace.is_sentence else f"{trace.dataset_title} {text}"


def node_names(trace: Trace) -> list[str]:
    """An atom with its number, a label or an id; of a sentence's words those that come again are numbered: the₂."""
    if not trace.is_sentence:
        return [f"{node.element}{node.id}" if node.element else node.label or str(node.id) for node in trace.nodes]
    counts, names = Counter[str](), []
    for node in trace.nodes:
        counts[node.label.lower()] += 1
        times = counts[node.label.lower()]
        names.append(node.label + (subscript(times) if times > 1 else ""))
    return names


def reason_shares(answer: Answer) -> list[str]:
    """The share of each reason, and last that of all other samples where it is large enough; they add up."""
    return [about_percent(share / 100) for share in _rounded_shares(answer)]


def _rounded_shares(answer: Answer) -> list[int]:
    shares = [reason.share for reason in answer.reasons]
    return whole_percents([*shares, answer.other] if answer.other >= _LEAST_OTHER else shares)


def reason_nouns(trace: Trace) -> list[str]:
    """What each reason is called: what explains nothing, is not enough alone or may not be needed, is only a part."""
    answer = trace.answer
    explains = answer is not None and answer.verdict not in (Verdict.NONE, Verdict.ENOUGH, Verdict.UNDECIDED)
    return ["reason" if explains and trace.prediction.is_enough(reason.alone) else "part" for reason in trace.reasons]


class ReasonGroup(NamedTuple):
    """A reason, or several that are one part of a molecule but for some atoms: N with either O of a nitro group.

    Attributes:
        name: "one nitro group, N0 with either O1 or O2": its kind and its atoms.
        kind: Without what distinguishes it from other reasons.
        atoms: What distinguishes it; empty where its kind suffices.
        alone: The probability that the GNN gives it alone.
        share: The share of the samples that agree with it.
        shares: That of each reason.
    """

    name: str
    kind: str
    atoms: str
    alone: str
    share: str
    shares: str

    def __str__(self) -> str:
        return f"{self.name} ({self.shares} of samples agree, alone {self.alone})"


def reason_groups(trace: Trace, answer: Answer) -> list[ReasonGroup]:
    """The reasons of an answer, those together that are alike.

    They have the same name but for some atoms, others in common or a group of which there is one, and alone they give
    the same. Where all of them are needed, none replaces another.
    """
    groups: list[list[int]] = []
    for number, reason in enumerate(answer.reasons):
        alike = [group for group in groups if _are_alike(trace, answer.reasons[group[0]], reason)]
        if alike and answer.verdict is not Verdict.PART:
            alike[0].append(number)
        else:
            groups.append([number])
    return [_group(trace, answer, group) for group in groups]


def _are_alike(trace: Trace, first: Reason, second: Reason) -> bool:
    common = len(set(first.nodes) & set(second.nodes))
    return (
        trace.nodes[trace.start].element is not None
        and _kind(trace, first) == _kind(trace, second)
        and (common > 0 or first.name.startswith("part of the "))
        and common < min(len(first.nodes), len(second.nodes))
    )


def _kind(trace: Trace, reason: Reason) -> tuple[str, str]:
    return reason.name.partition(": ")[0], about_percent(reason.alone[trace.prediction.predicted])


def _group(trace: Trace, answer: Answer, numbers: Sequence[int]) -> ReasonGroup:
    names, nodes = node_names(trace), [set(reason.nodes) for reason in answer.reasons]
    name = answer.reasons[numbers[0]].name
    kind, alone = _kind(trace, answer.reasons[numbers[0]])
    atoms = name.partition(": ")[2]
    if len(numbers) > 1:
        shared = nodes[numbers[0]].intersection(*(nodes[number] for number in numbers))
        sets = [shared.difference(nodes[0].intersection(*nodes)), *(nodes[number] - shared for number in numbers)]
        where, *ends = (listed([names[node] for node in sorted(part)], 4) for part in sets)
        kind = _ARTICLE.sub("one ", kind, count=1)
        atoms = f"{where} with {'either ' if len(ends) == 2 else ''}{listed(ends, word='or')}".strip()
        name = f"{kind}, {atoms}"
    shares = [_rounded_shares(answer)[number] / 100 for number in numbers]
    return ReasonGroup(name, kind, atoms, alone, about_percent(sum(shares)), listed([*map(about_percent, shares)]))


def answer_sentence(trace: Trace, answer: Answer, plural: bool = False) -> str:
    """Why the GNN predicts what it predicts, and no more than its numbers allow.

    Args:
        trace: The trace; its own answer is not read.
        answer: The reasons and their verdict; its sentence is not read.
        plural: Whether the name of the first reason is in the plural.
    """
    predicted = trace.prediction.predicted
    if answer.verdict is Verdict.NONE and not any(
        reason.edges and likeliest(reason.alone) == predicted for reason in answer.reasons[1:]
    ):
        answer = replace(answer, reasons=answer.reasons[:1], without_all=answer.first.without)
    facts = _facts(trace, answer)

    def text(kind: str) -> str:
        return next(text for conditions, text in _TEXTS[kind].items() if facts.issuperset(conditions.split()))

    template = text("answers").replace("{tail}", text("tails")) + text("samples") + text("students")
    sentence = _NUMBER.sub(r"\2" if plural else r"\1", template.format(**_values(trace, answer)))
    return sentence if len(sentence) <= MAX_LENGTH else sentence[: MAX_LENGTH - 1] + "…"


def _facts(trace: Trace, answer: Answer) -> set[str]:
    """The conditions of answers.toml that hold."""
    prediction, reasons, without = trace.prediction, answer.reasons, answer.without_all
    first, enough = answer.first, [prediction.is_enough(reason.alone) for reason in reasons]
    rest = [edge for number, edge in enumerate(trace.edges) if number not in answer.edges]
    lost = prediction.probability - without[prediction.predicted]
    conditions = {
        answer.verdict: True,
        "one": len(reasons) == 1,
        "graph": trace.target is None,
        "bare": trace.target is not None and trace.steps[0].reward.probability >= prediction.least_enough,
        "edges": first.edges,
        "first-enough": enough[0],
        "all-enough": all(enough),
        "first-falls": prediction.falls(first.without),
        "all-fall": all(prediction.falls(reason.without) for reason in reasons),
        "one-part": len(reason_groups(trace, answer)) == 1,
        "rare": first.share < _FEW,
        "differ": first.share < _MANY,
        "unanimous": first.share == 1 and not answer.exact,
        "others-small": any(reason.share < first.share / 2 for reason in reasons[1:2]),
        "others": len(reasons) > 1 and answer.other >= _LEAST_OTHER,
        "student": STUDENT in trace.made,
        "none-left": not any(trace.target in (None, edge.source, edge.target) for edge in rest),
        "stays": not prediction.falls(without),
        "kept": likeliest(without) == prediction.predicted,
        "gained": lost < -SAME,
        "helps": lost >= _HELPS,
    }
    return {name for name, holds in conditions.items() if holds}


def _values(trace: Trace, answer: Answer) -> dict[str, str]:
    """Values for the sentences of answers.toml; under capitalised names they are capitalised, too."""
    prediction, reasons, groups = trace.prediction, answer.reasons, reason_groups(trace, answer)
    first, predicted = groups[0], prediction.predicted
    hardly = ", hardly more than chance" if prediction.probability < prediction.chance + _HARDLY else ""
    number = number_word(len(groups) if len(groups) > 1 else len(reasons))
    every = "both" if number == "two" else f"all {number}"
    student = trace.made.get(STUDENT, {}).get("given_alone", prediction.probabilities)
    values = {
        "opening": f"The GNN predicts {trace.classes[predicted]} ({about_percent(prediction.probability)}{hardly})",
        "name": answer.first.name,
        "alone": first.alone,
        "without": _without(trace, answer.first.without, "⟨it|them⟩"),
        "part": first.kind,
        "atoms": first.atoms,
        "number": number,
        "shares": first.shares,
        "parts": listed([*map(str, groups)]),
        "others": listed([str(_group(trace, answer, [number])) for number in range(1, len(reasons))]),
        "without_all": _without(trace, answer.without_all, every),
        "share": about_percent(answer.first.share),
        "other": reason_shares(answer)[-1],
        "student": about_percent(student[predicted]),
        "start": node_names(trace)[trace.start],
        "bare": about_percent(trace.steps[0].reward.probability),
        **things(trace)._asdict(),
    }
    return values | {key.capitalize(): capitalised(text) for key, text in values.items()}


def _without(trace: Trace, probabilities: Sequence[float], part: str) -> str:
    """The prediction without some part: another class, less of the same, or the same."""
    predicted, top = trace.prediction.predicted, likeliest(probabilities)
    share, most = about_percent(probabilities[predicted]), about_percent(probabilities[top])
    name, other = trace.classes[predicted], trace.classes[top]
    if top != predicted and share == most:
        return f"without {part} the GNN is undecided between {name} and {other} ({share} each)"
    if top != predicted:
        return f"without {part} the GNN predicts {other} ({most})"
    if probabilities[predicted] > trace.prediction.probability + SAME:
        return f"without {part} the GNN is even surer: {name} ({share})"
    if trace.prediction.falls(probabilities):
        return f"without {part} the GNN still predicts {name}, at only {share}"
    return f"without {part} the GNN still predicts {name} ({share})"


def what_may_help(trace: Trace) -> str:
    """What to try where the answer explains nothing; empty where it does."""
    if trace.answer is None or trace.answer.explains:
        return ""
    price = trace.made.get("config", {}).get("reward", {}).get("nodes", 0)
    tries = [
        f"a lower price per node than {price:g}" if price else "",
        "exact flows" if trace.flows is not FlowSource.EXACT else "",
        "What if, which removes what you click",
    ]
    return f"You can try {listed([*filter(None, tries)], word='or')}."


def flow_words(trace: Trace) -> str:
    """Where the flows come from, and how far they are from the exact ones.

    There is one distance from R/Z, the total variation over all states. Where they are too many to be listed, only the
    residuals on the way are known. Samples of a whole graph start anywhere in it, flows are those of one start node.
    """
    residuals, source, where = trace.residuals, f"{trace.flows.capitalize()} flows", ""
    if trace.target is None:
        where = f" that contain the start {things(trace).node} {node_names(trace)[trace.start]}"
    if trace.flows is FlowSource.EXACT:
        source += f", computed from all connected subgraphs{where}"
        source += "" if trace.num_states_exact is None else f", {trace.num_states_exact:,} of them"
    facts = [f"largest residual on the way {max(residuals):.2g}"] if residuals else []
    if trace.total_variation is not None:
        among = f" among subgraphs{where}" if where else ""
        facts.append(f"total variation from R/Z {trace.total_variation:.2g}{among}")
    elif residuals:
        facts.append(f"mean {fmean(residuals):.2g}; the distance from R/Z is not known, too many subgraphs to list")
    return f"{': '.join(filter(None, [source, ', '.join(facts)]))}."


def note(name: str, **values: object) -> str:
    """A note on where an answer comes from, of ``assets/content/answers.toml``."""
    return str(_TEXTS["notes"][name]).format(**values)


def truth_words(trace: Trace, accuracy: float | None = None) -> str:
    """Whether the GNN is right; where the truth is not known, how often it is right.

    Args:
        trace: The trace.
        accuracy: The GNN's share of right predictions on unseen data, if it is known.
    """
    true, predicted = trace.prediction.true, trace.prediction.predicted
    if true is not None:
        return "That is correct." if true == predicted else f"The truth is “{trace.classes[true]}”."
    if accuracy is None:
        return ""
    return f"On unseen {things(trace).instance}s it is right in {percent(accuracy)} of cases."


def prediction_words(trace: Trace) -> str:
    """What the GNN predicts, and whether that is wrong."""
    prediction = trace.prediction
    predicted = f"{trace.classes[prediction.predicted]} ({about_percent(prediction.probability)})"
    if prediction.true in (None, prediction.predicted):
        return predicted
    return f"{predicted}, which is wrong: it is {trace.classes[prediction.true]}"


def typed_prediction(trace: Trace, accuracy: float | None = None) -> str:
    """The prediction for a typed molecule or sentence, and how far to rely on it; the class is set off."""
    prediction = trace.prediction
    share, name = about_percent(prediction.probability), trace.classes[prediction.predicted]
    words = f"GNN predicts **{name}** ({share}). {truth_words(trace, accuracy)}"
    return f"Read as a film review: the {words}" if trace.is_sentence else f"The {words} Do not rely on it for safety."


def motif_counts(trace: Trace, edges: Sequence[int]) -> tuple[int, int, int]:
    """How many edges of a subgraph are in the true motif, how many of the motif it lacks, and how many are others."""
    motif = {number for number, edge in enumerate(trace.edges) if edge.in_motif}
    return len(motif.intersection(edges)), len(motif.difference(edges)), len(set(edges) - motif)


def counted_truth(trace: Trace, edges: Sequence[int]) -> str:
    """How many edges of the true motif a subgraph contains; nothing where none is known."""
    hit, missed, extra = motif_counts(trace, edges)
    return f"{hit} of {hit + missed} motif {things(trace).edge}s found, {extra} extra" if hit + missed else ""


def summary(trace: Trace) -> list[str]:
    """A trace in a few lines, as the command line prints it.

    The answer and what to know of it, where the trajectory shown in full ends, how that compares with what is true, and
    the flows.
    """
    final = trace.final
    unknown = f"No true reason is known here, so we do not count found and missed {things(trace).edge}s."
    lines = [
        trace.answer.sentence if trace.answer else "",
        what_may_help(trace),
        *trace.notes,
        f"{trace_title(trace)}: {trace.classes[trace.prediction.predicted]}",
        f"subgraph: {', '.join(trace.nodes[node].label for node in final.nodes)}  log R {final.log_reward:.3f}",
        counted_truth(trace, final.edges) or unknown,
        flow_words(trace),
    ]
    return [*filter(None, lines)]
