"""A trace in words: what its nodes are called, the answer in a sentence or two, where its flows come from.

The player names nodes in the same way (assets/player/story.js).
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from gfx_core.config import FlowSource
from gfx_core.text.numbers import about_percent, capitalised, listed, subscript
from gfx_core.text.typesetting import spelled
from gfx_core.trace.schema import STUDENT, Answer, Reason, Trace, Verdict, likeliest

_LONGEST = 48  # letters of a sentence in a title


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
    counts: Counter[str] = Counter()
    names = []
    for node in trace.nodes:
        counts[node.label.lower()] += 1
        number = counts[node.label.lower()]
        names.append(node.label if number == 1 else node.label + subscript(number))
    return names


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
        self.trace, self.answer, self.prediction = trace, answer, trace.prediction
        several = plural[0]
        self.it, self.gives, self.is_ = ("they", "give", "are") if several else ("it", "gives", "is")
        self.them = "them" if several else "it"
        _, self.node, self.edge = things(trace)
        self.opening = f"The GNN predicts {self._class(self.prediction.probabilities, self.prediction.predicted)}"
        if self.prediction.probability < self.prediction.chance + _HARDLY:
            self.opening = f"{self.opening.removesuffix(')')}, hardly more than chance)"
        self.enough = [self.prediction.is_enough(reason.alone) for reason in answer.reasons]

    @property
    def text(self) -> str:
        """The sentences one after the other."""
        sentences = self._one() if len(self.answer.reasons) == 1 else self._several()
        return " ".join([*sentences, *self._rest()])

    def _one(self) -> list[str]:
        """Of one reason."""
        reason, verdict = self.answer.first, self.answer.verdict
        name, alone = reason.name, about_percent(reason.alone[self.prediction.predicted])
        if verdict is Verdict.WHOLE:
            return [f"{self.opening} because of {name}: that is everything that the GNN can see here."]
        if verdict is Verdict.OWN:
            return [f"{self.opening} from {name} itself: without any {self.edge} {self.it} {self.gives} {alone}."]
        without = self._without(reason.without, self.them)
        if verdict is Verdict.NEEDED:
            return [f"{self.opening} because of {name}.", f"Alone {self.it} {self.gives} {alone}; {without}."]
        if verdict is Verdict.PART:
            only = f"Alone {self.it} {self.gives} only {alone}: {self.it} {self.is_} a part of the reason."
            return [f"{self.opening} and needs {name}: {without}.", only]
        if verdict is Verdict.ENOUGH:
            return [
                f"{self.opening}.",
                f"{capitalised(name)} {self.is_} enough: alone {self.it} {self.gives} {alone}.",
                f"{capitalised(without)}{self._needless or ', so there is more than one reason'}.",
            ]
        if not reason.edges and self.enough[0]:
            default = f"{capitalised(name)} alone, without any {self.edge}, already {self.gives} {alone}."
            return [f"{self.opening}.", default, "So no part explains it: it may be what the GNN predicts by default."]
        edgeless = "" if reason.edges else f", without any {self.edge},"
        best = f"The best is {name}: alone{edgeless} {self.it} {self.gives} {alone}"
        return [f"{self.opening}.", _NOTHING, f"{best}; {without}." if reason.edges else f"{best}."]

    def _several(self) -> list[str]:
        """Of two or three reasons."""
        verdict, reasons = self.answer.verdict, self.answer.reasons
        count = _COUNTS[len(reasons)]
        every = "both" if len(reasons) == 2 else f"all {count.lower()}"
        without = capitalised(self._without(self.answer.without_all, every)) + self._needless
        parts = listed([self._part(reason) for reason in reasons])
        if verdict is Verdict.WHOLE:
            return self._one()
        small = reasons[1].share < reasons[0].share / 2
        if verdict is Verdict.NEEDED and small and self.enough[0] and self.prediction.falls(reasons[0].without):
            others = listed([self._part(reason) for reason in reasons[1:]])
            return [*self._one(), f"Some samples end elsewhere: {others}."]
        if verdict is Verdict.NEEDED and all(self.enough):
            return [f"{self.opening}.", f"{count} reasons, each enough alone: {parts}.", f"{without}."]
        if verdict is Verdict.ENOUGH and all(self.enough):
            each = f"{count} parts are each enough alone: {parts}."
            return [f"{self.opening}.", each, f"{without}{'' if self._needless else ', so there are more reasons'}."]
        if verdict is Verdict.PART:
            return [f"{self.opening}.", f"It needs {count.lower()} parts, none enough alone: {parts}.", f"{without}."]
        if verdict in (Verdict.NONE, Verdict.OWN):
            return [f"{self.opening}.", _NOTHING, f"The best are {parts}.", f"{without}."]
        return [f"{self.opening}.", f"The samples differ: {parts}.", f"{without}."]

    def _rest(self) -> list[str]:
        """How many samples it tells of, and who was asked."""
        share = about_percent(self.answer.first.share)
        one, other = len(self.answer.reasons) == 1, self.answer.other
        sentences = []
        if self.answer.verdict is Verdict.WHOLE:
            return []
        if one and not self.answer.first.edges:
            sentences.append(f"{capitalised(share)} of samples are this {self.node} alone.")
        elif one and self.answer.first.share < _MANY:
            sentences.append(f"The samples differ: only {share} overlap {self.them} by half.")
        elif one:
            sentences.append(f"{capitalised(share)} of samples overlap {self.them} by half.")
        elif other >= _LEAST_OTHER:
            sentences.append(f"Other samples: {about_percent(other)}.")
        given = self.trace.made.get(STUDENT)
        if given is not None:
            alone = about_percent(given["given_alone"][self.prediction.predicted])
            which = "it" if one else "the first"
            sentences.append(f"A student judged the parts; the GNN itself gives {which} alone {alone}.")
        return sentences

    @property
    def _needless(self) -> str:
        """That the prediction stays although the told reasons leave no edge, at the explained node or at all."""
        target, left = self.trace.target, set(range(len(self.trace.edges))) - set(self.answer.edges)
        ends = [(self.trace.edges[edge].source, self.trace.edges[edge].target) for edge in left]
        if self.prediction.falls(self.answer.without_all) or any(target is None or target in pair for pair in ends):
            return ""
        where = "is left" if target is None else f"is left at {self.node} {node_names(self.trace)[target]}"
        return f", though no {self.edge} {where}: it needs none"

    def _part(self, reason: Reason) -> str:
        share, alone = about_percent(reason.share), about_percent(reason.alone[self.prediction.predicted])
        return f"{reason.name} ({share} of samples, alone {alone})"

    def _without(self, probabilities: Sequence[float], what: str) -> str:
        """The prediction without some part: another class, less of the same, or the same."""
        predicted, top = self.prediction.predicted, likeliest(probabilities)
        if top != predicted:
            return f"without {what} the GNN predicts {self._class(probabilities, top)}"
        if self.prediction.falls(probabilities):
            return f"without {what} the GNN gives only {about_percent(probabilities[predicted])}"
        return f"without {what} the GNN still predicts {self._class(probabilities, predicted)}"

    def _class(self, probabilities: Sequence[float], label: int) -> str:
        return f"{self.trace.classes[label]} ({about_percent(probabilities[label])})"


_NOTHING = "No part that we found explains this: it comes from the whole."
_LEAST_OTHER = 0.005
_MANY = 0.5  # of the samples: with less they differ
_HARDLY = 0.1  # a prediction within it above chance is hardly one


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


def of_start(trace: Trace) -> str:
    """Which subgraphs were listed of a whole graph: samples start anywhere in it, flows are those of one start node."""
    return "" if trace.target is not None else f" that contain the start node {node_names(trace)[trace.start]}"


def flow_words(trace: Trace) -> str:
    """Where the flows come from, and what is known of their error.

    There is one distance from R/Z, the total variation over all states. Where they are too many to be listed it is not
    known, and the residuals on the way are all that can be told.
    """
    facts = []
    if trace.largest_residual is not None:
        facts.append(f"largest residual on the way {abs(trace.largest_residual):.2g}")
    if trace.total_variation is not None:
        facts.append(f"total variation from R/Z {trace.total_variation:.2g}")
    elif trace.mean_residual is not None:
        facts.append(f"mean {trace.mean_residual:.2g}; the distance from R/Z is not known, too many subgraphs to list")
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
        "R. More time, seconds=…, allows more."
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
        f"A student did not learn what this GNN predicts for fragments; they agree on {about_percent(agreement)} of "
        f"the {things}. We explain the GNN as it is."
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


def counted_truth(trace: Trace) -> str:
    """How many edges of the true motif the trajectory's end contains; nothing where none is known."""
    if not trace.has_truth:
        return ""
    edges = f"motif {things(trace).edge}s"
    return f"{edges} found {len(trace.hits)}, missed {len(trace.missed)}, extra {len(trace.extra)}"


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
