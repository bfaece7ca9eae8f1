"""Answers to questions: from a Question to a Trace, in a worker or in a notebook. Needs torch.

What takes long to load or to learn is kept by the process: models, policies, and explainers that have learnt.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.baselines.method import Method
from gfx_core.baselines.registry import METHODS, learnt_path, method_info, ready_method
from gfx_core.config import FlowSource
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.device import to_explain
from gfx_core.errors import UserError
from gfx_core.exact.state_dag import TooManyStates
from gfx_core.explanation import trace as recording
from gfx_core.explanation.durations import tuning_plan
from gfx_core.explanation.finetune import OneStart, TraceMethod, finetuned_policy, policy_from_scratch
from gfx_core.explanation.on_the_spot import locate, most_listable
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.explanation.samplers import ExactSampler, Listing, SubgraphSampler, SubgraphSource
from gfx_core.files import fingerprint, stamp
from gfx_core.gfn.checkpoint import TrainedPolicy, changed_config, changed_policy, load_policy
from gfx_core.gfn.own_policies import own_policy, policy_file
from gfx_core.gfn.settings import GFNConfig, policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model, model_path
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor, predict_all, predict_instance
from gfx_core.job_context import JobContext
from gfx_core.metrics.edges import undirected_scores
from gfx_core.metrics.fidelity import COUNTED_EDGES, outcomes
from gfx_core.metrics.summary import BY_TRUTH, explanation_size, summarise
from gfx_core.trace import serialize
from gfx_core.trace.schema import COLLAPSED, GNN_PRINT, LISTABLE, MethodMask, Step, Trace
from gfx_core.user_data.store import home_of, is_own, same_dataset


def mask_of(name: str, method: Method, instance: Instance) -> MethodMask:
    """One method's answer on one instance as it stands in a trace: scores, time and metrics.

    It is measured against the truth only where a true reason is known.

    Args:
        name: The method's name in the registry.
        method: The method, ready to explain.
        instance: The instance.
    """
    began = time.perf_counter()
    found = method.explain(instance)
    seconds = time.perf_counter() - began
    counts = np.arange(1, min(COUNTED_EDGES, len(instance.undirected)) + 1)
    at_size, fidelity = None, None
    if len(counts):  # all that the GNN is asked, at once
        both = outcomes(method.model, instance, found.edge_mask, [explanation_size(instance), *counts])
        at_size, fidelity = both.at(slice(1)), both.at(slice(1, None))
    metrics = summarise(method.model, instance, found.edge_mask, known=at_size)
    if fidelity is not None and not instance.has_reason(fidelity.explained_class):
        metrics |= dict.fromkeys(BY_TRUTH)
    return MethodMask(
        method=name,
        scores=tuple(undirected_scores(instance, found.edge_mask).tolist()),
        seconds=seconds,
        metrics={key: float(value) for key, value in metrics.items() if value is not None}
        | ({COLLAPSED: 1.0} if found.note else {}),
        plus=() if fidelity is None else tuple(fidelity.plus.tolist()),
        minus=() if fidelity is None else tuple(fidelity.minus.tolist()),
    )


_READY_METHODS = 8  # some take minutes to learn
QUICK_CAP = 10_000
"""Where an instance has too many states, it is told with how many nodes it has no more than this."""
_ready: OrderedDict[tuple[object, ...], Method] = OrderedDict()


Watch = Callable[[Trainer], None]
"""Listens to a trainer's events."""


def explain(question: Question, job: JobContext | None = None, watch: Watch | None = None) -> Trace:
    """Explain one prediction by GFlowExplainer: with the policy that is kept for its GNN, or by exact flows.

    Args:
        question: Which prediction, and how.
        job: Told how far it is; it also says where to compute (the CPU by default).
        watch: Given the trainer where the policy is first trained on this prediction.
    """
    job = job or JobContext()
    job.report(0.1, "loading the GNN")
    subject = _LoadedQuestion.of(question)
    generator = subject.generator(job, watch)
    doing = "listing all" if question.flows is FlowSource.EXACT else f"drawing {question.samples}"
    job.report(0.95 if question.tuned else 0.3, f"{doing} subgraphs")
    trace = recording.record(
        generator,
        seed=question.seed,
        samples=question.samples,
        choice=question.choice,
        start=subject.question.start,
        model_name=str(subject.model.kind),
    )
    known = fingerprint(model_path(question.dataset, question.gnn))
    trace = replace(trace, made={**trace.made, GNN_PRINT: known})
    shipped = subject.shipped
    if generator.config.reward != shipped.reward or generator.config.max_nodes != shipped.max_nodes:
        reward = shipped.reward
        learnt = {"beta": reward.beta, "node_price": reward.price("nodes"), "max_nodes": shipped.max_nodes}
        trace = replace(trace, made={**trace.made, "policy_trained_with": learnt})
    return trace


def explain_somehow(question: Question, job: JobContext | None = None, watch: Watch | None = None) -> Trace:
    """Like `explain`; where there are too many states for exact flows, by the next best: the trace says by which.

    Where there is a policy, by its flows. Where there is none, by exact flows on subgraphs of somewhat fewer nodes; and
    where even these are too many, by a policy that is trained on this prediction.
    """
    try:
        return explain(question, job, watch)
    except TooManyStates:
        if not (_policy_file(question).is_file() or on_the_spot(question)):
            raise
        if (fewer := _with_fewer(question)) is not None:
            return explain(fewer, job, watch)
        trace = explain(replace(question, flows=FlowSource.LEARNED), job, watch)
    start, most = trace.steps[0].members[0], trace.made["config"]["max_nodes"]
    known = most_listable(_LoadedQuestion.of(question).instance, start, most - 1, QUICK_CAP, least=3)
    return replace(trace, made={**trace.made, LISTABLE: known}) if known else trace


def _with_fewer(question: Question) -> Question | None:
    """The same with as many nodes as can be listed, where no policy is there to do better."""
    if not on_the_spot(question) or question.max_nodes is not None:
        return None
    subject = _LoadedQuestion.of(question)
    start = subject.instance.target if subject.question.start is None else subject.question.start
    assert start is not None
    most = most_listable(subject.instance, start, subject.shipped.max_nodes - 1, ExactSampler.cap)
    return None if most is None else replace(question, max_nodes=most)


def score_edges(question: Question, method: str, job: JobContext | None = None) -> MethodMask:
    """Score the edges of an instance by any method, in the order of a trace's edges; one that learns learns first."""
    job = job or JobContext()
    info = method_info(method)
    job.report(0.0, "loading the GNN")
    subject = _LoadedQuestion.of(question)
    if info.name == "gflowexplainer" and on_the_spot(question):
        alone = TraceMethod(subject.model, lambda: explain_somehow(replace(question, flows=FlowSource.EXACT), job))
        return mask_of(info.name, alone, subject.instance)
    ready = _method(info.name, question, subject.model, job)
    job.report(0.0, "explaining")
    return mask_of(info.name, ready, subject.instance)


def ask(question: Question, checkpoint: Path) -> tuple[float, ...]:
    """What the GNN in a file says of an instance: the probability of each class."""
    model = _checkpoint(question.dataset, checkpoint, stamp(checkpoint))
    return tuple(predict_instance(model, question.instance(model.hops)).tolist())


def ask_about_all(dataset: str, checkpoint: Path) -> NDArray[np.float32]:
    """The same of every node or graph of its data set. [num_instances, C]"""
    return predict_all(_checkpoint(dataset, checkpoint, stamp(checkpoint)), load_dataset(dataset))


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
    subject = _LoadedQuestion.of(replace(question, start=order[0] if order else question.start))
    generator = subject.generator(job)
    start = subject.question.start
    path = list(order) or [generator.locate() if start is None else start]
    _check_order(subject.instance, path, generator.config.max_nodes)
    return generator, path


@dataclass(frozen=True, eq=False)
class _LoadedQuestion:
    """What a question is about, loaded."""

    question: Question
    instance: Instance
    model: GNN

    @classmethod
    def of(cls, question: Question) -> "_LoadedQuestion":
        model = kept_model(question.dataset, question.gnn)
        instance = question.instance(model.hops)
        instance.check_start(question.start)
        if instance.target is None and question.start is None and on_the_spot(question):
            version = stamp(model_path(question.dataset, question.gnn))
            question = replace(question, start=_located(question.prediction, version))
        return cls(question, instance, model)

    @property
    def _policy(self) -> TrainedPolicy | None:
        """The policy that is kept for the GNN; exact flows can do without one, or with one that cannot be read."""
        question = self.question
        if on_the_spot(question):
            return None
        try:
            return kept_policy(question.dataset, question.gnn, question.own)
        except UserError:
            if question.flows is not FlowSource.EXACT or question.own:
                raise
            return None

    @property
    def shipped(self) -> GFNConfig:
        """The usual settings: those of the policy, or of the one that would be trained."""
        policy = self._policy
        return policy_config(self.question.dataset) if policy is None else policy.config

    def generator(self, job: JobContext, watch: Watch | None = None) -> SubgraphSource:
        """The flows that are asked for, on the instance."""
        question, shipped = self.question, self._policy
        trains = question.tuned or (shipped is None and question.flows is not FlowSource.EXACT)
        device = job.device if trains else to_explain(job.device, self.instance.num_nodes)
        predictor = SubgraphPredictor(self.model, [self.instance], device)
        changes: dict[str, Any] = {
            "beta": question.beta,
            "node_price": question.node_price,
            "max_nodes": question.max_nodes,
        }
        listings = _listings(replace(question.policy, tuned=False, flows=FlowSource.LEARNED, start=None), *self._stamps)
        if shipped is None and question.flows is FlowSource.EXACT:
            return ExactSampler(changed_config(self.shipped, **changes), predictor, self.instance, listings=listings)
        if shipped is None:
            start = self.instance.target if question.start is None else question.start
            home = home_of(question.dataset)
            assert start is not None
            assert home is not None
            spot = changed_config(self.shipped, **changes), predictor, self.instance, start
            return OneStart(policy_from_scratch(job, *spot, home / "tuned", watch), *spot[1:], listings)
        trained = changed_policy(shipped, **changes)
        learned = SubgraphSampler(trained, predictor, self.instance, listings=listings)
        if question.tuned:
            epochs, _ = tuning_plan(self.instance.num_nodes)
            tuned = finetuned_policy(job, learned, self.model, epochs, watch)
            learned = SubgraphSampler(tuned, predictor, self.instance, listings=listings)
        return ExactSampler.beside(learned) if question.flows is FlowSource.EXACT else learned

    @property
    def _stamps(self) -> tuple[tuple[int, int], tuple[int, int]]:
        dataset, kind = self.question.dataset, self.question.gnn
        return stamp(model_path(dataset, kind)), stamp(_policy_file(self.question))


@lru_cache(maxsize=4)
def _listings(question: Question, *versions: tuple[int, int]) -> dict[int, Listing]:
    """What is known of an instance's states: whoever follows a trajectory by hand asks again and again."""
    return {}


@lru_cache(maxsize=64)
def _located(prediction: Question, version: tuple[int, int]) -> int:
    """Where the explanation of a graph starts that no policy has learnt: whoever asks about it asks several times."""
    model = kept_model(prediction.dataset, prediction.gnn)
    instance = prediction.instance(model.hops)
    return locate(policy_config(prediction.dataset), SubgraphPredictor(model, [instance], "cpu"), instance)


def on_the_spot(question: Question) -> bool:
    """Whether there is no policy, but one is trained when it is needed: so it is with somebody's own data."""
    return is_own(question.dataset) and not _policy_file(question).is_file()


def _policy_file(question: Question) -> Path:
    return policy_file(question.dataset, question.gnn, question.own)


def kept_model(dataset: str, kind: str) -> GNN:
    """The GNN of a data set; a replaced file is read again."""
    return _kept_model(dataset, kind, stamp(model_path(dataset, kind)))


@lru_cache(maxsize=16)
def _kept_model(dataset: str, kind: str, version: tuple[int, int]) -> GNN:
    return load_model(dataset, kind)


@lru_cache(maxsize=16)
def _checkpoint(dataset: str, path: Path, version: tuple[int, int]) -> GNN:
    return load_model(dataset, path=path)


def kept_policy(dataset: str, kind: str, own: str = "") -> TrainedPolicy:
    """The policy for a data set's GNN, or one that was trained here, by its name; a replaced file is read again."""
    path = policy_file(dataset, kind, own)
    if own:
        about = own_policy(own, dataset)
        if not same_dataset(about.dataset, dataset) or about.gnn != kind:
            title = dataset_info(about.dataset).title
            raise UserError(f"This policy explains the {about.gnn} GNN of {title}: choose a prediction of that one.")
    if not path.is_file():
        info = dataset_info(dataset)
        raise UserError(
            f"There is no policy for the {kind} GNN of {info.title} yet: choose another GNN, or "
            f"train one with: python -m gfx_core train policy --dataset {info.name} --gnn {kind}."
        )
    return _kept_policy(path, stamp(path))


@lru_cache(maxsize=16)
def _kept_policy(path: Path, version: tuple[int, int]) -> TrainedPolicy:
    return load_policy(path)


def _method(name: str, question: Question, model: GNN, job: JobContext) -> Method:
    key = (name, question.dataset, question.gnn, question.seed, stamp(model_path(question.dataset, question.gnn)))
    if key not in _ready:
        _ready[key] = ready_method(name, model, question.dataset, seed=question.seed, job=job)
        if len(_ready) > _READY_METHODS:
            _ready.popitem(last=False)
    _ready.move_to_end(key)
    return _ready[key]


def _check_order(instance: Instance, order: list[int], max_nodes: int) -> None:
    if len(order) > max_nodes:
        raise UserError(f"A subgraph has at most {max_nodes} nodes (got {len(order)}).")
    source, target = instance.edge_index
    within = np.zeros(instance.num_nodes, dtype=bool)
    for position, node in enumerate(order):
        if not 0 <= node < instance.num_nodes:
            raise UserError(f"The instance has no node {node}: choose one from 0 to {instance.num_nodes - 1}.")
        if position and (within[node] or not within[target[source == node]].any()):
            raise UserError(f"Node {node} cannot be added: it is no neighbour of the set, or in it already.")
        within[node] = True


def record_shipped(folder: Path | None = None, device: str = "cpu") -> Iterator[Path]:
    """Record the shipped traces: 64 samples, seed 0, and the masks of all methods that are ready."""
    job = JobContext(device)
    for question in SHIPPED:
        masks = tuple(score_edges(question, method, job) for method in _ready_methods(question))
        path = (folder or question.shipped_trace.parent) / question.shipped_trace.name
        serialize.save(replace(explain(question, job), masks=masks), path)
        yield path


def _ready_methods(question: Question) -> list[str]:
    """The explainers that need not learn first, or whose weights are shipped."""
    return [
        name
        for name, info in METHODS.items()
        if not info.learns or learnt_path(name, question.dataset, question.gnn).is_file()
    ]
