"""A trace in words: what its nodes are called, the answer in a sentence or two, where its flows come from.

The player names nodes in the same way (assets/player/story.js).
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from msgspec.structs import replace

from gfx_core.config import ASSETS, FlowSource
from gfx_core.text.numbers import about_percent, capitalised, listed, number_word, percent, subscript, whole_percents
from gfx_core.text.typesetting import spelled
from gfx_core.trace.schema import SAME, STUDENT, Answer, Reason, Trace, Verdict, likeliest

MAX_LENGTH = 600
_TEXTS = tomllib.loads((ASSETS / "content" / "answers.toml").read_text(encoding="utf-8"))
_ONE_OF_SEVERAL = r"\ban? "  # in the name of a part of which a molecule has several
_LONGEST = 48  # letters of a sentence or a name in a title
_LEAST_OTHER = 0.005
_MANY = 0.5  # of the samples: with less they differ
_FEW = 0.2  # with less, a prediction is not because of it
_HARDLY = 0.1  # a prediction within it above chance is hardly one
_HELPS = 0.05  # with less, a prediction hardly changes


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
    """Which prediction it is of: the data set, and a molecule's name, how the sentence begins, or a number."""
    text = spelled([node.label for node in trace.nodes]) if trace.is_sentence else trace.name
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST].rpartition(' ')[0] or text[:_LONGEST]} …"
    return f"{trace.dataset_title} “{text}”" if trace.is_sentence else f"{trace.dataset_title} {text}"


def node_names(trace: Trace) -> list[str]:
    """An atom with its number, a label or an id; of a sentence's words those that come again are numbered: the₂."""
    if not trace.is_sentence:
        return [f"{node.element}{node.id}" if node.element else node.label or str(node.id) for node in trace.nodes]
    counts: Counter[str] = Counter()
    names = []
    for node in trace.nodes:
        counts[node.label.lower()] += 1
        number = counts[node.label.lower()]
        names.append(node.label if number == 1 else node.label + subscript(number))
    return names


def reason_shares(answer: Answer, groups: Sequence[Sequence[int]] | None = None) -> list[str]:
    """The share of each reason, and last that of all other samples where it is told; they add up.

    Args:
        answer: The answer.
        groups: The numbers of reasons that are told together; by default each is told alone.
    """
    singles = [reason.share for reason in answer.reasons] + [answer.other] * (answer.other >= _LEAST_OTHER)
    rounded = whole_percents(singles)
    count = len(answer.reasons)
    every = [*(groups or [[number] for number in range(count)]), range(count, len(rounded))]
    return [about_percent(sum(rounded[number] for number in group) / 100) for group in every if group]


def similar_reasons(trace: Trace, answer: Answer) -> list[list[int]]:
    """Which reasons are one part of a molecule but for some atoms, such as N with either O of a nitro group.

    They have the same name but for some atoms, others in common or a group of which there is one, and alone they give
    the same. Where all of them are needed, none stands for another.

    Returns:
        The numbers of the reasons, those that are alike together.
    """
    groups: list[list[int]] = []
    for number, reason in enumerate(answer.reasons):
        alike = [group for group in groups if _differ_in_atoms(trace, answer.reasons[group[0]], reason)]
        if alike and answer.verdict is not Verdict.PART:
            alike[0].append(number)
        else:
            groups.append([number])
    return groups


def _differ_in_atoms(trace: Trace, first: Reason, second: Reason) -> bool:
    if not trace.nodes[trace.start].element or _kind(trace, first) != _kind(trace, second):
        return False
    nodes, others = set(first.nodes), set(second.nodes)
    return bool((nodes & others or first.name.startswith("part of the ")) and nodes - others and others - nodes)


def _kind(trace: Trace, reason: Reason) -> tuple[str, str]:
    """The name of a part of a molecule without the atoms that distinguish it, and what it gives alone."""
    return reason.name.partition(": ")[0], about_percent(reason.alone[trace.prediction.predicted])


def common_part(trace: Trace, answer: Answer) -> tuple[str, str]:
    """The part that several reasons are but for some atoms, and those: with either O0 or O2. Else nothing."""
    groups = similar_reasons(trace, answer)
    return _part_and_atoms(trace, answer, groups[0]) if len(groups) == 1 < len(answer.reasons) else ("", "")


def _part_and_atoms(trace: Trace, answer: Answer, group: Sequence[int]) -> tuple[str, str]:
    """`common_part` of some reasons that are alike, without atoms that all reasons share."""
    nodes, names = [set(reason.nodes) for reason in answer.reasons], node_names(trace)
    shared = set.intersection(*(nodes[number] for number in group))
    sets = [shared.difference(set.intersection(*nodes)), *(nodes[number] - shared for number in group)]
    where, *atoms = (listed([names[node] for node in sorted(part)], 4) for part in sets)
    name, _ = _kind(trace, answer.reasons[group[0]])
    text = f"{where} with {'either ' if len(atoms) == 2 else ''}{listed(atoms, word='or')}"
    return re.sub(_ONE_OF_SEVERAL, "one ", name, count=1), text.strip()


def any_of_a_kind(trace: Trace, answer: Answer) -> str:
    """The part of which a molecule has several, where all reasons are it: alone they are one fragment to the GNN."""
    (name, _), *others = {_kind(trace, reason) for reason in answer.reasons}
    text, found = re.subn(_ONE_OF_SEVERAL, "any ", name, count=1)
    return text if found and not others and len(similar_reasons(trace, answer)) > 1 else ""


def answer_sentence(trace: Trace, answer: Answer, plural: Sequence[bool] = ()) -> str:
    """Say why the GNN predicts what it predicts, and no more than its numbers allow.

    Args:
        trace: What was explained; its own answer is not looked at.
        answer: The reasons and their verdict; its sentence is not looked at.
        plural: Whether the name of each reason is in the plural.
    """
    predicted = trace.prediction.predicted
    if answer.verdict is Verdict.NONE and not any(
        reason.edges and likeliest(reason.alone) == predicted for reason in answer.reasons[1:]
    ):
        answer = replace(answer, reasons=answer.reasons[:1], without_all=answer.first.without)
    bare = trace.steps[0].reward.probability if trace.target is not None and trace.steps else 0.0
    pronouns = _TEXTS["pronouns"]["many" if any(plural[:1]) else "one"]
    if answer.verdict is Verdict.ENOUGH and bare >= trace.prediction.least_enough:
        name = f"{things(trace).node} {node_names(trace)[trace.start]}"
        node = replace(answer.first, name=name, alone=[bare] * len(trace.classes))
        text = _of_one(trace, answer, node, "default", pronouns)
    else:
        first = " ".join(_about_reasons(trace, answer, pronouns))
        text = " ".join([first, *_about_samples(trace, answer, pronouns["them"])])
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def _about_reasons(trace: Trace, answer: Answer, pronouns: dict[str, str]) -> Iterator[str]:
    """The sentences that the verdict and the number of reasons ask for."""
    verdict, prediction, reasons = answer.verdict, trace.prediction, answer.reasons
    enough = [prediction.is_enough(reason.alone) for reason in reasons]
    small = len(reasons) > 1 and reasons[1].share < reasons[0].share / 2
    elsewhere = verdict is Verdict.NEEDED and small and enough[0] and prediction.falls(reasons[0].without)
    if len(reasons) == 1 or verdict is Verdict.WHOLE or elsewhere:
        few = len(reasons) == 1 and verdict in (Verdict.NEEDED, Verdict.ENOUGH) and reasons[0].share < _FEW
        template = "few" if few else verdict.value
        if verdict is Verdict.NONE and reasons[0].edges:
            template = "lone" if enough[0] else "best"
        elif verdict is Verdict.NONE:
            template = "default" if enough[0] else "nothing" if trace.target is None else "node"
        yield _of_one(trace, answer, answer.first, template, pronouns)
        if elsewhere:
            others = listed([_part(trace, answer, [number]) for number in range(1, len(reasons))])
            yield f"Some samples end elsewhere: {others}."
        return
    part, any_part = common_part(trace, answer), any_of_a_kind(trace, answer)
    if verdict in (Verdict.NEEDED, Verdict.ENOUGH):
        template = f"{verdict}_{'part' if part[0] else 'any' if any_part else 'each'}" if all(enough) else "differ"
    elif verdict is Verdict.PART:
        template = "all" if all(prediction.falls(reason.without) for reason in reasons) else "part"
    else:
        template = "none"
    yield _of_several(trace, answer, template, pronouns, part, any_part)


def _of_one(trace: Trace, answer: Answer, reason: Reason, template: str, pronouns: dict[str, str]) -> str:
    without = _without(trace, reason.without, pronouns["them"])
    return str(_TEXTS["one"][template]).format(
        **pronouns,
        opening=_opening(trace),
        name=reason.name,
        Name=capitalised(reason.name),
        edge=things(trace).edge,
        alone=about_percent(reason.alone[trace.prediction.predicted]),
        without=without,
        Without=capitalised(without),
        tail=_tail(trace, answer, pronouns["it"]),
    )


def _of_several(
    trace: Trace, answer: Answer, template: str, pronouns: dict[str, str], common: tuple[str, str], any_part: str
) -> str:
    groups, shares = similar_reasons(trace, answer), reason_shares(answer)
    number = number_word(len(groups) if len(groups) > 1 else len(answer.reasons))
    every = "these" if any_part else "both" if number == "two" else f"all {number}"
    ends = []
    for group in groups:
        lone = answer.reasons[group[0]].name.partition(": ")[2]
        atoms = lone if len(group) == 1 else _part_and_atoms(trace, answer, group)[1]
        ends.append(f"{atoms} ({listed([shares[at] for at in group])})")
    return str(_TEXTS["several"][template]).format(
        **pronouns,
        opening=_opening(trace),
        part=common[0],
        Part=capitalised(common[0]),
        atoms=common[1],
        Any=capitalised(any_part),
        ends=listed(ends),
        number=number,
        count=capitalised(number),
        alone=about_percent(answer.first.alone[trace.prediction.predicted]),
        shares=listed(shares[: len(answer.reasons)]),
        parts=listed([_part(trace, answer, group) for group in groups]),
        are=pronouns["is"] if common[0] else "are",
        Without=capitalised(_without(trace, answer.without_all, every)),
        tail=_tail(trace, answer, "they" if template.startswith("enough") else ""),
    )


def _opening(trace: Trace) -> str:
    prediction = trace.prediction
    hardly = ", hardly more than chance" if prediction.probability < prediction.chance + _HARDLY else ""
    name = trace.classes[prediction.predicted]
    return f"The GNN predicts {name} ({about_percent(prediction.probability)}{hardly})"


def _part(trace: Trace, answer: Answer, group: Sequence[int]) -> str:
    """One reason with its numbers, or some that are alike."""
    reason, shares = answer.reasons[group[0]], reason_shares(answer)
    name = reason.name if len(group) == 1 else ", ".join(_part_and_atoms(trace, answer, group))
    alone = about_percent(reason.alone[trace.prediction.predicted])
    return f"{name} ({listed([shares[at] for at in group])} of samples agree, alone {alone})"


def _without(trace: Trace, probabilities: Sequence[float], part: str) -> str:
    """The prediction without some part: another class, less of the same, or the same."""
    predicted, top = trace.prediction.predicted, likeliest(probabilities)
    share, most = about_percent(probabilities[predicted]), about_percent(probabilities[top])
    if top != predicted:
        template = "undecided" if share == most else "other"
    elif probabilities[predicted] > trace.prediction.probability + SAME:
        template = "surer"
    else:
        template = "weaker" if trace.prediction.falls(probabilities) else "same"
    name = trace.classes[predicted]
    values = {"class": name, "same": f"{name} ({share})", "top": f"{trace.classes[top]} ({most})"}
    both = listed([name, trace.classes[top]])
    return str(_TEXTS["without"][template]).format(part=part, share=share, both=both, **values)


def _tail(trace: Trace, answer: Answer, it: str) -> str:
    """What follows if the GNN keeps its class without the reasons.

    Args:
        trace: What was explained.
        answer: The reasons.
        it: What to call the reasons where they are enough; empty where they are not.
    """
    prediction, target, node = trace.prediction, trace.target, things(trace).node
    left = [edge for at, edge in enumerate(trace.edges) if at not in answer.edges]
    if not any(target in (None, edge.source, edge.target) for edge in left):  # at the explained node, or at all
        where = "" if target is None else f" at {node} {node_names(trace)[target]}"
        if not prediction.falls(answer.without_all):
            return f", though no {things(trace).edge} is left{where}: it needs none"
        if likeliest(answer.without_all) == prediction.predicted:
            return f", with no {things(trace).edge} left{where}"
    lost = prediction.probability - answer.without_all[prediction.predicted]
    if not it:
        return ""
    if answer.without_all[prediction.predicted] > prediction.probability + SAME:
        return ", so other parts support it more"
    helps, is_not = ("helps", "is not") if it == "it" else ("help", "are not")
    return f": {it} {helps}, but {is_not} needed" if lost >= _HELPS else f": {it} {is_not} needed"


def _about_samples(trace: Trace, answer: Answer, them: str) -> Iterator[str]:
    """How many samples the reasons stand for, and what the GNN itself gives where a student judged them."""
    if answer.verdict is Verdict.WHOLE:
        return
    first, single, student = answer.first, len(answer.reasons) == 1, trace.made.get(STUDENT)
    share = about_percent(first.share)
    samples = "All samples" if first.share == 1 and not answer.exact else f"{capitalised(share)} of samples"
    if not single:
        if answer.other >= _LEAST_OTHER:
            same = ", most of them the same part at other atoms" if _elsewhere(trace, answer) else ""
            yield f"Other samples: {reason_shares(answer)[-1]}{same}."
    elif not first.edges:
        if trace.target is not None:
            yield f"{samples} are this {things(trace).node} alone."
    elif first.share < _MANY:
        yield f"The samples differ: only {share} agree with {them}."
    else:
        yield f"{samples} agree with {them}."
    if student is not None:
        alone = about_percent(student["given_alone"][trace.prediction.predicted])
        yield f"A student judged the parts; the GNN itself gives {'it' if single else 'the first'} alone {alone}."


def _elsewhere(trace: Trace, answer: Answer) -> bool:
    """Whether most samples that no reason stands for are one of these again, at other atoms of a molecule.

    The same atoms with the same reward are the same part: there are six halves of nitro groups in TNT.
    """
    reasons = [set(reason.nodes) for reason in answer.reasons]
    counts: dict[bool, Counter[tuple[str, float]]] = {True: Counter(), False: Counter()}
    for sample in trace.samples:
        elements = " ".join(sorted(trace.nodes[node].element or "" for node in sample.nodes))
        counts[set(sample.nodes) in reasons][elements, round(sample.log_reward, 3)] += sample.count
    again = sum(count for kind, count in counts[False].items() if kind in counts[True])
    return bool(trace.nodes[trace.start].element) and 2 * again > answer.other * trace.num_drawn


def what_may_help(trace: Trace) -> str:
    """What to try where the answer explains nothing; empty where it does."""
    if trace.answer is None or trace.answer.explains:
        return ""
    config = trace.made.get("config", {})
    price = config.get("reward", {}).get("nodes", 0)
    tries = [f"a lower price per node than {price:g}"] if price else []
    tries += ["exact flows"] if trace.flows is FlowSource.LEARNED else []
    tries += ["What if, which removes what you click"]
    return f"You can try {listed(tries, word='or')}."


def start_words(trace: Trace) -> str:
    """The node that a trajectory starts at: a word is quoted."""
    name = node_names(trace)[trace.start]
    return f"the word “{name}”" if trace.is_sentence else f"the start {things(trace).node} {name}"


def of_start(trace: Trace) -> str:
    """Which subgraphs were listed of a whole graph: samples start anywhere in it, flows are those of one start node."""
    return "" if trace.target is not None else f" that contain {start_words(trace)}"


def flow_words(trace: Trace) -> str:
    """Where the flows come from, and what is known of their error.

    There is one distance from R/Z, the total variation over all states. Where they are too many to be listed it is not
    known, and the residuals on the way are all that can be told.
    """
    facts = []
    residuals = trace.residuals
    if residuals:
        facts.append(f"largest residual on the way {max(residuals):.2g}")
    if trace.total_variation is not None:
        among = (
            f" among subgraphs{of_start(trace)}" if trace.flows is FlowSource.LEARNED and trace.target is None else ""
        )
        facts.append(f"total variation from R/Z {trace.total_variation:.2g}{among}")
    elif residuals:
        facts.append(f"mean {fmean(residuals):.2g}; the distance from R/Z is not known, too many subgraphs to list")
    known = ", ".join(facts)
    if trace.flows is FlowSource.EXACT:
        count = "" if trace.num_states_exact is None else f"{trace.num_states_exact:,} "
        source = f"Exact flows, computed from all {count}connected subgraphs{of_start(trace)}"
    else:
        source = "Learned flows"
    return f"{source}: {known}." if known else f"{source}."


def note(name: str, **values: object) -> str:
    """A note on where an answer comes from, of ``assets/content/answers.toml``."""
    return str(_TEXTS["notes"][name]).format(**values)


def truth_words(trace: Trace, accuracy: float | None = None) -> str:
    """Whether the GNN is right; where the truth is not known, how often it is right.

    Args:
        trace: What is explained.
        accuracy: Its share of right predictions on unseen data, if it is known.
    """
    true, predicted = trace.prediction.true, trace.prediction.predicted
    if true is not None:
        return "That is correct." if true == predicted else f"The truth is “{trace.classes[true]}”."
    if accuracy is None:
        return ""
    return f"On unseen {things(trace).instance}s it is right in {percent(accuracy)} of cases."


def typed_prediction(trace: Trace, accuracy: float | None = None) -> str:
    """What the GNN predicts of something that somebody typed, and what that is worth; the class is set off."""
    prediction = trace.prediction
    share, name = about_percent(prediction.probability), trace.classes[prediction.predicted]
    says = f"GNN predicts **{name}** ({share}). {truth_words(trace, accuracy)}"
    return f"Read as a film review: the {says}" if trace.is_sentence else f"The {says} Do not rely on it for safety."


def counted_truth(trace: Trace) -> str:
    """How many edges of the true motif the trajectory's end contains; nothing where none is known."""
    if not trace.has_truth:
        return ""
    inside = [trace.edges[edge].in_motif for edge in trace.final.edges]
    hits, extra = inside.count(True), inside.count(False)
    missed = [edge.in_motif for edge in trace.edges].count(True) - hits
    return f"motif {things(trace).edge}s found {hits}, missed {missed}, extra {extra}"


def summary(trace: Trace) -> list[str]:
    """A trace in a few lines, as the command line prints it.

    The answer and what to know of it, where the trajectory shown in full ends, how that compares with what is true, and
    the flows.
    """
    final, says = trace.final, trace.classes[trace.prediction.predicted]
    labels = ", ".join(trace.nodes[node].label for node in final.nodes)
    truth = counted_truth(trace) or (
        f"No true reason is known here, so we do not count found and missed {things(trace).edge}s."
    )
    return [
        *([] if trace.answer is None else [trace.answer.sentence]),
        *filter(None, [what_may_help(trace)]),
        *trace.notes,
        f"{trace_title(trace)}: {says}",
        f"subgraph: {labels}  log R {final.log_reward:.3f}",
        truth,
        flow_words(trace),
    ]
