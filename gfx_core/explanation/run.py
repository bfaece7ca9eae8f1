"""The one way from a question to a trace, for pages, workers, notebooks, PyG and the command line. Needs torch.

What takes long to load is kept by the process: models, policies, and the flows on the instances that were asked about
last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from gfx_core.config import FlowSource, FragmentModel
from gfx_core.datasets.edits import read_edits
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.datasets.sentences import GRAPH_SST2, is_word, unseen_words
from gfx_core.datasets.source import Numbered
from gfx_core.errors import UserError
from gfx_core.explanation import trace as recording
from gfx_core.explanation.finetune import Watch
from gfx_core.explanation.flows import ReadyFlows, flows_for
from gfx_core.explanation.policy_check import check_policy
from gfx_core.explanation.question import Question
from gfx_core.explanation.samplers import SubgraphSampler, SubgraphSource
from gfx_core.explanation.subject import Subject, kept_checkpoint, load
from gfx_core.files import fingerprint, stamp
from gfx_core.gfn.own_policies import policy_file
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_all, predict_instance
from gfx_core.job_context import JobContext
from gfx_core.storage import Recent
from gfx_core.text.answers import note
from gfx_core.text.instance_words import edited_note, unseen_note
from gfx_core.trace.schema import GNN_PRINT, NAME, STUDENT, Step, Trace
from gfx_core.user_models.predictor import ModelInstance
from gfx_core.user_models.student import AGREES

ALMOST = 1e-3
"""Rewards that differ by less in log R are the same."""


@dataclass(frozen=True, eq=False)
class Explained:
    """An explanation, and the flows that it was drawn from."""

    trace: Trace
    flows: ReadyFlows


def explain(question: Question, job: JobContext | None = None, watch: Watch | None = None) -> Trace:
    """Explain one prediction by GFlowExplainer.

    Args:
        question: Which prediction, and how.
        job: Told how far it is; it also says where to compute (the CPU by default).
        watch: Called with the session in which a policy is trained on this prediction, after each of its steps.
    """
    return explained_by_usual_flows(question, job, watch).trace


def explained_by_usual_flows(
    question: Question, job: JobContext | None = None, watch: Watch | None = None, plays: bool = True
) -> Explained:
    """The same, with the flows: of the policy, or exact ones where it is far from R/Z and no flows were chosen.

    Where there are too many subgraphs for these, exact flows of small ones take its place if one of them has as much
    reward as all that it sampled; else a note says that it is far off. A policy that was chosen stays, with a note.
    """
    found = explained(question, job, watch, plays)
    learned = found.flows.source
    without_policy = question.user is not None and question.user.policy is None
    if question.tuned or without_policy or not isinstance(learned, SubgraphSampler):
        return found
    anywhere = learned.instance.target is None and question.start is None and found.flows.start is None
    check = check_policy(learned, found.trace, anywhere)
    if not check.is_far:
        return found
    if question.flows is not None or question.user is not None:  # a policy that was chosen is not replaced
        return _noted(found, note("chosen_is_far" if check.can_be_exact else "far_without_list", distance=check.words))
    if check.can_be_exact:
        return _noted(_exact(question, job, watch, plays), note("exact_instead", distance=check.words))
    if check.most is not None:
        small = _exact(replace(question, max_nodes=check.most), job, watch, plays)
        if _most_reward(small.trace) >= _most_reward(found.trace) - ALMOST:
            return _noted(small, note("small_exact_instead", distance=check.words, most=check.most))
    return _noted(found, note("far_without_list", distance=check.words))


def _exact(question: Question, job: JobContext | None, watch: Watch | None, plays: bool) -> Explained:
    return explained(replace(question, flows=FlowSource.EXACT), job, watch, plays)


def _noted(found: Explained, first: str) -> Explained:
    notes = [first, *found.trace.notes]
    return replace(found, trace=structs.replace(found.trace, made={**found.trace.made, "notes": notes}))


def _most_reward(trace: Trace) -> float:
    return max(sample.log_reward for sample in trace.samples)


def explained(
    question: Question, job: JobContext | None = None, watch: Watch | None = None, plays: bool = True
) -> Explained:
    """An explanation by the flows that a question names, or else by its policy, however far that is from exact ones.

    A trace that is not to be played needs no trajectory.
    """
    job = job or JobContext()
    job.report(0.1, "loading the GNN")
    loaded = load(question)
    flows = _flows_for(loaded, job, watch)
    source = flows.source
    doing = "listing all" if source.flows is FlowSource.EXACT else f"sampling {question.samples}"
    job.report(0.95 if question.tuned else 0.3, f"{doing} subgraphs")
    model = loaded.model
    trace = recording.record(
        source,
        seed=question.seed,
        samples=question.samples,
        choice=question.choice,
        start=question.start if flows.start is None else flows.start,
        model_name=model.name if isinstance(model, GNN) else type(model).__name__,
        plays=plays,
    )
    made, usual = dict(trace.made), loaded.config
    notes = (*(source.instance.notes if isinstance(source.instance, ModelInstance) else ()), *flows.notes)
    if question.dataset == GRAPH_SST2.name:
        words = list(filter(is_word, source.instance.node_texts))
        notes = (*filter(None, [unseen_note(words, unseen_words(words))]), *notes)
    if question.edits and isinstance(model, GNN):
        before = replace(question, edits="").instance(model.hops)
        notes = (edited_note(before, read_edits(question.edits)), *notes)
    if (student := made.get(STUDENT)) is not None and student["agreement"] < AGREES:
        beside = explained(replace(question, fragments=FragmentModel.AS_IS), job, watch, plays=False).trace
        notes = (
            (*notes, note("without_student", sentence=beside.answer.sentence)) if beside.answer is not None else notes
        )
    if notes:
        made["notes"] = list(notes)
    if question.user is None:
        made[GNN_PRINT] = fingerprint(model_path(question.dataset, question.gnn))
        if not isinstance(question.origin, Numbered):
            made[NAME] = question.name
    if source.config.reward != usual.reward or source.config.max_nodes != usual.max_nodes:
        price = usual.reward.price("nodes")
        made["policy_trained_with"] = {"beta": usual.reward.beta, "node_price": price, "max_nodes": usual.max_nodes}
    return Explained(structs.replace(trace, made=made), flows)


def ask(question: Question, checkpoint: str | Path, job: JobContext | None = None) -> tuple[float, ...]:
    """What the GNN in a file says of an instance: the probability of each class."""
    model = kept_checkpoint(Path(checkpoint), question.dataset)
    return tuple(predict_instance(model, question.instance(model.hops)).tolist())


def ask_about_all(dataset: str, checkpoint: str | Path, job: JobContext | None = None) -> NDArray[np.float32]:
    """The same of every node or graph of its data set. [num_instances, C]"""
    return predict_all(kept_checkpoint(Path(checkpoint), dataset), load_dataset(dataset))


def follow(question: Question, order: Sequence[int], job: JobContext | None = None) -> tuple[Step, ...]:
    """All that is known of the sets on a path that was chosen by hand: flows, cut vertices, parents, reward.

    Args:
        question: Which prediction and flows.
        order: Local nodes in the order in which they were added, the start node first; empty for the start.
        job: See `explain`.

    Returns:
        A step for each size of the set; the last takes STOP.
    """
    generator, path = generator_along(question, order, job or JobContext())
    return recording.steps_along(generator, path[0], np.array(path))


def generator_along(question: Question, order: Sequence[int], job: JobContext) -> tuple[SubgraphSource, list[int]]:
    """The flows at work on an instance, and an order of nodes that was checked; an empty one becomes the start."""
    loaded = load(replace(question, start=order[0] if order else question.start))
    flows = _flows_for(loaded, job)
    start = loaded.question.start if flows.start is None else flows.start
    path = list(order) or [flows.source.locate() if start is None else start]
    _check_order(loaded.instance, path, flows.source.config.max_nodes)
    return flows.source, path


def _check_order(instance: Instance, order: list[int], max_nodes: int) -> None:
    if len(order) > max_nodes:
        raise UserError(f"A subgraph has at most {max_nodes} nodes (got {len(order)}).")
    source, target = instance.edge_index
    within = np.zeros(instance.num_nodes, dtype=bool)
    for position, node in enumerate(order):
        if not 0 <= node < instance.num_nodes:
            raise UserError(f"The instance has no node {node}: choose one from 0 to {instance.num_nodes - 1}.")
        if position and (within[node] or not within[target[source == node]].any()):
            raise UserError(f"Node {node} cannot be added: it is not a neighbour of the set, or already in it.")
        within[node] = True


# Loading


_remembered: Recent[tuple[object, ...], ReadyFlows] = Recent(4)


def _flows_for(loaded: Subject, job: JobContext, watch: Watch | None = None) -> ReadyFlows:
    """The flows of a question, whatever is drawn from them: whoever asks by name asks again and again."""
    question = loaded.question
    if question.user is not None:
        return flows_for(loaded, job, watch)
    files = model_path(question.dataset, question.gnn), policy_file(question.dataset, question.gnn, question.own)
    key = (question.policy, job.device, *map(stamp, files))
    return _remembered.find(key, lambda: flows_for(loaded, job, watch))
