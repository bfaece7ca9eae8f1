"""The answer: the modes of what is sampled, as reasons, and what the GNN predicts with and without them.

A reason is a mode of the distribution over subgraphs (`gfx_core.exact.modes`). Its numbers decide its verdict.
Let p be the probability of the explained class, and c one share among all classes: chance. A part is *enough* if it
alone gives that class, and at least (p + c) / 2. The prediction *falls* without a part if the class changes, or its
probability drops to (p + c) / 2 or less. No ground truth has a part in it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from msgspec import structs
from numpy.typing import NDArray

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.datasets.instance import Instance
from gfx_core.exact.modes import edge_memberships, find_modes
from gfx_core.explanation.samplers import Samples
from gfx_core.gnn.predict import Predictor
from gfx_core.text.answers import MAX_LENGTH, answer_sentence, node_names
from gfx_core.text.instance_words import shared_note
from gfx_core.text.names import Name, subgraph_name
from gfx_core.text.numbers import listed
from gfx_core.trace.schema import MOST_REASONS, SAME, Answer, Prediction, Reason, Trace, Verdict
from gfx_core.user_models.student import StudentPredictor

ALONE = 0.8
"""A mode with this share is the only reason."""
_MAX_NAME = 200


def marginals_of(instance: Instance, samples: Samples) -> Doubles:
    """How likely each undirected edge is to be in a sample, exact where that is known, else counted. [E]"""
    if samples.distribution is None:
        return edge_memberships(instance, samples.members(instance.num_nodes)).mean(0)
    space, log_probability = samples.distribution
    return space.edge_marginals(instance, np.exp(log_probability))[instance.undirected]


def main_modes(instance: Instance, samples: Samples) -> list[Reason]:
    """The reasons: modes of what is sampled, at most three, or the one that nearly everything belongs to.

    They have nodes in the order in which a trajectory adds them, a share and a probability; `make_answer` adds what the
    GNN predicts. Where the distribution is not listed, the samples are grouped.
    """
    exactly = samples.distribution is not None
    if samples.distribution is None:
        first, count = samples.distinct
        sets, members = samples.orders[first], samples.members(instance.num_nodes)[first]
        log_probability = np.log(count / count.sum())
    else:
        space, log_probability = samples.distribution
        sets, members = space.dag.subsets, space.dag.members
    modes, reasons = find_modes(instance, members, log_probability), []
    for mode in modes[:1] if modes[0].share >= ALONE else modes[:MOST_REASONS]:
        state = mode.representative
        probability = min(1.0, float(np.exp(log_probability[state]))) if exactly else None
        order, share = _order_to(samples, sets[state][sets[state] >= 0], state), min(1.0, mode.share)
        reasons.append(Reason(nodes=order, share=share, probability=probability, alone=(), without=(), name=""))
    return reasons


def _order_to(samples: Samples, nodes: Ints, state: int) -> tuple[int, ...]:
    """The most probable sampled order of some nodes; where none was sampled, the one that most reward flows along."""
    numbers = ending_at(samples, nodes)
    if len(numbers):
        return tuple(samples.orders[numbers[first_best(samples.log_forward[numbers])], : len(nodes)].tolist())
    assert samples.distribution is not None  # else it was sampled
    space, _ = samples.distribution
    dag, flow = space.dag, space.log_state
    added: list[int] = []
    while dag.size[state] > 1:
        edges = np.flatnonzero(dag.child == state)
        best = edges[first_best(flow[dag.parent[edges]])]
        added.append(int(dag.node[best]))
        state = int(dag.parent[best])
    return (int(dag.members[state].argmax()), *reversed(added))


def ending_at(samples: Samples, nodes: Sequence[int] | Ints) -> Ints:
    """The samples that end exactly at a set of nodes."""
    padded = np.full(samples.orders.shape[1], -1)
    padded[len(padded) - len(nodes) :] = np.sort(nodes)
    return np.flatnonzero((np.sort(samples.orders, axis=1) == padded).all(1))


def inside(instance: Instance, nodes: Sequence[int]) -> NDArray[np.bool_]:
    """Which undirected edges are among some nodes. [E]"""
    members = np.zeros((1, instance.num_nodes), dtype=bool)
    members[0, list(nodes)] = True
    return edge_memberships(instance, members)[0]


def student_words(predictor: StudentPredictor, nodes: Sequence[int]) -> dict[str, Any]:
    """What a trace holds of a student, and what the given GNN itself predicts from the first reason alone."""
    taught, alone = predictor.taught, predictor.given(torch.tensor([list(nodes)])).probabilities[0]
    return {"agreement": taught.agreement, "made": taught.made, "given_alone": alone.tolist()}


def make_answer(
    predictor: Predictor, instance: Instance, trace: Trace, modes: Sequence[Reason], exactly: bool
) -> Answer:
    """The modes with what the GNN predicts, their names and the sentences.

    Args:
        predictor: The GNN, on this instance alone, or its student.
        instance: The instance.
        trace: What is known of it otherwise.
        modes: As `main_modes` gives them.
        exactly: Whether their shares are exact.
    """
    edges = np.array([inside(instance, mode.nodes) for mode in modes])  # [n, E]
    width = max(len(mode.nodes) for mode in modes)
    subsets = torch.tensor([[*mode.nodes, *[-1] * (width - len(mode.nodes))] for mode in modes])
    alone = predictor(subsets).probabilities.double().cpu().tolist()
    gnn = predictor.given if isinstance(predictor, StudentPredictor) else predictor
    kept = ~np.concatenate([edges, edges.any(0, keepdims=True)])  # without each, without all
    without = gnn.with_edges(instance, kept).probabilities.double().cpu().tolist()
    names = _distinct_names([subgraph_name(instance, mode.nodes) for mode in modes], trace, modes)
    reasons = tuple(
        structs.replace(
            mode,
            edges=tuple(np.flatnonzero(edges[k]).tolist()),
            alone=tuple(alone[k]),
            without=tuple(without[k]),
            name=names[k].text[:_MAX_NAME],
        )
        for k, mode in enumerate(modes)
    )
    everything = len(reasons[0].nodes) == instance.num_nodes and not instance.left_out
    lonely = gnn.with_edges(instance, kept[-1:], keep_nodes=True).probabilities[0].double().cpu().tolist()
    verdict, other = (
        verdict_of(trace.prediction, reasons, probabilities, trace.target is not None, everything)
        for probabilities in (without[-1], lonely)
    )
    if verdict is not other:
        verdict = Verdict.UNDECIDED
    answer = Answer(
        reasons=reasons, exact=exactly, without_all=tuple(without[-1]), verdict=verdict, sentence=verdict.value
    )
    sentence = answer_sentence(trace, answer, names[0].several)
    shared = shared_note(instance, modes[0].nodes) if len(modes) == 1 else ""
    whole = f"{sentence} {shared}".strip()
    return structs.replace(answer, sentence=whole if len(whole) <= MAX_LENGTH else sentence)


def _distinct_names(names: list[Name], trace: Trace, modes: Sequence[Reason]) -> list[Name]:
    """Names, with the nodes that are not shared where two are the same."""
    shared = set.intersection(*(set(mode.nodes) for mode in modes))
    labels = node_names(trace)
    return [
        replace(name, text=f"{name.text}: {listed([labels[node] for node in sorted(set(mode.nodes) - shared)], 4)}")
        if [other.text for other in names].count(name.text) > 1
        else name
        for name, mode in zip(names, modes, strict=True)
    ]


def verdict_of(
    prediction: Prediction, reasons: Sequence[Reason], without_all: Sequence[float], node_task: bool, everything: bool
) -> Verdict:
    """The verdict on some reasons together."""
    if everything:
        return Verdict.WHOLE
    enough = [reason for reason in reasons if prediction.is_enough(reason.alone)]
    if not any(reason.edges for reason in reasons):
        return Verdict.OWN if enough and node_task else Verdict.NONE
    if prediction.falls(without_all):
        return Verdict.NEEDED if enough else Verdict.PART
    edges = {edge for reason in reasons for edge in reason.edges}
    moved = without_all[prediction.predicted] < prediction.probability - SAME
    return Verdict.ENOUGH if enough and (moved or len(edges) > 1) else Verdict.NONE  # a lone edge that changes nothing
