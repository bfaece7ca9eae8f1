"""A trace in words: what its nodes are called, the answer in a sentence or two, where its flows come from.

The player names nodes in the same way (assets/player/names.js).
"""

from collections import Counter
from typing import NamedTuple

from gfx_core.config import FlowSource
from gfx_core.text.numbers import about_percent, counted, subscript
from gfx_core.text.typesetting import spelled
from gfx_core.trace.edit import nearest_sample
from gfx_core.trace.schema import STUDENT, Answer, Trace

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
MUCH = 0.2
"""A probability that is lower by this is called so."""


def answer_sentence(trace: Trace, answer: Answer, several: bool = False) -> str:
    """Say why the GNN says what it says.

    Args:
        trace: What was explained, and what was drawn; its own answer is not looked at.
        answer: What the draws agree on; its sentence is not looked at.
        several: Whether its name is in the plural.
    """
    text = _Words(trace, answer, several).text
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def explains(trace: Trace) -> bool:
    """Whether the answer explains the prediction: alone it keeps the class, and is about as sure."""
    assert trace.answer is not None
    words = _Words(trace, trace.answer, several=False)
    return words.keeps and not words.weak


class _Words:
    def __init__(self, trace: Trace, answer: Answer, several: bool) -> None:
        self.trace, self.answer = trace, answer
        self.it, self.them, self.gives = ("they", "them", "give") if several else ("it", "it", "gives")
        _, self.node, self.edge = things(trace)
        explained = trace.prediction.predicted
        self.says = trace.classes[explained]
        self.keeps = _top(answer.alone) == explained
        self.still = bool(answer.edges) and not answer.whole and _top(answer.without) == explained
        self.whole = trace.prediction.probabilities[explained]
        self.alone, self.without = answer.alone[explained], answer.without[explained]
        self.weak = self.alone < self.whole - MUCH
        self.asked = "student" if STUDENT in trace.made else "GNN"  # about parts; the whole is always the GNN's

    @property
    def text(self) -> str:
        """The sentences one after the other."""
        first = f"{self._opening} {'; '.join(fact for fact in (self._facts, self._draws) if fact)}."
        return " ".join([first, *(more for more in (self._still, self._grown, self._given) if more)])

    @property
    def _opening(self) -> str:
        start = f"The GNN says {self.says} ({about_percent(self.whole)})"
        if self.keeps and not self.weak:
            return f"{start} because of {self.answer.name}:"
        return f"{start}; the draws agree on {self.answer.name}{':' if self.keeps else ', but'}"

    @property
    def _facts(self) -> str:
        """What the GNN says of it alone, and of everything else."""
        if self.answer.whole:
            return "that is everything the GNN can see here"
        only = "only " if self.weak or not self.keeps else ""
        edgeless = "" if self.answer.edges else f", without any {self.edge},"
        alone = f"alone{edgeless} {self.it} {self.gives} {only}{about_percent(self.alone)}"
        if not self.keeps:
            alone += f" (the {self.asked} would say {self.trace.classes[_top(self.answer.alone)]})"
        if self.still or not self.answer.edges:
            return alone
        return f"{alone}, without {self.them} {about_percent(self.without)}"

    @property
    def _still(self) -> str:
        """That the class stays without it."""
        if not self.still:
            return ""
        start, share = f"Without {self.them} the {self.asked} still says {self.says}", about_percent(self.without)
        if self.without < self.whole - MUCH:
            return f"{start}, but less surely ({share})."
        return f"{start} ({share}){': there is more than one reason' if self.keeps else ''}."

    @property
    def _given(self) -> str:
        """What the GNN itself says, where a student was asked."""
        given = self.trace.made.get(STUDENT)
        if given is None:
            return ""
        explained = self.trace.prediction.predicted
        alone, without = (about_percent(given[name][explained]) for name in ("given_alone", "given_without"))
        if not self.answer.edges or self.answer.whole:
            return f"These are a student’s answers; the GNN itself gives {alone} alone."
        return f"These are a student’s answers; the GNN itself gives {alone} alone and {without} without {self.them}."

    @property
    def _draws(self) -> str:
        """How many draws end there, or how near they come."""
        drawn, total = self.answer.drawn, self.trace.num_drawn
        if not total:
            return ""
        if not drawn and total == 1:
            return f"the one draw does not end exactly there, but {self._nearest}"
        if not drawn:
            return f"no draw ends exactly there; {self._nearest}"
        if self.trace.flows is FlowSource.EXACT and self.answer.probability is not None:
            flow = f"{about_percent(self.answer.probability)} of all flow ends there"
            return f"{flow}, and so {'does' if drawn == 1 else 'do'} {_of(drawn, total)}"
        return f"{_of(drawn, total)} {'ends' if drawn == 1 else 'end'} there"

    @property
    def _nearest(self) -> str:
        nearest = nearest_sample(self.trace.samples, self.answer.nodes, self.answer.edges)
        shared, edges = len(set(nearest.edges) & set(self.answer.edges)), len(self.answer.edges)
        who = "the nearest" if self.trace.num_drawn > 1 else "it"
        more = len(nearest.edges) - shared
        if not edges:
            return f"{who} has {counted(len(nearest.nodes), self.node)}"
        if shared < edges:
            return f"{who} shares {shared} of {counted(edges, self.edge)}"
        return f"{who} has {f'its {self.edge}' if edges == 1 else f'all {edges} {self.edge}s'} and {more} more"

    @property
    def _grown(self) -> str:
        grown = self.answer.grown
        if self.keeps and not grown:
            return ""
        were = "was" if grown == 1 else "were"
        by = f"The draws agree on less: {counted(grown, self.node)} of {self.them} {were} added"
        if self.keeps:
            return f"{by} until the {self.asked} kept its class."
        if grown:
            return f"{by}, and adding more of what was drawn does not make the {self.asked} keep its class."
        return f"Adding more of what was drawn does not make the {self.asked} keep its class."


def _of(drawn: int, total: int) -> str:
    """61 of 64 draws; all 64 draws; the one draw."""
    if total == 1:
        return "the one draw"
    return f"all {total} draws" if drawn == total else f"{drawn} of {total} draws"


def _top(probabilities: tuple[float, ...]) -> int:
    return max(range(len(probabilities)), key=probabilities.__getitem__)


def flow_words(trace: Trace) -> str:
    """Where the flows come from, and what is known of their error.

    There is one distance from R/Z, the total variation over all states. Where they are too many to be listed it is not
    known, and the residuals on the way are all that can be told.
    """
    facts = []
    if trace.largest_residual is not None:
        facts.append(f"largest residual on the way {abs(trace.largest_residual):.2g}")
    if trace.total_variation is not None:
        facts.append(f"total variation between what is drawn and R/Z {trace.total_variation:.2g}")
    elif trace.mean_residual is not None:
        facts.append(f"mean {trace.mean_residual:.2g}; the distance from R/Z is not known, too many subgraphs to list")
    known = ", ".join(facts)
    if trace.flows is FlowSource.EXACT:
        count = "" if trace.num_states_exact is None else f"{trace.num_states_exact:,} "
        source = f"Exact flows, computed from all {count}connected subgraphs"
    else:
        source = "Learned flows"
    return f"{source}: {known}." if known else f"{source}."


def only_fewer(most: int) -> str:
    """That the subgraphs of some more nodes were not looked at, and why."""
    return (
        f"Only subgraphs of at most {most} nodes were looked at: all of these could be listed, and with more nodes "
        "there are too many."
    )


def only_fewer_in_time(most: int, seconds: float) -> str:
    """The same where there was no time for more."""
    return (
        f"Only subgraphs of at most {most} nodes were looked at, so that the answer comes within {seconds:g} s. More "
        "time, seconds=…, allows more."
    )


LEARNED_INSTEAD = (
    "There are too many connected subgraphs around the start node to list them for exact flows: these are the learned "
    "ones. Fewer nodes make fewer subgraphs."
)
"""That exact flows could not be had where a policy is there."""

LEARNED_AFTER_EDITS = (
    "The edited graph has too many connected subgraphs to list them within a second: these are the learned flows. "
    "Choose exact flows to wait for them."
)
"""That exact flows, the usual ones after edits, would take too long."""


def training_cut(done: int, epochs: int, seconds: float) -> str:
    """That a policy was trained for less long than it should have been."""
    return (
        f"The policy was trained for {done} of {epochs} epochs, as long as {seconds:g} s allow: its samples may be far "
        "from P ∝ R. More time, seconds=…, allows more."
    )


def distance_of_policy(distance: float, most: int) -> str:
    """How good a policy is that was trained on one prediction, as far as it can be known."""
    return (
        "There are too many connected subgraphs to list: these flows are those of a policy that was trained on this "
        f"prediction alone. On subgraphs of at most {most} nodes its total variation from P ∝ R is {distance:.2f}."
    )


def too_far_from_exact(distance: float, most: int) -> str:
    """That such a policy is not used, and why."""
    return (
        f"A policy was trained for larger ones; on subgraphs of at most {most} nodes its total variation from P ∝ R is "
        f"{distance:.2f}, too far to be believed."
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
        f"A student of this GNN learned nothing about its fragments, and agrees with it on {about_percent(agreement)} "
        f"of the {things}. We explain the GNN as it is."
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


def summary(trace: Trace) -> list[str]:
    """A trace in a few lines, as the command line prints it.

    The answer and what to know of it, where the trajectory shown in full ends, how that compares with what is true, and
    the flows.
    """
    final, says = trace.final, trace.classes[trace.prediction.predicted]
    labels = ", ".join(trace.nodes[node].label for node in final.nodes)
    truth = "No true reason is known here, so that nothing is called found or missed."
    if trace.has_truth:
        truth = f"motif edges found {len(trace.hits)}, missed {len(trace.missed)}, extra {len(trace.extra)}"
    return [
        *([] if trace.answer is None else [trace.answer.sentence]),
        *trace.notes,
        f"{trace_title(trace)}: {says}",
        f"subgraph: {labels}  log R {final.log_reward:.3f}",
        truth,
        flow_words(trace),
    ]
