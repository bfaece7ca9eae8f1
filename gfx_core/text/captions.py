"""What the player writes of a trace (assets/player/story.js): names, captions, and how much of the truth was found."""

import math
from collections.abc import Collection
from operator import eq
from typing import Any

from gfx_core.text.answers import motif_counts, node_names, note, reason_shares, things
from gfx_core.text.numbers import about_percent, counted, listed, percent, signed
from gfx_core.text.theorem import theorem_words
from gfx_core.text.typesetting import sentence_shapes
from gfx_core.trace.derive import links_of
from gfx_core.trace.edit import along_reason
from gfx_core.trace.schema import STUDENT, Trace, Verdict

_MOST_NAMES = 4


def player_words(trace: Trace) -> dict[str, Any]:
    """All words, and `stories`: those of the trajectory that the trace shows, then of what ends in each reason.

    What explains nothing, is not enough alone or may not be needed is not called a reason.
    """
    answer = trace.answer
    explains = answer is not None and answer.verdict not in (Verdict.NONE, Verdict.ENOUGH, Verdict.UNDECIDED)
    reasons = [
        "reason" if explains and trace.prediction.is_enough(reason.alone) else "part" for reason in trace.reasons
    ]
    numbers = range(len(reasons) + 1)
    words: dict[str, Any] = {"names": node_names(trace), "reasons": reasons}
    words["stories"] = [_Story(along_reason(trace, number), reasons, max(number, 1)).words() for number in numbers]
    if answer is not None:
        words |= {"shares": reason_shares(answer), "rule": note("rule") + note("listed") * answer.exact}
        words["rings"] = [rings(trace, reason.nodes) for reason in answer.reasons]
    if trace.is_sentence:
        labels, points = zip(*((node.label, node.position) for node in trace.nodes), strict=True)
        words["shapes"] = sentence_shapes(labels, points, [(edge.source, edge.target) for edge in trace.edges])
    return words


def rings(trace: Trace, nodes: Collection[int]) -> list[list[int]]:
    """Rings of a connected subgraph, one for each edge that closes one; every hole is inside some of them."""
    links, first = links_of(trace), min(nodes)
    paths, queue = {first: [first]}, [first]
    for node in queue:
        new = [end for end in links[node] if end in nodes and end not in paths]
        paths |= {end: [*paths[node], end] for end in new}
        queue += new
    rings = []
    for edge in trace.edges:
        if edge.source in paths and edge.target in paths:
            one, other = paths[edge.source], paths[edge.target]
            common = sum(map(eq, one, other))
            rings.append(one[common - 1 :] + other[: common - 1 : -1])
    return [ring for ring in rings if len(ring) > 2]


class _Story:
    """The words of one trajectory beside one reason.

    Args:
        trace: With this trajectory.
        nouns: What each reason is called.
        number: Of the reason, 1 for the first.
    """

    def __init__(self, trace: Trace, nouns: list[str], number: int) -> None:
        self.trace, self.nouns, self.number, self.names = trace, nouns, number, node_names(trace)
        self.node, self.edge = things(trace).node, things(trace).edge

    def words(self) -> dict[str, Any]:
        """A caption of each step and of the end; of an answer what the GNN predicts with its reason, and facts."""
        trace = self.trace
        words: dict[str, Any] = {
            "captions": [[self._step(at), self._next(at)] for at in range(len(trace.steps))],
            "theorem": theorem_words(trace),
        }
        found, beside = f"{counted(len(trace.final.edges), self.edge)} found", ""
        if trace.has_truth:
            hit, missed, extra = motif_counts(trace, trace.final.edges)
            found = f"{hit} of {counted(hit + missed, f'motif {self.edge}')} found, {extra} extra"
        if trace.answer is not None:
            words |= {"cover": self._cover(), "apart": self._apart(), "rows": self._rows(), "facts": self._facts()}
            beside = f" {words['apart'] or f'That is {self._reason()}.'}"
        chance = percent(math.exp(trace.final.log_trajectory_probability))
        reward = signed(trace.final.log_reward)
        words["end"] = f"Stopped: {found}.{beside} log R = {reward}; this order had probability {chance}."
        return words

    def _named(self, nodes: Collection[int]) -> str:
        return listed([self.names[node] for node in nodes], _MOST_NAMES)

    def _chance(self, at: int) -> str:
        """Of the action that a step takes."""
        return about_percent(self.trace.steps[at].action.probability)

    def _step(self, at: int) -> str:
        trace, step = self.trace, self.trace.steps[at]
        if step.added is None:
            what = "" if trace.target is None else ", the explained node"
            text = f"The set starts as {self.names[trace.start]}{what}."
        else:
            cut = step.cut_vertices
            held = f"{self._named(cut)} {'hold' if len(cut) > 1 else 'holds'} it together" if cut else "no cut vertex"
            text = f"Added {self.names[step.added]}, which had {self._chance(at - 1)}. "
            text += f"The set has {counted(step.size, self.node)}: {held}."
        alone = about_percent(step.reward.probability)
        return f"{text} The GNN gives “{trace.classes[trace.prediction.predicted]}” {alone}."

    def _next(self, at: int) -> str:
        step = self.trace.steps[at]
        action = "STOP" if step.chosen is None else self.names[step.chosen]
        return "Now it must stop." if step.stop.forced else f"Next: {action} ({self._chance(at)})."

    def _reason(self) -> str:
        return f"{self.nouns[self.number - 1]} {self.number}" if len(self.nouns) > 1 else "the answer"

    def _cover(self) -> str:
        noun, several = self.nouns[self.number - 1], len(self.nouns) > 1
        which = "the best part that we found" if noun == "part" else "the reason"
        if several:
            which = f"{'part' if 'part' in self.nouns else 'reason'} {self.number} of {len(self.nouns)}"
        ends = "one that ends elsewhere" if self._apart() else "one that ends there"
        wide = f"Wider {self.edge}s are in more samples"
        return f"The outline is {which}. {wide}. Play shows how a sample grows: {ends}."

    def _apart(self) -> str:
        """How the end of the trajectory differs from the reason; empty where it does not."""
        ends, reason = self.trace.final.nodes, self.trace.reasons[self.number - 1].nodes
        less = [node for node in reason if node not in ends]
        more = [node for node in ends if node not in reason]
        parts = [f"lacks {self._named(less)}"] * bool(less) + [f"has {self._named(more)} besides"] * bool(more)
        return f"It is not {self._reason()}: it {' and '.join(parts)}." if parts else ""

    def _rows(self) -> list[tuple[str, str, float, str]]:
        """What the GNN gives the class with and without the reason: key, name, probability, and when that is."""
        trace, edges = self.trace, f"{self.edge}s"
        assert trace.answer is not None
        reason, predicted = trace.reasons[self.number - 1], trace.prediction.predicted
        noun, several, student = self.nouns[self.number - 1], len(self.nouns) > 1, STUDENT in trace.made
        it = f"{noun} {self.number}" if several else f"the {noun}"
        gives = f"gives “{trace.classes[predicted]}” this"
        alone = f"The {'student' if student else 'GNN'} {gives} when it sees {it} and nothing else"
        removed = f"The GNN {gives} when the {edges} of"
        rows = [
            ("alone", f"{it} alone{' (student)' * student}", reason.alone[predicted], alone),
            ("without", "without it", reason.without[predicted], f"{removed} {it} are removed"),
        ]
        if several:
            share = trace.answer.without_all[predicted]
            rows.append(("none", "without all of them", share, f"{removed} all of them are removed"))
        if trace.target is not None and reason.edges:
            share = trace.steps[0].reward.probability
            rows.append(("start", f"the {self.node} alone", share, f"The GNN {gives} without any {self.edge}"))
        whole = trace.prediction.probability
        return [*rows, ("all", "the whole", whole, f"The GNN {gives} when it sees everything")]

    def _facts(self) -> list[tuple[str, str, str, str]]:
        """Name, value, what it means, and a style."""
        trace = self.trace
        assert trace.answer is not None
        reason = trace.reasons[self.number - 1]
        facts = [(f"{self.node}s, {self.edge}s", f"{len(reason.nodes)}, {len(reason.edges)}", "", "")]
        hit, missed, extra = motif_counts(trace, reason.edges)
        if hit + missed:
            facts.append((f"True {self.edge}s found", f"{hit} of {hit + missed}, {extra} extra", "", "truth"))
        if len(self.nouns) == 1:  # else the reasons' buttons have it
            how = "the exact probability" if trace.answer.exact else "the share of the samples"
            tip = f"{how} of those that share half of their {self.edge}s with it"
            facts.append(("Samples that agree with it", about_percent(reason.share), tip, ""))
        if drawn := trace.num_drawn:
            tip = "how many samples are exactly this subgraph"
            facts.append(("Samples that end there", f"{reason.drawn} of {drawn}", tip, ""))
        if reason.probability is not None:
            tip = "the exact probability that a sample ends exactly there"
            facts.append(("P(ends there)", percent(reason.probability), tip, ""))
        return facts
