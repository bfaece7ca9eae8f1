"""One explainer on the predictions of one GNN: edge scores and answers against the motif and against the GNN.

Every method explains the same instances of the reporting half and keeps as many edges as GFlowExplainer's answer to the
same prediction has. Methods that learn do so on instances of the tuning half. A *student* (`gfx_core.user_models`) may
stand between the GNN and any of the explainers, not ours alone.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from gfx_core.arrays import Doubles, Ints
from gfx_core.baselines.edge_scores import Scores, best_of, edge_marginals, order_weights
from gfx_core.baselines.generators import Generator
from gfx_core.baselines.method import Learner, Method, answer_nodes
from gfx_core.baselines.registry import chosen_settings, make_method
from gfx_core.bench.digest import code_digest, file_digest
from gfx_core.bench.study import STUDENT, Cell, gnn_file
from gfx_core.bench.subjects import subject_gnn
from gfx_core.bench.tables import CONSTANT, OWN, SHIPPED
from gfx_core.config import FragmentModel, data_root
from gfx_core.datasets.graph import GraphDataset, Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation.answer import inside, main_modes, marginals_of
from gfx_core.explanation.flows import flows_for
from gfx_core.explanation.fragments import known_of
from gfx_core.explanation.loading import load
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.result import scores_on_edges
from gfx_core.explanation.run import explained
from gfx_core.files import replacing
from gfx_core.gnn.models import GNN, constant_gnn
from gfx_core.job_context import JobContext
from gfx_core.metrics.edges import best_edges, pooled_auc, truth_edges, undirected_scores
from gfx_core.metrics.intervals import motif_of, resampled_aucs, resampling
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.predictor import predictor_on
from gfx_core.user_models.student import TrainedStudent, as_student_reads

Bools = NDArray[np.bool_]
_DIGITS = 4  # of resampled numbers


@dataclass(frozen=True)
class Found:
    """What an explainer found for some instances.

    Attributes:
        masks: A score for each directed edge. [e] each
        kept: The edges of its answer, where it chooses their number itself. [E] each
        rules: Scores by other rules than the one for all, where it samples.
        about: What else is known: seconds, how many were listed, collapsed answers.
    """

    masks: list[Scores]
    kept: list[Bools] | None = None
    rules: dict[str, list[Scores]] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)


Explainer = Callable[[Sequence[Instance]], Found]


@dataclass(frozen=True, eq=False)
class CellInstances:
    """The instances that a cell is about, and the GNN whose predictions are explained."""

    cell: Cell

    @cached_property
    def dataset(self) -> GraphDataset:
        return load_dataset(self.cell.dataset)

    @cached_property
    def _loaded(self) -> tuple[nn.Module, float]:
        kind, seed = self.cell.gnn.rsplit("-", 1)
        return subject_gnn(self.cell.dataset, kind, int(seed), self.cell.device)

    @property
    def model(self) -> nn.Module:
        """The GNN that is explained."""
        return self._loaded[0]

    @property
    def accuracy(self) -> float:
        """Of the GNN, on the test part."""
        return self._loaded[1]

    @cached_property
    def subject(self) -> ModelInstances:
        return ModelInstances(self.model, self.dataset, device=self.cell.device)

    @cached_property
    def taught(self) -> TrainedStudent:
        """The student of the GNN, trained once and kept."""
        user = UserPrediction(self.model, self.subject.instance(int(self._chosen[0])), subject=self.subject)
        return known_of(load(Question(user=user, seconds=None))).student(JobContext(self.cell.device))

    @cached_property
    def _chosen(self) -> Ints:
        return one_of_each_motif(self.dataset, str(self.cell.options["half"]), self.cell.options.get("limit"))

    def instance(self, index: int) -> Instance:
        if isinstance(self.model, GNN):
            return self.dataset.instance(index, hops=self.model.hops)
        return self.subject.instance(index)

    @cached_property
    def every(self) -> list[Instance]:
        return [self.instance(int(index)) for index in self._chosen]

    @cached_property
    def right(self) -> Bools:
        """Which of them the GNN predicts correctly. [I]"""
        predicted = predictor_on(self.model, self.every, self.cell.device).whole.predicted.cpu().numpy()
        return predicted == np.array([instance.y for instance in self.every])

    @cached_property
    def scored(self) -> list[Instance]:
        """Those that are scored: what is explained is the GNN's prediction, and a wrong one has another reason."""
        return [instance for instance, good in zip(self.every, self.right, strict=True) if good]

    @property
    def queried(self) -> nn.Module:
        """The model that an explainer queries: the GNN, or its student."""
        return self.taught.student.to(self.cell.device) if self.cell.variant == STUDENT else self.model

    def read(self, instances: Sequence[Instance]) -> list[Instance]:
        """Instances as the queried model reads them."""
        return [as_student_reads(each) for each in instances] if self.cell.variant == STUDENT else list(instances)

    @cached_property
    def tuning(self) -> list[Instance]:
        """What a method learns from."""
        chosen = one_of_each_motif(self.dataset, str(Half.TUNING), self.cell.options["trained_on"])
        return [self.instance(int(index)) for index in chosen]


def one_of_each_motif(dataset: GraphDataset, half: str, limit: int | None) -> Ints:
    """Instances of a half: one of each motif first, then the others, in the half's random order."""
    indices = half_of(dataset.explainable, half)
    if dataset.num_instances == dataset.num_nodes and limit is not None:
        _, first = np.unique(dataset.motif[indices], return_index=True)
        others = np.setdiff1d(np.arange(len(indices)), first)
        indices = indices[np.concatenate([np.sort(first), others])]
    return indices[:limit]


def score(cell: Cell) -> dict[str, Any]:
    """Explain the instances of a cell by its method and score what came of it.

    Options: ``device``; ``half``; ``limit``, so many instances; ``trained_on``, so many instances for methods that
    learn; ``epochs``, another length of their learning; ``noise``, whether to explain with more edges, too.
    """
    subject = CellInstances(cell)
    values: dict[str, Any] = {
        "instances": len(subject.every),
        "wrong": int((~subject.right).sum()),
        "owners": [motif_of(instance) for instance in subject.every],
        "right": subject.right.astype(int).tolist(),
        "accuracy": subject.accuracy,
    }
    if not subject.scored:
        return values
    if cell.variant == STUDENT:
        known = {name: getattr(subject.taught, name) for name in ("agreement", "divergence", "as_is", "constant")}
        values["student"] = known | {"chosen": subject.taught.is_better}
    explain, about = explainer_of(subject)
    found = sized(subject, explain(subject.scored), subject.scored)
    if (cell.method, cell.seed) == (OWN, 0):
        keep_sizes(subject, found)
    values |= about | found.about | scores(subject, found)
    if cell.options.get("noise") and cell.method != SHIPPED:
        values["noise"] = with_noise_edges(subject, explain, found)
    return values


def explainer_of(subject: CellInstances) -> tuple[Explainer, dict[str, Any]]:
    """The method of a cell, ready to explain, and what is known of its making."""
    cell, student = subject.cell, subject.taught if subject.cell.variant == STUDENT else None
    if cell.method == OWN:
        return lambda instances: gflow(subject, instances, subject.model, student), {}
    if cell.method == CONSTANT:
        assert isinstance(subject.model, GNN)
        constant = constant_gnn(subject.model)
        return lambda instances: gflow(subject, instances, constant, None), {}
    if cell.method == SHIPPED:
        return lambda instances: shipped(cell, instances), {}
    settings = chosen_settings(cell.method, cell.dataset, "sum")
    epochs, model = cell.options.get("epochs"), subject.queried
    method = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=epochs)
    about: dict[str, Any] = {"settings": settings} if settings else {}
    if isinstance(method, Learner):
        method.fit(subject.read(subject.tuning))
        about["fit_s"] = method.fit_seconds
    return lambda instances: by_method(method, subject.read(instances)), about


def by_method(method: Method, instances: Sequence[Instance]) -> Found:
    """What any explainer finds; one that samples subgraphs is scored by the same rule as GFlowExplainer."""
    began = time.perf_counter()
    found = method.explain_many(instances)
    seconds = (time.perf_counter() - began) / len(instances)
    about = {"seconds": seconds, "collapsed": sum(bool(one.note) for one in found)}
    masks = [one.edge_mask for one in found]
    if not isinstance(method, Generator):
        return Found(masks, about=about)
    samples = method.draw(instances)
    rules = by_rules(instances, samples.orders, samples.log_reward) | {"own": masks}
    return Found(rules.pop("marginals"), rules=rules, about=about)


def sized(subject: CellInstances, found: Found, instances: Sequence[Instance]) -> Found:
    """Answers with as many edges as GFlowExplainer's have, for a method that only ranks them."""
    if found.kept is not None:
        return found
    each = zip(instances, found.masks, gflow_sizes(subject), strict=True)
    return replace(found, kept=[best_edges(undirected_scores(one, mask), size) for one, mask, size in each])


def with_noise_edges(subject: CellInstances, explain: Explainer, before: Found) -> list[float]:
    """F1 between the answers with and without a few more edges, where the GNN predicts the same."""
    rng = np.random.RandomState(0)
    noisy = [noise_edges(instance, rng) for instance in subject.scored]
    predicted, now = (
        predictor_on(subject.model, instances, subject.cell.device).whole.predicted.cpu().numpy()
        for instances in (subject.scored, noisy)
    )
    after = sized(subject, explain(noisy), noisy)
    assert before.kept is not None
    assert after.kept is not None
    found = []
    for number in np.flatnonzero(predicted == now):
        ends = [
            {tuple(pair) for pair in instance.edge_index[:, instance.undirected[kept[number]]].T.tolist()}
            for instance, kept in ((subject.scored[number], before.kept), (noisy[number], after.kept))
        ]
        found.append(2 * len(ends[0] & ends[1]) / max(1, len(ends[0]) + len(ends[1])))
    return [round(each, _DIGITS) for each in found]


def noise_edges(instance: Instance, rng: np.random.RandomState) -> Instance:
    """An instance with one edge more for each twenty that it has, none within the motif; as it is if it is all."""
    own, there = instance.own_nodes, set(map(tuple, instance.edge_index.T.tolist()))
    pairs = combinations(range(instance.num_nodes), 2)
    possible = [(a, b) for a, b in pairs if (a, b) not in there and not (own[a] and own[b])]
    count = min(len(possible), max(1, len(instance.undirected) // 20))
    chosen = [possible[number] for number in rng.permutation(len(possible))[:count]]
    if not chosen:
        return instance
    added = np.array(chosen, dtype=np.int64).T
    edges = np.concatenate([instance.edge_index, added, added[::-1]], axis=1)
    motif = np.concatenate([instance.edge_motif, np.full(2 * count, -1)])
    order = np.lexsort((edges[1], edges[0]))
    return replace(instance, edge_index=edges[:, order], edge_motif=motif[order], edge_order=None)


def by_rules(instances: Sequence[Instance], orders: Iterable[Ints], log_reward: Iterable[Doubles]) -> dict[str, Any]:
    """Edge scores of sampled subgraphs by each rule: marginals as sampled, order weights of one, the best one."""
    each = list(zip(instances, orders, log_reward, strict=True))
    return {
        "marginals": [edge_marginals(instance, some) for instance, some, _ in each],
        "order": [order_weights(instance, some[0]) for instance, some, _ in each],
        "best": [best_of(instance, some, reward, answer_nodes(instance.info)) for instance, some, reward in each],
    }


def gflow(
    subject: CellInstances,
    instances: Sequence[Instance],
    model: nn.Module,
    taught: TrainedStudent | None,
    settings: Mapping[str, Any] | None = None,
) -> Found:
    """GFlowExplainer as `explain` does it for a user's GNN, without a limit of time.

    Args:
        subject: What is explained.
        instances: Its instances.
        model: The GNN, or a control in its place.
        taught: The student to query about fragments, if any.
        settings: The price of a node; by default the one that was chosen for the data set.
    """
    settings = chosen_settings(OWN, subject.cell.dataset, "sum") if settings is None else settings
    device, price = subject.cell.device, settings.get("node_price")
    data = subject.subject if model is subject.model else ModelInstances(model, subject.dataset, device=device)
    masks: dict[str, list[Scores]] = {name: [] for name in ("marginals", "own", "order", "best")}
    kept: list[Bools] = []
    listed, reasons, unsampled, seconds = 0, 0, 0, 0.0
    for instance in instances:
        began = time.perf_counter()
        user = UserPrediction(model, instance, subject=data)
        question = Question(user=user, seconds=None, node_price=price, seed=subject.cell.seed)
        question = replace(question, fragments=FragmentModel.AS_IS)
        ready = flows_for(replace(load(question), taught=taught), JobContext(device))
        source = ready.source
        samples = source.draw(question.samples, question.seed, ready.start)
        known = source.distribution(ready.start)
        modes = main_modes(source.instance, samples, known)
        seconds += time.perf_counter() - began
        part = source.instance
        scored = by_rules([part], [samples.orders], [samples.log_reward]) | {
            "own": [part.both_directions(marginals_of(part, samples, known))]
        }
        for name, (values,) in scored.items():
            masks[name].append(_on(part, instance, values))
        edges = np.array([inside(part, mode.order) for mode in modes])
        on = _on(part, instance, part.both_directions(edges.any(0).astype(np.float64)))
        kept.append(undirected_scores(instance, on) > 0)
        listed, reasons = listed + (known is not None), reasons + len(modes)
        members = [inside(part, order[order >= 0]) for order in samples.orders]
        unsampled += not any((edges[0] <= sample).all() for sample in members) and modes[0].probability is None
    count = len(instances)
    about = {"seconds": seconds / count, "listed": listed / count, "reasons": reasons / count}
    about["unsampled"] = unsampled / count
    return Found(masks.pop("marginals"), kept, masks, about)


def _on(part: Instance, instance: Instance, values: Doubles) -> Scores:
    """Values of the directed edges of a part of an instance, on the edges of all of it."""
    given = torch.from_numpy(instance.nodes[instance.edge_index])
    return scores_on_edges(part.nodes[part.edge_index], values, given).double().numpy()


def shipped(cell: Cell, instances: Sequence[Instance]) -> Found:
    """GFlowExplainer by the policy that is shipped for a data set, also where Explain would not believe it."""
    masks, expected, reasons, seconds = [], [], 0, 0.0
    kept: list[Bools] = []
    for instance in instances:
        began = time.perf_counter()
        question = Question(cell.dataset, str(instance.index), seed=cell.seed, seconds=None)
        trace = explained(question, JobContext(cell.device), plays=False).trace
        seconds += time.perf_counter() - began
        assert trace.answer is not None
        sampled = np.zeros(len(trace.edges))
        for sample in trace.samples:
            sampled[list(sample.edges)] += sample.count
        masks.append(instance.both_directions(sampled / sum(sample.count for sample in trace.samples)))
        expected.append(instance.both_directions(np.array(trace.edge_marginals)))
        kept.append(np.isin(np.arange(len(trace.edges)), trace.answer.edges))
        reasons += len(trace.answer.reasons)
    count = len(instances)
    about = {"seconds": seconds / count, "reasons": reasons / count}
    return Found(masks, kept, {"own": expected}, about)


def gflow_sizes(subject: CellInstances) -> list[int]:
    """How many edges GFlowExplainer's answers have; computed once and kept."""
    path = _sizes_path(subject.cell)
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if not all(str(instance.index) in known for instance in subject.scored):
        student = subject.taught if subject.cell.variant == STUDENT else None
        subject = CellInstances(replace(subject.cell, method=OWN, seed=0))
        known = keep_sizes(subject, gflow(subject, subject.scored, subject.model, student))
    return [known[str(instance.index)] for instance in subject.scored]


def keep_sizes(subject: CellInstances, found: Found) -> dict[str, int]:
    """Write how many edges answers to the scored instances have, for the methods that only rank edges."""
    assert found.kept is not None
    each = zip(subject.scored, found.kept, strict=True)
    sizes = {str(instance.index): int(edges.sum()) for instance, edges in each}
    path = _sizes_path(subject.cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        part.write_text(json.dumps(sizes), encoding="utf-8")
    return sizes


def _sizes_path(cell: Cell) -> Path:
    """One file for each GNN and variant, whatever method, seed and number of instances a cell has."""
    digest = code_digest([__name__, "gfx_core.explanation.answer", "gfx_core.explanation.flows"])
    price = chosen_settings(OWN, cell.dataset, "sum").get("node_price", "usual")
    weights = file_digest(gnn_file(cell.dataset, cell.gnn))
    parts = (cell.dataset, cell.gnn, cell.variant, cell.options["half"], price, digest, weights)
    return data_root() / "bench" / f"sizes-{'-'.join(map(str, parts)).replace(' ', '_')}.json"


def scores(subject: CellInstances, found: Found) -> dict[str, Any]:
    """What masks and answers come to; lists have a number for each instance that is scored."""
    instances, right = subject.scored, subject.right
    truth = [truth_edges(instance, "own") for instance in instances]
    values = [undirected_scores(instance, mask) for instance, mask in zip(instances, found.masks, strict=True)]
    counts = resampling([motif_of(instance) for instance in subject.every])[:, right]
    assert found.kept is not None
    alone, needed = zip(*(_predicted(subject, *each) for each in zip(instances, found.kept, strict=True)), strict=True)
    return {
        "auc": pooled_auc(instances, found.masks),
        "auc_resampled": [
            round(auc, _DIGITS) if np.isfinite(auc) else None for auc in resampled_aucs(truth, values, counts).tolist()
        ],
        "auc_rules": {name: pooled_auc(instances, masks) for name, masks in found.rules.items()},
        "f1": [
            round(2 * int((kept & wanted).sum()) / max(1, int(kept.sum() + wanted.sum())), _DIGITS)
            for kept, wanted in zip(found.kept, truth, strict=True)
        ],
        "alone": list(alone),
        "needed": list(needed),
        "kept": [np.flatnonzero(kept).tolist() for kept in found.kept],
    }


def _predicted(subject: CellInstances, instance: Instance, edges: Bools) -> tuple[float, float]:
    """The given GNN's probability of its class for some edges alone, and what it loses without them."""
    predictor = predictor_on(subject.model, [instance], subject.cell.device)
    whole, predicted = predictor.whole.probabilities[0], int(predictor.whole.predicted[0])
    alone, without = predictor.with_edges(instance, np.array([edges, ~edges])).probabilities[:, predicted].tolist()
    return round(alone, _DIGITS), round(float(whole[predicted]) - without, _DIGITS)
