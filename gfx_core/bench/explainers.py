"""One explainer on one GNN, scored and timed: masks and answers against the motif, answers against the GNN.

Every method explains the same predictions, those of the reporting half that are right. Its answer keeps as many edges
as GFlowExplainer's answer to the same prediction. Methods that learn do so on the tuning half. A student
(`gfx_core.user_models.student`) may stand between the GNN and any of them.

The settings of every explainer, GFlowExplainer's too, are chosen by one rule (``bench settings``): of four tries the
one whose best-scored edges alone have the highest probability of the GNN's class. What an explainer optimises itself
has no part in it: losses with different prices cannot be compared, and not every explainer has one. The settings to try
are in ``assets/content/settings.toml``.
"""

import copy
import json
import timeit
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn

from gfx_core.arrays import Doubles, Ints, spread
from gfx_core.baselines import registry
from gfx_core.baselines.edge_scores import Scores, edge_marginals, order_weights
from gfx_core.baselines.generators import Generator, on_whole
from gfx_core.baselines.method import Learner
from gfx_core.baselines.registry import METHODS, OWN, chosen_settings, make_method, read_settings
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.studies import AHEAD, CONSTANT, TRAINED_ON, Cell, read_records
from gfx_core.config import ASSETS, FlowSource, FragmentModel
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.exact.articulation import Additions, searched
from gfx_core.explanation.answer import inside, main_modes
from gfx_core.explanation.flows import choose_flows
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.subject import load
from gfx_core.files import write_text
from gfx_core.gfn.cut_vertices import CutVertexTracker
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.gnn.models import constant_gnn
from gfx_core.job_context import JobContext
from gfx_core.metrics.intervals import resampled_aucs, resampling
from gfx_core.metrics.summary import best_edges, outcomes, pooled_auc, truth_edges, undirected_scores
from gfx_core.parallel import Workers, computed, cores
from gfx_core.teaching.lab_graphs import growths
from gfx_core.user_models.student import as_student_reads

FLOWS = (OWN, CONSTANT, AHEAD)
"""GFlowExplainer as a user's GNN is explained, on a GNN whose answer never changes, and by the look-ahead policy."""
Masks = dict[str, list[Scores]]
"""A mask of each instance by each rule. ``auc`` is the rule that is the same for all methods: edge marginals of samples
where a method samples. Such methods have ``auc_order`` besides, order weights of one sample. ``answer`` is 1 on the
edges of an answer whose size the method itself chooses."""


def measure(cell: Cell) -> dict[str, Any]:
    """Explain the instances of a cell by its method and score masks and answers; lists have a number for each instance.

    Options, besides those of `ExplainedGNN.scored`: ``trained_on``, the most instances that a method learns from.
    """
    gnn = ExplainedGNN(cell)
    instances, values = gnn.scored()
    if gnn.student is not None:
        values["student_chosen"] = gnn.student.is_better
    if not instances:
        return values
    settings = chosen_settings(OWN if cell.method in FLOWS else cell.method, cell.dataset)
    masks = explain(gnn, instances, gnn.indices(Half.TUNING, cell.options["trained_on"]), settings)
    answers = masks.pop("answer", None)
    sizes = [int(mask.sum()) // 2 for mask in answers] if answers else answer_sizes(cell, len(instances))
    rows = []
    for instance, mask, size in zip(instances, answers or masks["auc"], sizes, strict=True):
        answer, motif = best_edges(undirected_scores(instance, mask), size), truth_edges(instance)
        outcome = outcomes(gnn.model, instance, mask, [size])
        f1 = 2 * (answer & motif).sum() / max(1, size + motif.sum())
        alone = outcome.only[0, outcome.explained_class]
        rows.append({"f1": f1, "alone": alone, "needed": outcome.plus[0], "sizes": size})
    values |= {rule: pooled_auc(instances, of) for rule, of in masks.items()}
    counts = resampling(values["owners"])[:, np.array(values["right"], dtype=bool)]
    scores = list(map(undirected_scores, instances, masks["auc"]))
    values["auc_resampled"] = plain(resampled_aucs(list(map(truth_edges, instances)), scores, counts))
    of_instances: Any = pd.DataFrame(rows).round(4).to_dict("list")
    return values | of_instances


def plain(resampled: Doubles) -> list[float | None]:
    """Resampled numbers as JSON."""
    return [round(value, 4) if np.isfinite(value) else None for value in resampled.tolist()]


def answer_sizes(cell: Cell, count: int) -> list[int]:
    """How many edges GFlowExplainer's answers to the first ``count`` instances have, by its record of the same GNN."""
    own, sizes = replace(cell, method=OWN, seed=0).key, read_records("explainers")["sizes"]
    if own not in sizes:
        raise UserError(f"The size of an answer is that of {METHODS[OWN].title}, which is to be measured first.")
    return sizes[own][:count].tolist()


def explain(gnn: ExplainedGNN, instances: Sequence[Instance], trained_on: Ints, settings: Mapping[str, Any]) -> Masks:
    """The masks that the method of a cell gives some instances.

    Args:
        gnn: What is explained.
        instances: Instances of the GNN.
        trained_on: Indices of those that a method which learns learns from.
        settings: Of the method.
    """
    cell, model = gnn.cell, gnn.model
    if cell.method in FLOWS:
        return by_flows(gnn, instances, settings)
    learnt = gnn.instances(trained_on)
    if gnn.student is not None:
        model = gnn.student.student.to(cell.device)
        instances, learnt = list(map(as_student_reads, instances)), map(as_student_reads, learnt)
    method = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device)
    if isinstance(method, Learner):
        method.fit(list(learnt))
    if not isinstance(method, Generator):
        return {"auc": [method.explain(instance).edge_mask for instance in instances]}
    orders = method.draw(instances).orders
    marginals, by_order = map(edge_marginals, instances, orders), map(order_weights, instances, orders[:, 0])
    return {"auc": list(marginals), "auc_order": list(by_order)}


def by_flows(gnn: ExplainedGNN, instances: Sequence[Instance], settings: Mapping[str, Any]) -> Masks:
    """GFlowExplainer without a limit of time, as a user's GNN is explained or by the look-ahead policy.

    Args:
        gnn: What is explained, by one of `FLOWS`.
        instances: Instances of the GNN.
        settings: The price of a node.
    """
    cell = gnn.cell
    model = constant_gnn(gnn.model) if cell.method == CONSTANT else gnn.model
    masks: Masks = defaultdict(list)
    for instance in instances:
        user = UserPrediction(model, instance)
        question = Question(user=user, seconds=None, seed=cell.seed, fragments=FragmentModel.AS_IS, **settings)
        if cell.method == AHEAD:
            question = replace(question, flows=FlowSource.LEARNED)
        flows = choose_flows(replace(load(question), taught=gnn.student), JobContext(cell.device))
        part = flows.instance  # flows may be on a part of the instance
        samples = flows.sample(question.samples, question.seed)
        reasons = [inside(part, mode.nodes) for mode in main_modes(part, samples)]
        of_part = {
            "auc": edge_marginals(part, samples.orders),
            "auc_order": order_weights(part, samples.orders[0]),
            "answer": part.both_directions(np.any(reasons, axis=0)),
        }
        for rule, mask in of_part.items():
            masks[rule].append(on_whole(instance, part, mask))
    return masks


# Times: what users call is timed, ``fit`` on some instances and ``explain`` on one.


SUBGRAPHS = {"one_ms": 1, "many_ms": 256}
"""How many subgraphs grow at a time."""
NODES = 20
"""How many nodes each has in the end: the paper's K_M."""


def times(cell: Cell) -> dict[str, float]:
    """Milliseconds and seconds of one method, on all cores; cells are to be computed one at a time.

    Options: ``instances``, how many are trained on; ``alone``, how many of them are explained.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(cores())
    try:
        return (cut_vertex_times if cell.method in ("tracker", "tarjan") else explanation_times)(cell)
    finally:
        torch.set_num_threads(threads)


def explanation_times(cell: Cell) -> dict[str, float]:
    """Seconds of training where an explainer learns, and the median of some instances, each explained alone."""
    gnn, values, settings = ExplainedGNN(cell), dict[str, float](), chosen_settings(cell.method, cell.dataset)
    instances = list(gnn.instances(spread(gnn.dataset.explainable, cell.options["instances"])))
    method = make_method(cell.method, gnn.model, settings, seed=cell.seed, device=cell.device)
    if isinstance(method, Learner):
        values["fit_s"] = timeit.timeit(partial(method.fit, instances), number=1)
    method.explain(instances[0])  # warms up
    numbers = spread(np.arange(len(instances)), cell.options["alone"])
    seconds = [timeit.timeit(partial(method.explain, instances[number]), number=1) for number in numbers]
    return values | {"alone_ms": 1e3 * float(np.median(seconds))}


def cut_vertex_times(cell: Cell) -> dict[str, float]:
    """Milliseconds to know the cut vertices after each node that is added to some subgraphs of an instance."""
    index = int(np.random.RandomState(cell.seed).choice(load_dataset(cell.dataset).explainable))
    values = {}
    for name, count in SUBGRAPHS.items():
        additions = growths(cell.dataset, index, NODES, cell.seed, count)
        follow = tracking(additions) if cell.method == "tracker" else partial(searched, additions)
        follow()  # the first operations of a process are slow
        values[name] = 1e3 * min(timeit.repeat(follow, repeat=5, number=1))
    return values


def tracking(additions: Sequence[Additions]) -> Callable[[], None]:
    """What follows some subgraphs at once by Theorem 1; their links are laid out before."""
    links = torch.zeros(NODES, len(additions), NODES, dtype=torch.bool)
    for number, growth in enumerate(additions):
        for step, touched in enumerate(growth):
            links[step, number, touched] = True

    def follow() -> None:
        tracker = CutVertexTracker(len(additions), NODES)
        for linked in links:
            tracker.add(linked)
            tracker.cut  # noqa: B018 (it is computed here)

    return follow


# Settings


EXPLAINED = 20
"""Instances of the tuning half on which settings are tried."""
EDGES = (3, 6, 9, 12)
"""How many of the best-scored edges are kept alone."""
TRIES: dict[str, Any] = tomllib.loads((ASSETS / "content" / "settings.toml").read_text(encoding="utf-8"))
"""Settings to try, by explainer."""


def criterion(model: nn.Module, instances: Sequence[Instance], masks: Sequence[Scores]) -> float:
    """The mean probability of the GNN's class on an instance's best-scored edges alone, over `EDGES` and instances."""
    values = []
    for instance, mask in zip(instances, masks, strict=True):
        outcome = outcomes(model, instance, mask, [k for k in EDGES if k <= len(instance.undirected)])
        values.append(outcome.only[:, outcome.explained_class].mean())
    return float(np.mean(values))


def best_settings(_shared: None, cell: Cell) -> dict[str, Any]:
    """The settings of one explainer: those that are best of its tries; masks are those of the main tables.

    Returns:
        Plain JSON: ``settings``, and of all ``tries`` settings, the ``value`` of the criterion.
    """
    gnn = ExplainedGNN(cell)
    tuning = spread(half_of(gnn.dataset.explainable, Half.TUNING), TRAINED_ON)
    instances = list(gnn.instances(tuning))
    scored, tries = list(compress(instances, gnn.right(instances))), []
    scored = [scored[number] for number in spread(np.arange(len(scored)), EXPLAINED)]
    for settings in TRIES.get(cell.method, [{}]):
        value = criterion(gnn.model, scored, explain(gnn, scored, tuning, settings)["auc"])
        tries.append({"settings": settings, "value": round(value, 4)})
    best = max(tries, key=itemgetter("value"))  # the first of those that are level
    return {"settings": best["settings"], "tries": tries, "made": provenance(cell.device)}


def choose_settings(datasets: Sequence[str], methods: Sequence[str], where: Workers) -> Iterator[str]:
    """Choose settings and write those of each method as they are found, with a line; what the file has of others stays.

    Args:
        datasets: The first of the usual GNNs of each is explained, on a CPU.
        methods: The explainers.
        where: Where to compute.
    """
    cells = [Cell("settings", dataset, method, gnn=f"{DEFAULT_KIND}-0") for dataset in datasets for method in methods]
    settings = copy.deepcopy(read_settings(registry.SETTINGS))
    for cell, chosen in computed(best_settings, None, cells, where):
        if chosen is not None:
            settings.setdefault(cell.dataset, {})[cell.method] = chosen
            write_text(registry.SETTINGS, json.dumps(settings, indent=1, sort_keys=True) + "\n")
        yield f"{cell.key}: {'failed, its worker died twice' if chosen is None else chosen['settings']}"
