"""What pages have computed by workers. This module is imported in workers only: it needs torch."""

import contextlib
import json
import time
from collections import OrderedDict
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.config import GNNKind
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.errors import UserError
from gfx_core.explainers import record as recording
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.explainers.mask import mask_of
from gfx_core.explainers.method import Method
from gfx_core.explainers.registry import method_info, ready_method
from gfx_core.gfn.changed import changed_policy
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy
from gfx_core.gfn.paths import policy_path
from gfx_core.gnn.checkpoint import load_model, model_path
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.jobs.context import JobContext
from gfx_core.jobs.tuned import ready_policy
from gfx_core.trace import io

MAX_SAMPLES = 1000

_READY_METHODS = 8  # kept by a worker: some take minutes to learn
_ready: OrderedDict[tuple[str, ...], Method] = OrderedDict()


def prepare(device: str) -> None:
    """Go once through all that an explanation needs, so that the first real one is fast; the imports above do most."""
    with contextlib.suppress(UserError):  # a policy may be missing
        explain_trace(JobContext(device, lambda _share, _words: None, lambda: False), dataset="tree_cycles", index=511)


def explain_trace(
    job: JobContext,
    *,
    dataset: str,
    index: int | None = None,
    smiles: str | None = None,
    kind: str = GNNKind.SUM,
    seed: int = 0,
    samples: int = 64,
    choice: str = "sample",
    start: int | None = None,
    beta: float | None = None,
    max_nodes: int | None = None,
    tuned: bool = False,
) -> str:
    """Explain one prediction by GFlowExplainer, with the policy that is shipped for the data set.

    Args:
        job: Of this job.
        dataset: The data set.
        index: The node or graph, or
        smiles: a molecule.
        kind: The GNN's kind.
        seed: Of what is drawn.
        samples: How many subgraphs are drawn.
        choice: Which one is shown in full.
        start: The local node to start from (graph tasks); by default the locator's choice.
        beta: Another β than the policy's.
        max_nodes: A smaller K_M than the policy's.
        tuned: Whether the policy is trained further on this prediction alone before.

    Returns:
        The trace, as JSON text.
    """
    if not 1 <= samples <= MAX_SAMPLES:
        raise UserError(f"Between 1 and {MAX_SAMPLES} subgraphs can be drawn (got {samples}).")
    _check_seed(seed)
    job.report(0.1, "loading GNN and policy")
    instance, model = _instance(dataset, index, smiles), _model(dataset, kind)
    _check_start(instance, start)
    shipped = _policy(dataset, kind)
    trained = _generator(job, instance, model, shipped, beta, max_nodes, tuned).trained
    explainer = GFlowExplainer(trained.config, samples=samples, seed=seed, device=job.device)
    explainer.trained = trained
    job.report(0.95 if tuned else 0.3, f"drawing {samples} subgraphs")
    trace = explainer.explain(model, instance, choice=choice, start=start)
    job.report(0.97 if tuned else 0.9, "checking the trace")
    if trained.config != shipped.config:
        learnt = {"beta": shipped.config.reward.beta, "max_nodes": shipped.config.max_nodes}
        trace = replace(trace, made={**trace.made, "policy_trained_with": learnt})
    return io.to_json(trace)


def method_mask(
    job: JobContext,
    *,
    dataset: str,
    method: str,
    index: int | None = None,
    smiles: str | None = None,
    kind: str = GNNKind.SUM,
    seed: int = 0,
) -> dict[str, Any]:
    """Score the edges of one instance by any method.

    Returns:
        The fields of a `gfx_core.trace.schema.MethodMask` (``scores`` in the order of a trace's edges; ``seconds`` is
        the time to explain), and ``learning_seconds``: how long the method had to learn before, 0 where it had not.
    """
    _check_seed(seed)
    info = method_info(method)
    job.report(0.0, "loading the GNN")
    instance = _instance(dataset, index, smiles)
    began = time.perf_counter()
    ready = _method(job, info.name, dataset, kind, seed)
    learning = time.perf_counter() - began if info.learns else 0.0
    job.report(0.0, "explaining")
    return {**asdict(mask_of(info.name, ready, instance)), "learning_seconds": learning}


def steps_by_hand(
    job: JobContext,
    *,
    dataset: str,
    order: list[int],
    index: int | None = None,
    smiles: str | None = None,
    kind: str = GNNKind.SUM,
    start: int | None = None,
    beta: float | None = None,
    max_nodes: int | None = None,
    tuned: bool = False,
) -> list[dict[str, Any]]:
    """All that is known of the sets on a path that was chosen by hand: flows, cut vertices, parents, reward.

    Args:
        job: Of this job.
        dataset: The data set.
        order: Local nodes in the order in which they were added, the start node first; empty for the start.
        index: The node or graph, or
        smiles: a molecule.
        kind: The GNN's kind.
        start: Where to start if ``order`` is empty; by default at the explained node or the locator's choice.
        beta: Another β than the policy's.
        max_nodes: A smaller K_M than the policy's.
        tuned: Whether the policy is trained further on this prediction alone before.

    Returns:
        A `gfx_core.trace.schema.Step` for each size of the set, as it stands in a trace's JSON; the last takes STOP.
    """
    generator, order = generator_along(
        job,
        order,
        dataset=dataset,
        index=index,
        smiles=smiles,
        kind=kind,
        start=start,
        beta=beta,
        max_nodes=max_nodes,
        tuned=tuned,
    )
    steps = recording._steps(generator, order[0], np.array(order))
    plain: list[dict[str, Any]] = json.loads(
        json.dumps([asdict(step) for step in steps]),
        parse_constant=str,  # −inf becomes "-Infinity"
    )
    return plain


# What a worker keeps


def generator_along(
    job: JobContext,
    order: list[int],
    *,
    dataset: str,
    index: int | None,
    smiles: str | None,
    kind: str,
    start: int | None = None,
    beta: float | None = None,
    max_nodes: int | None = None,
    tuned: bool = False,
) -> tuple[SubgraphSampler, list[int]]:
    """The policy at work on an instance, and an order of nodes that was checked; an empty one becomes the start.

    The arguments are those of `steps_by_hand`.
    """
    instance, model = _instance(dataset, index, smiles), _model(dataset, kind)
    _check_start(instance, order[0] if order else start)
    generator = _generator(job, instance, model, _policy(dataset, kind), beta, max_nodes, tuned)
    order = order or [generator.locate() if start is None else start]
    _check_order(instance, order, generator.trained.config.max_nodes)
    return generator, order


def _generator(
    job: JobContext,
    instance: Instance,
    model: GNN,
    shipped: TrainedPolicy,
    beta: float | None,
    max_nodes: int | None,
    tuned: bool,
) -> SubgraphSampler:
    """The policy that is asked for, on the instance."""
    trained = changed_policy(shipped, beta=beta, max_nodes=max_nodes)
    predictor = SubgraphPredictor(model, [instance], job.device)
    generator = SubgraphSampler(trained, predictor, instance)
    return SubgraphSampler(ready_policy(job, generator, model), predictor, instance) if tuned else generator


def _model(dataset: str, kind: str) -> GNN:
    if kind not in list(GNNKind):
        raise UserError(f"There is no GNN kind “{kind}”: choose one of {', '.join(GNNKind)}.")
    return _kept_model(dataset, kind, _stamp(model_path(dataset, GNNKind(kind))))


@lru_cache(maxsize=16)
def _kept_model(dataset: str, kind: str, stamp: tuple[int, int]) -> GNN:
    return load_model(dataset, kind)


def _policy(dataset: str, kind: str) -> TrainedPolicy:
    path = policy_path(dataset, kind)
    if not path.is_file():
        raise UserError(
            f"There is no policy for the {kind} GNN of {dataset_info(dataset).title} yet: choose another GNN, or "
            f"train one with: python -m gfx_core train policy --dataset {dataset_info(dataset).name} --gnn {kind}."
        )
    return _kept_policy(path, _stamp(path))


@lru_cache(maxsize=16)
def _kept_policy(path: Path, stamp: tuple[int, int]) -> TrainedPolicy:
    return load_policy(path)


def _method(job: JobContext, name: str, dataset: str, kind: str, seed: int) -> Method:
    model = _model(dataset, kind)
    key = (name, dataset, kind, str(seed), str(_stamp(model_path(dataset, GNNKind(kind)))))
    if key not in _ready:
        _ready[key] = ready_method(
            name,
            model,
            dataset_info(dataset).name,
            seed=seed,
            device=job.device,
            progress=lambda share, words: job.report(share, f"learning: {words}"),
            cancelled=job.cancelled,
        )
        if len(_ready) > _READY_METHODS:
            _ready.popitem(last=False)
    _ready.move_to_end(key)
    return _ready[key]


def _stamp(path: Path) -> tuple[int, int]:
    """Changes when a file is replaced; zeros if it is not there."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


# What may be asked for


def _instance(dataset: str, index: int | None, smiles: str | None) -> Instance:
    if (index is None) == (smiles is None):
        raise UserError("Name a node or graph of the data set, or give a SMILES string: one of the two.")
    if index is not None:
        return load_dataset(dataset).instance(index)
    assert smiles is not None
    if dataset_info(dataset).name != "mutagenicity":
        raise UserError(f"A molecule is explained by the GNN of Mutagenicity, not of {dataset_info(dataset).title}.")
    from gfx_core.datasets.smiles import molecule

    return molecule(smiles)


def _check_seed(seed: int) -> None:
    if not 0 <= seed < 2**32:
        raise UserError(f"The seed must be a whole number from 0 to {2**32 - 1} (got {seed}).")


def _check_start(instance: Instance, start: int | None) -> None:
    if start is None:
        return
    if not 0 <= start < instance.num_nodes:
        raise UserError(f"The instance has no node {start}: choose one from 0 to {instance.num_nodes - 1}.")
    if instance.target is not None and start != instance.target:
        raise UserError(f"The explanation of a node starts at that node, {instance.target} (got {start}).")


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
