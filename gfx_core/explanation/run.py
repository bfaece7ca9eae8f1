"""The one way from a question to a trace, for pages, workers, notebooks, PyG and the command line. Needs torch.

A question is loaded (`subject`), flows are chosen (`flows`), and what is sampled from them is recorded (`record`). What
takes long to load is kept by the process: models, policies, and the flows of the last questions.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gfx_core.config import FragmentModel
from gfx_core.datasets.edits import read_edits
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.datasets.sentences import GRAPH_SST2, is_word, unseen_words
from gfx_core.errors import UserError
from gfx_core.explanation.flows import choose_flows
from gfx_core.explanation.question import Question
from gfx_core.explanation.record import record, steps_along
from gfx_core.explanation.samplers import Flows
from gfx_core.explanation.subject import Subject, kept_model, load
from gfx_core.files import stamp
from gfx_core.gfn.own_policies import LOOK_AHEAD, policy_file
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_all, predict_instance
from gfx_core.job_context import JobContext
from gfx_core.storage import Recent
from gfx_core.text.answers import note
from gfx_core.text.instance_words import edited_note, unseen_note
from gfx_core.trace.schema import Step, Trace
from gfx_core.user_models.predictor import ModelInstance
from gfx_core.user_models.student import AGREES, StudentPredictor


def explain(question: Question, job: JobContext | None = None, plays: bool = True) -> Trace:
    """Explain one prediction by GFlowExplainer.

    Args:
        question: Which prediction, and how.
        job: Receives progress, and has the device (the CPU by default).
        plays: Whether the trace is to be played; else it holds no trajectory.
    """
    return explained(question, job, plays)[0]


def explained(question: Question, job: JobContext | None = None, plays: bool = True) -> tuple[Trace, Flows]:
    """An explanation, and the flows that it was sampled from."""
    job = job or JobContext()
    job.report(0.1, "loading the GNN")
    subject = load(question)
    flows = flows_of(subject, job)
    job.report(0.95 if question.tuned else 0.3, f"sampling {question.samples} subgraphs")
    return record(subject, flows, _notes(subject, flows, job), plays), flows


_remembered: Recent[tuple[object, ...], Flows] = Recent(4)


def flows_of(subject: Subject, job: JobContext) -> Flows:
    """The flows of a question; those of named questions are remembered, for all that is sampled from them."""
    question = subject.question
    if question.user is not None:
        return choose_flows(subject, job)
    used = policy_file(question.dataset, question.own) if question.own else LOOK_AHEAD
    files = map(stamp, (model_path(question.dataset, question.gnn), used))
    key = (question.policy, job.device, *files)
    return _remembered.find(key, lambda: choose_flows(subject, job))


def _notes(subject: Subject, flows: Flows, job: JobContext) -> list[str]:
    """What is to be read before an explanation is believed, the gravest first."""
    question, instance, model, predictor = subject.question, flows.instance, subject.model, flows.predictor
    notes = list(flows.notes)
    if question.edits and isinstance(model, GNN):
        before = replace(question, edits="").instance(model.hops)
        notes.append(edited_note(before, read_edits(question.edits)))
    if question.dataset == GRAPH_SST2.name:
        words = list(filter(is_word, instance.node_texts))
        notes.append(unseen_note(words, unseen_words(words)))
    if isinstance(instance, ModelInstance):
        notes += instance.notes
    if isinstance(predictor, StudentPredictor) and predictor.taught.agreement < AGREES:
        answer = explain(replace(question, fragments=FragmentModel.AS_IS), job, plays=False).answer
        if answer is not None:
            notes.append(note("without_student", sentence=answer.sentence))
    return list(filter(None, notes))


def ask(question: Question, job: JobContext | None = None) -> tuple[float, ...]:
    """What the GNN predicts of an instance: the probability of each class."""
    model = kept_model(question.dataset, question.gnn)
    return tuple(predict_instance(model, question.instance(model.hops)).tolist())


def ask_about_all(dataset: str, gnn: str, job: JobContext | None = None) -> NDArray[np.float32]:
    """What a GNN predicts of every node or graph of its data set. [num_instances, C]"""
    return predict_all(kept_model(dataset, gnn), load_dataset(dataset))


def follow(question: Question, order: Sequence[int], job: JobContext | None = None) -> tuple[Step, ...]:
    """All that is known of the sets on a path that was chosen by hand: flows, cut vertices, parents, reward.

    Args:
        question: Which prediction and flows.
        order: Local nodes in the order in which they were added, the start node first; empty for the start.
        job: See `explain`.

    Returns:
        A step for each size of the set; the last takes STOP.
    """
    return steps_along(*flows_and_path(question, order, job or JobContext()))


def flows_and_path(question: Question, order: Sequence[int], job: JobContext) -> tuple[Flows, list[int]]:
    """The flows of a question, and an order of nodes that was checked; an empty one becomes the start."""
    subject = load(replace(question, start=order[0] if order else question.start))
    named = replace(subject.question, flows=subject.flows)  # a policy is followed however far it is from R/Z
    flows = flows_of(replace(subject, question=named), job)
    path = list(order) or [flows.locate()]
    _check_order(subject.instance, path, flows.config.max_nodes)
    return flows, path


def _check_order(instance: Instance, order: list[int], max_nodes: int) -> None:
    if len(order) > max_nodes:
        raise UserError(f"A subgraph has at most {max_nodes} nodes (got {len(order)}).")
    source, target = instance.edge_index
    for position, node in enumerate(order):
        if not 0 <= node < instance.num_nodes:
            raise UserError(f"The instance has no node {node}: choose one from 0 to {instance.num_nodes - 1}.")
        before = order[:position]
        if before and (node in before or not np.isin(target[source == node], before).any()):
            raise UserError(f"Node {node} cannot be added: it is not a neighbour of the set, or already in it.")
