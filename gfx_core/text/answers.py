"""A trace in words: what its nodes are called, the answer in a sentence or two, where its flows come from.

The player names nodes in the same way (assets/player/story.js).
"""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from msgspec.structs import replace

from gfx_core.config import FlowSource
from gfx_core.text.numbers import about_percent, capitalised, listed, percent, subscript, whole_percents
from gfx_core.text.typesetting import spelled
from gfx_core.trace.schema import SAME, STUDENT, Answer, Reason, SampledSubgraph, Trace, Verdict, likeliest

_ONE_OF_SEVERAL = r"\ban? "  # in the name of a part of which a molecule has several
_LONGEST = 48  # letters of a sentence or a name in a title


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
    predicted, needed, groups = trace.prediction.predicted, answer.verdict is Verdict.PART, list[list[int]]()
    for number, reason in enumerate(answer.reasons):
        for group in groups:
            first = answer.reasons[group[0]]
            one, other = set(first.nodes), set(reason.nodes)
            alone = {about_percent(each.alone[predicted]) for each in (first, reason)}
            together = one & other or _kind(reason).startswith("part of the ")
            apart = one - other and other - one and trace.nodes[trace.start].element and not needed
            if together and apart and len(alone) == 1 and _kind(first) == _kind(reason):
                group.append(number)
                break
        else:
            groups.append([number])
    return groups


def _kind(reason: Reason) -> str:
    """The name of a part of a molecule without the atoms that tell it from others of that name."""
    return reason.name.partition(": ")[0]


def common_part(trace: Trace, answer: Answer) -> tuple[str, str]:
    """The part that several reasons are but for some atoms, and those: with either O0 or O2. Else nothing."""
    groups = similar_reasons(trace, answer)
    return _part_and_atoms(trace, answer, groups[0]) if len(groups) == 1 < len(answer.reasons) else ("", "")


def _part_and_atoms(trace: Trace, answer: Answer, group: Sequence[int]) -> tuple[str, str]:
    """The same of some reasons that are alike; atoms that all reasons share are not told."""
    nodes: list[set[int]] = [set(reason.nodes) for reason in answer.reasons]
    names = node_names(trace)
    shared = set.intersection(*(nodes[number] for number in group))
    where, *atoms = (
        listed([names[node] for node in sorted(some)], 4)
        for some in (shared - nodes[0].intersection(*nodes), *(nodes[number] - shared for number in group))
    )
    part = re.sub(_ONE_OF_SEVERAL, "one ", _kind(answer.reasons[group[0]]), count=1)
    return part, f"{where} with {'either ' if len(atoms) == 2 else ''}{listed(atoms, word='or')}".strip()


def any_of_a_kind(trace: Trace, answer: Answer) -> str:
    """The part of which a molecule has several, where all reasons are it: alone they are one fragment to the GNN."""
    kinds = {(_kind(each), about_percent(each.alone[trace.prediction.predicted])) for each in answer.reasons}
    [(kind, _), *others] = kinds
    if others or len(similar_reasons(trace, answer)) == 1 or not re.search(_ONE_OF_SEVERAL, kind):
        return ""
    return re.sub(_ONE_OF_SEVERAL, "any ", kind, count=1)


def _elsewhere(trace: Trace, answer: Answer) -> bool:
    """Whether most samples that no reason tells of are one of these again, at other atoms of a molecule.

    The same atoms with the same reward are the same part: there are six halves of nitro groups in TNT.
    """
    if not trace.nodes[trace.start].element:
        return False
    known = {frozenset(reason.nodes) for reason in answer.reasons}

    def kind(sample: SampledSubgraph) -> tuple[tuple[str, ...], float]:
        return tuple(sorted(trace.nodes[node].element or "" for node in sample.nodes)), round(sample.log_reward, 3)

    kinds = {kind(sample) for sample in trace.samples if frozenset(sample.nodes) in known}
    again = [each for each in trace.samples if kind(each) in kinds and frozenset(each.nodes) not in known]
    return 2 * sum(each.count for each in again) > answer.other * sum(each.count for each in trace.samples)


MAX_LENGTH = 600
_COUNTS = {2: "Two", 3: "Three"}


def answer_sentence(trace: Trace, answer: Answer, plural: Sequence[bool] = ()) -> str:
    """Say why the GNN predicts what it predicts, and no more than its numbers allow.

    Args:
        trace: What was explained; its own answer is not looked at.
        answer: The reasons and their verdict; its sentence is not looked at.
        plural: Whether the name of each reason is in the plural.
    """
    text = _Words(trace, answer, [*plural, *[False] * (len(answer.reasons) - len(plural))]).text
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


class _Words:
    def __init__(self, trace: Trace, answer: Answer, plural: Sequence[bool]) -> None:
        self.prediction = trace.prediction
        if answer.verdict is Verdict.NONE and not any(map(self._has_the_class, answer.reasons[1:])):
            answer = replace(answer, reasons=answer.reasons[:1], without_all=answer.first.without)
        self.trace, self.answer = trace, answer
        several = plural[0]
        self.it, self.gives, self.is_ = ("they", "give", "are") if several else ("it", "gives", "is")
        self.them = "them" if several else "it"
        _, self.node, self.edge = things(trace)
        self.opening = f"The GNN predicts {self._class(self.prediction.probabilities, self.prediction.predicted)}"
        if self.prediction.probability < self.prediction.chance + _HARDLY:
            self.opening = f"{self.opening.removesuffix(')')}, hardly more than chance)"
        self.shares = reason_shares(answer)
        self.enough = [self.prediction.is_enough(reason.alone) for reason in answer.reasons]

    @property
    def text(self) -> str:
        """The sentences one after the other."""
        if self.answer.verdict is Verdict.ENOUGH and (bare := self._start_alone()) is not None:
            return " ".join(
                [f"{self.opening}.", *self._default(f"{self.node} {node_names(self.trace)[self.trace.start]}", bare)]
            )
        sentences = self._one() if len(self.answer.reasons) == 1 else self._several()
        return " ".join([*sentences, *self._rest()])

    def _has_the_class(self, reason: Reason) -> bool:
        """Whether it alone gives the predicted class, and has an edge: else it is not among the best."""
        return bool(reason.edges) and likeliest(reason.alone) == self.prediction.predicted

    def _start_alone(self) -> float | None:
        """What the explained node gives without any edge, where that is enough already."""
        if self.trace.target is None or not self.trace.steps:
            return None
        bare = self.trace.steps[0].reward.probability
        return bare if bare >= self.prediction.least_enough else None

    def _default(self, name: str, alone: float) -> list[str]:
        """Of a node that needs no edge for its prediction."""
        return [
            f"{capitalised(name)} alone, without any {self.edge}, already gives {about_percent(alone)}.",
            "So no part explains it: it may be what the GNN predicts by default.",
        ]

    def _one(self) -> list[str]:
        """Of one reason."""
        reason, verdict = self.answer.first, self.answer.verdict
        name, alone = reason.name, about_percent(reason.alone[self.prediction.predicted])
        if verdict is Verdict.WHOLE:
            return [f"{self.opening} because of {name}: that is everything that the GNN can see here."]
        if verdict is Verdict.OWN:
            return [f"{self.opening} from {name} itself: without any {self.edge} {self.it} {self.gives} {alone}."]
        without = self._without(reason.without, self.them)
        if verdict in (Verdict.NEEDED, Verdict.ENOUGH) and reason.share < _FEW and len(self.answer.reasons) == 1:
            found = f"One of many is {name}: alone {self.it} {self.gives} {alone}; {without}."
            return [f"{self.opening}.", "No part stands out among the samples.", found]
        if verdict is Verdict.NEEDED:
            return [f"{self.opening} because of {name}.", f"Alone {self.it} {self.gives} {alone}; {without}."]
        if verdict is Verdict.PART:
            only = f"Alone {self.it} {self.gives} only {alone}: {self.it} {self.is_} a part of the reason."
            return [f"{self.opening} and needs {name}: {without}.", only]
        if verdict is Verdict.ENOUGH:
            return [
                f"{self.opening}.",
                f"{capitalised(name)} {self.is_} enough: alone {self.it} {self.gives} {alone}.",
                f"{capitalised(without)}{self._needless or self._more(several=self.it == 'they')}.",
            ]
        if not reason.edges and self.enough[0]:
            return [f"{self.opening}.", *self._default(name, reason.alone[self.prediction.predicted])]
        if not reason.edges and self.trace.target is None:
            return [f"{self.opening}.", _NOTHING]
        if reason.edges and self.enough[0]:
            lone = f"{capitalised(name)} alone {self.gives} {alone}, but {self.it} {self.is_} a single {self.edge}"
            return [f"{self.opening}.", _NOTHING, f"{lone}, and {without}."]
        edgeless = "" if reason.edges else f", without any {self.edge},"
        best = f"The best is {name}: alone{edgeless} {self.it} {self.gives} {alone}"
        return [f"{self.opening}.", _NOTHING, f"{best}; {without}." if reason.edges else f"{best}."]

    def _several(self) -> list[str]:
        """Of two or three reasons."""
        verdict, reasons = self.answer.verdict, self.answer.reasons
        groups = similar_reasons(self.trace, self.answer)
        count = _COUNTS[len(groups if len(groups) > 1 else reasons)]
        any_part = self._any_of_a_kind(groups)
        every = "these" if any_part else "both" if count == _COUNTS[2] else f"all {count.lower()}"
        without = capitalised(self._without(self.answer.without_all, every)) + self._needless
        parts = listed([self._part(group) for group in groups])
        if verdict is Verdict.WHOLE:
            return self._one()
        small = reasons[1].share < reasons[0].share / 2
        if verdict is Verdict.NEEDED and small and self.enough[0] and self.prediction.falls(reasons[0].without):
            others = listed([self._part([number]) for number in range(1, len(reasons))])
            return [*self._one(), f"Some samples end elsewhere: {others}."]
        part, atoms = common_part(self.trace, self.answer)
        alone = about_percent(reasons[0].alone[self.prediction.predicted])
        shares = listed(self.shares[: len(reasons)])
        gives = f"alone {self.it} {self.gives} {alone}, {atoms} ({shares} of samples)"
        if verdict is Verdict.NEEDED and all(self.enough) and part:
            return [f"{self.opening} because of {part}.", f"{capitalised(gives)}.", f"{without}."]
        if verdict is Verdict.NEEDED and all(self.enough):
            each = any_part or f"{count} reasons, each enough alone: {parts}."
            return [f"{self.opening}.", each, f"{without}."]
        if verdict is Verdict.ENOUGH and all(self.enough):
            each = any_part or f"{count} parts are each enough alone: {parts}."
            if part:
                each = f"{capitalised(part)} {self.is_} enough: {gives}."
            more = "" if self._needless else self._more(several=True)
            return [f"{self.opening}.", each, f"{without}{more}."]
        if verdict is Verdict.PART:
            needed = all(self.prediction.falls(reason.without) for reason in reasons)
            each = f"It needs {count.lower()} parts, none enough alone" if needed else "No part alone is enough"
            return [f"{self.opening}.", f"{each}: {parts}.", f"{without}."]
        if verdict in (Verdict.NONE, Verdict.OWN):
            return [f"{self.opening}.", _NOTHING, f"The best {self.is_ if part else 'are'} {parts}.", f"{without}."]
        return [f"{self.opening}.", f"The samples differ: {parts}.", f"{without}."]

    def _any_of_a_kind(self, groups: Sequence[Sequence[int]]) -> str:
        """Where all are the same part of a molecule at different atoms."""
        any_part, reasons = any_of_a_kind(self.trace, self.answer), self.answer.reasons
        if not any_part:
            return ""
        alone, places = about_percent(reasons[0].alone[self.prediction.predicted]), []
        for group in groups:
            lone = reasons[group[0]].name.partition(": ")[2]
            atoms = lone if len(group) == 1 else _part_and_atoms(self.trace, self.answer, group)[1]
            places.append(f"{atoms} ({listed([self.shares[at] for at in group])})")
        return f"{capitalised(any_part)} is enough: alone it gives {alone}. Samples end at {listed(places)}."

    def _rest(self) -> list[str]:
        """How many samples it tells of, and who was asked."""
        every = self.answer.first.share == 1 and not self.answer.exact
        share = about_percent(self.answer.first.share)
        samples = "all samples" if every else f"{share} of samples"
        one, other = len(self.answer.reasons) == 1, self.answer.other
        sentences = []
        if self.answer.verdict is Verdict.WHOLE:
            return []
        if one and not self.answer.first.edges and self.trace.target is None:
            pass
        elif one and not self.answer.first.edges:
            sentences.append(f"{capitalised(samples)} are this {self.node} alone.")
        elif one and self.answer.first.share < _MANY:
            sentences.append(f"The samples differ: only {share} agree with {self.them}.")
        elif one:
            sentences.append(f"{capitalised(samples)} agree with {self.them}.")
        elif other >= _LEAST_OTHER:
            same = ", most of them the same part at other atoms" if _elsewhere(self.trace, self.answer) else ""
            sentences.append(f"Other samples: {self.shares[-1]}{same}.")
        given = self.trace.made.get(STUDENT)
        if given is not None:
            alone = about_percent(given["given_alone"][self.prediction.predicted])
            which = "it" if one else "the first"
            sentences.append(f"A student judged the parts; the GNN itself gives {which} alone {alone}.")
        return sentences

    @property
    def _needless(self) -> str:
        """That the GNN keeps its class although the told reasons leave no edge, at the explained node or at all."""
        target, left = self.trace.target, set(range(len(self.trace.edges))) - set(self.answer.edges)
        ends = [(self.trace.edges[edge].source, self.trace.edges[edge].target) for edge in left]
        if any(target is None or target in pair for pair in ends):
            return ""
        where = "" if target is None else f" at {self.node} {node_names(self.trace)[target]}"
        if not self.prediction.falls(self.answer.without_all):
            return f", though no {self.edge} is left{where}: it needs none"
        keeps = likeliest(self.answer.without_all) == self.prediction.predicted
        return f", with no {self.edge} left{where}" if keeps else ""

    def _more(self, several: bool) -> str:
        """What follows if the GNN keeps its class without what is enough."""
        if self._surer(self.answer.without_all):
            return ", so other parts support it more"
        lost = self.prediction.probability - self.answer.without_all[self.prediction.predicted]
        it, helps, is_not = ("they", "help", "are not") if several else ("it", "helps", "is not")
        return f": {it} {helps}, but {is_not} needed" if lost >= _HELPS else f": {it} {is_not} needed"

    def _part(self, group: Sequence[int]) -> str:
        """One reason with its numbers, or some that are alike."""
        reason = self.answer.reasons[group[0]]
        name = reason.name if len(group) == 1 else ", ".join(_part_and_atoms(self.trace, self.answer, group))
        alone, shares = about_percent(reason.alone[self.prediction.predicted]), [self.shares[at] for at in group]
        return f"{name} ({listed(shares)} of samples agree, alone {alone})"

    def _without(self, probabilities: Sequence[float], what: str) -> str:
        """The prediction without some part: another class, less of the same, or the same."""
        predicted, top = self.prediction.predicted, likeliest(probabilities)
        if top != predicted and about_percent(probabilities[top]) == about_percent(probabilities[predicted]):
            both = listed([self.trace.classes[predicted], self.trace.classes[top]])
            return f"without {what} the GNN is undecided between {both} ({about_percent(probabilities[top])} each)"
        if top != predicted:
            return f"without {what} the GNN predicts {self._class(probabilities, top)}"
        if self._surer(probabilities):
            return f"without {what} the GNN is even surer: {self._class(probabilities, predicted)}"
        if self.prediction.falls(probabilities):
            share = about_percent(probabilities[predicted])
            return f"without {what} the GNN still predicts {self.trace.classes[predicted]}, at only {share}"
        return f"without {what} the GNN still predicts {self._class(probabilities, predicted)}"

    def _surer(self, probabilities: Sequence[float]) -> bool:
        """Whether the GNN gives the predicted class more without some part than with it."""
        return probabilities[self.prediction.predicted] > self.prediction.probability + SAME

    def _class(self, probabilities: Sequence[float], label: int) -> str:
        return f"{self.trace.classes[label]} ({about_percent(probabilities[label])})"


_NOTHING = "No part that we found explains this."
_LEAST_OTHER = 0.005
_MANY = 0.5  # of the samples: with less they differ
_FEW = 0.2  # with less, a prediction is not because of it
_HARDLY = 0.1  # a prediction within it above chance is hardly one
_HELPS = 0.05  # with less, a prediction hardly changes


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


def only_fewer(most: int) -> str:
    """That the subgraphs of some more nodes were not looked at, and why."""
    return (
        f"We considered only subgraphs of at most {most} nodes: all of these could be listed. With more nodes there "
        "are too many."
    )


def only_fewer_in_time(most: int, seconds: float) -> str:
    """The same where there was no time for more."""
    return (
        f"We considered only subgraphs of at most {most} nodes, to answer within {seconds:g} s. More time, seconds=…, "
        "allows larger ones."
    )


LEARNED_INSTEAD = (
    "These are the learned flows: there are too many connected subgraphs around the start node to list them for exact "
    "flows. Allow fewer nodes for exact flows."
)
"""That exact flows could not be had where a policy is there."""

LEARNED_AFTER_EDITS = (
    "These are the learned flows: the edited graph has too many connected subgraphs to list within a second. Choose "
    "exact flows to wait for them."
)
"""That exact flows, the usual ones after edits, would take too long."""


def training_cut(done: int, epochs: int, seconds: float) -> str:
    """That a policy was trained for less long than it should have been."""
    return (
        f"Within {seconds:g} s the policy was trained for {done} of {epochs} epochs: its samples may be far from P ∝ "
        "R. More time allows more (`seconds` in Python)."
    )


def distance_of_policy(distance: float, most: int) -> str:
    """How good a policy is that was trained on one prediction, as far as it can be known."""
    return (
        "There are too many connected subgraphs to list, so a policy that was trained on this prediction alone gives "
        f"these flows. On subgraphs of at most {most} nodes its total variation from P ∝ R is {distance:.2f}."
    )


def too_far_from_exact(distance: float, most: int) -> str:
    """That such a policy is not used, and why."""
    return (
        "We do not use the policy that was trained for larger subgraphs. On those of at most "
        f"{most} nodes its total variation from P ∝ R is {distance:.2f}, too large to trust."
    )


def missed_by(distance: float, exact: bool, wasted: float | None) -> str:
    """How far a policy is from R/Z: by its samples without reward, else by its total variation or a bound of that."""
    if wasted is not None:
        return f"{about_percent(wasted)} of its samples have almost no reward"
    return f"total variation {'' if exact else 'at least '}{distance:.2f}"


def exact_instead(missed: str) -> str:
    """That a policy is not used, and what is; `missed` is how far it is from R/Z, here and below."""
    return f"The trained policy is unreliable here ({missed}), so we computed this answer exactly."


def small_exact_instead(missed: str, most: int) -> str:
    """The same where states cannot be listed."""
    return (
        f"The trained policy is unreliable here ({missed}), so we computed this answer exactly, from all subgraphs of "
        f"at most {most} nodes."
    )


def far_without_list(missed: str) -> str:
    """That a policy is used although it is far from R/Z: nothing that could be listed has more reward."""
    return (
        f"The trained policy is unreliable here ({missed}). There are too many subgraphs for exact flows: do not trust "
        "the shares of samples."
    )


def chosen_is_far(missed: str) -> str:
    """That the learned flows, which were chosen, are far from R/Z."""
    return f"The trained policy is unreliable here ({missed}). Do not trust this answer: choose exact flows."


def through_a_student(agreement: float, things: str, agrees: bool) -> str:
    """That a GNN is explained through a student, and how well that knows it."""
    share = about_percent(agreement)
    how = f"{share} of the {things}." if agrees else f"only {share} of the {things}: compare what the GNN itself gives."
    return f"This GNN was never trained on fragments. We explain it through a student that agrees with it on {how}"


def learned_from_some(count: int, total: int, things: str) -> str:
    """That a student did not learn from all of a large graph."""
    return f"The graph is large, so the student learned from {count:,} of its {total:,} {things}."


def student_failed(agreement: float, things: str) -> str:
    """That a student has learnt nothing."""
    return (
        f"A student agrees with this GNN on {about_percent(agreement)} of the {things}, but did not learn what "
        "it predicts for their fragments. So we explain the GNN as it is."
    )


def asked_itself(sentence: str) -> str:
    """The explanation without a student, beside the one through it."""
    return f"Without the student: {sentence}"


def knows_fragments() -> str:
    """That no student is needed."""
    return "This GNN predicts its own class from fragments as well as a student would, so we explain it as it is."


def explained_as_is(why: str) -> str:
    """That there is no student, and why."""
    return f"{why} We explain the GNN as it is."


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
