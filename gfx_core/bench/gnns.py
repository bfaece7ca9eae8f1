"""The GNNs that studies explain: trained once, kept, and held against the motif without any explainer.

Each data set has three seeds of four kinds. ``sum``, trained on fragments too, and ``sum-plain``, trained on whole
graphs, are our own; their first seed is the shipped GNN, a shipped ``sum`` the best of three trainings by validation
loss. ``gcn`` and ``gin`` are PyG's, trained in the ordinary way. All learn from the same parts of a data set, so seeds
differ in weights, batches and fragments.

Explainers are scored by how well they find the motif. That is fair only where the motif is what the GNN looks at: alone
it should give the same class (Faber et al., KDD 2021, show GNNs for which it does not). An explanation is a fragment,
so a GNN should be right about fragments as often as it is sure.
"""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property, partial
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch_geometric.nn import GCN, GIN, MultiAggregation

from gfx_core.arrays import Bools, Doubles, Ints, spread
from gfx_core.bench.studies import CONTENT, Cell, gnn_file
from gfx_core.config import FragmentModel, Task
from gfx_core.datasets.graph import GraphDataset, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.device import choose_device, provenance, seeded
from gfx_core.explanation.fragments import known_of
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.subject import load
from gfx_core.gnn.checkpoint import read_model
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictor
from gfx_core.gnn.settings import TrainingConfig, default_config
from gfx_core.gnn.training import epochs, parts_of, score, step_of, train
from gfx_core.job_context import JobContext
from gfx_core.metrics.calibration import reliability
from gfx_core.metrics.intervals import motif_of
from gfx_core.metrics.summary import outcomes
from gfx_core.parallel import Workers, computed
from gfx_core.teaching.lab_graphs import neighbour_lists, random_order
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.predictor import predictor_on
from gfx_core.user_models.student import TrainedStudent
from gfx_core.weights import read_json_header, read_tensors, write_tensors

ORDINARY = {"gcn": GCN, "gin": GIN}
"""PyG's architectures."""
FRAGMENT_NODES = {Task.NODE: 12, Task.GRAPH: 24}
"""The most nodes of a fragment, as in the training of our GNNs."""


class GraphGNN(nn.Module):
    """One of PyG's GNNs whose node embeddings are pooled: mean and maximum, then a linear map."""

    def __init__(self, convolutions: nn.Module, hidden: int, num_classes: int) -> None:
        super().__init__()
        self.convolutions, self.pool = convolutions, MultiAggregation(["mean", "max"])
        self.head = nn.Linear(2 * hidden, num_classes)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        return self.head(self.pool(self.convolutions(x, edge_index), batch))


# Training and files


def gnn_config(dataset: str, gnn: str) -> TrainingConfig:
    """How a GNN (``gin-2``) is trained; PyG's on whole graphs, all of them alike."""
    kind, _, number = gnn.rpartition("-")
    seed = int(number)
    if kind in ORDINARY:
        return TrainingConfig(kind, fragments=0, seed=seed, **CONTENT["ordinary"][dataset_info(dataset).task])
    config = default_config(dataset, DEFAULT_KIND, plain=kind != DEFAULT_KIND)
    return replace(config, seed=seed + 2 if seed else 0)  # seeds 0 to 2 were tried for the shipped GNN


def _untrained(dataset: GraphDataset, config: TrainingConfig) -> nn.Module:
    hidden, num_classes = config.hidden, dataset.num_classes
    layers = partial(ORDINARY[config.kind], dataset.x.shape[1], hidden, config.num_layers, norm="batch_norm", jk="cat")
    with seeded(config.seed):
        if dataset.task is Task.NODE:
            return layers(num_classes)
        return GraphGNN(layers(hidden), hidden, num_classes)


def train_gnn(device: str, name: tuple[str, str]) -> str:
    """Train a GNN and write it. One of PyG's is trained for all its epochs: validation chooses nothing.

    Args:
        device: ``auto``, ``cpu`` or ``cuda``.
        name: Data set and GNN.

    Returns:
        Its test accuracy and the time, in words.
    """
    device, data, config = choose_device(device), load_dataset(name[0]), gnn_config(*name)
    if config.kind in ORDINARY:
        started, split, evaluate = time.perf_counter(), parts_of(data, config.split_seed), step_of(data, device)
        model = _untrained(data, config).to(device)
        list(epochs(model, data.task, split["train"], config, lambda indices: evaluate(model, indices)[0]))
        header: dict[str, Any] = {
            "accuracy": {name: score(model, evaluate, part)[1] for name, part in split.items()},
            "training": {"config": asdict(config)} | provenance(device, time.perf_counter() - started),
        }
    else:
        model, model_header = train(data, config, device)
        header = asdict(model_header)
    write_tensors(gnn_file(*name), model.state_dict(), header)
    return f"test accuracy {header['accuracy']['test']:.3f}, {header['training']['seconds']:.0f} s"


def train_gnns(names: Sequence[tuple[str, str]], where: Workers, device: str) -> Iterator[str]:
    """Train all that are not there yet, with a line for each as it is finished.

    Args:
        names: Data sets and GNNs.
        where: Where to compute.
        device: ``auto``, ``cpu`` or ``cuda``.
    """
    missing = [name for name in names if not gnn_file(*name).is_file()]
    for name, words in computed(train_gnn, device, missing, where):
        yield f"{' '.join(name)}: {words or 'failed, its worker died twice'}"


def study_gnn(dataset: str, gnn: str, device: str = "cpu") -> tuple[Any, float]:
    """A GNN in evaluation mode and its accuracy on the test part; `train_gnn` has written it."""
    path, kind = gnn_file(dataset, gnn), gnn.rpartition("-")[0]
    header = read_json_header(path, dict[str, Any], "Train it with: python -m gfx_core bench gnns.")
    if kind in ORDINARY:
        model = _untrained(load_dataset(dataset), gnn_config(dataset, gnn)).eval().requires_grad_(False)
        model.load_state_dict(read_tensors(path))
    else:
        model = read_model(path)
        model.name = kind
    return model.to(device), header["accuracy"]["test"]


# What a GNN does without an explainer


class ExplainedGNN:
    """The GNN of a cell, and the instances whose predictions are explained.

    Attributes:
        cell: The cell.
        dataset: The data set.
        model: The GNN; where the cell names none, the one that is shipped for the data set.
        accuracy: Its accuracy on the test part.
    """

    def __init__(self, cell: Cell) -> None:
        self.cell, self.dataset = cell, load_dataset(cell.dataset)
        self.model, self.accuracy = study_gnn(cell.dataset, cell.gnn or f"{DEFAULT_KIND}-0", cell.device)

    @cached_property
    def data(self) -> ModelInstances:
        """The GNN with its data set, as a user would bring them."""
        return ModelInstances(self.model, self.dataset, device=self.cell.device)

    @cached_property
    def student(self) -> TrainedStudent | None:
        """What is queried about fragments instead, if the cell's variant is `student`; trained once and kept."""
        if self.cell.variant != FragmentModel.STUDENT:
            return None
        instance = self.data.instance(int(self.indices(self.cell.options["half"], 1)[0]))
        user = UserPrediction(self.model, instance, data=self.data)
        subject = load(Question(user=user, seconds=None, fragments=FragmentModel.STUDENT))
        return known_of(subject, JobContext(self.cell.device)).taught

    def indices(self, half: str, limit: int) -> Ints:
        """Of some instances of a half: one of each motif first, then the others, in the half's order."""
        indices = half_of(self.dataset.explainable, half)
        if self.dataset.task is Task.NODE:
            first = np.sort(np.unique(self.dataset.motif[indices], return_index=True)[1])
            indices = np.concatenate([indices[first], np.delete(indices, first)])
        return indices[:limit]

    def instances(self, indices: Ints) -> Iterator[Instance]:
        model = self.model
        read = partial(self.dataset.instance, hops=model.hops) if isinstance(model, GNN) else self.data.instance
        return map(read, indices.tolist())

    def right(self, instances: Sequence[Instance]) -> Bools:
        """Whether the GNN predicts the label of each instance. [I]"""
        predicted = predictor_on(self.model, instances, self.cell.device).whole.predicted.cpu().numpy()
        return predicted == np.array([instance.y for instance in instances])

    def scored(self) -> tuple[list[Instance], dict[str, Any]]:
        """The instances that are scored, of those that the options ``half`` and ``limit`` (the most) choose.

        They are those that the GNN predicts right: a wrong prediction has another reason than the motif.

        Returns:
            The instances, and what records contain of the GNN: its ``accuracy`` on the test part, the ``owners`` of all
            instances (the motif that each belongs to) and which are ``right``.
        """
        options = self.cell.options
        instances = list(self.instances(self.indices(options["half"], options["limit"])))
        right, owners = self.right(instances), list(map(motif_of, instances))
        values = {"accuracy": self.accuracy, "owners": owners, "right": right.astype(int).tolist()}
        return list(compress(instances, right)), values


def measure(cell: Cell) -> dict[str, Any]:
    """What one GNN predicts for motifs, for instances without them, and for fragments.

    Options, besides those of `ExplainedGNN.scored`: ``fragments``, so many of each instance.
    """
    gnn = ExplainedGNN(cell)
    instances, values = gnn.scored()
    test = list(gnn.instances(spread(parts_of(gnn.dataset, 0)["test"], cell.options["limit"])))
    values["calibration_error"] = calibration_error(gnn.model, test, cell)
    if not instances:
        return values
    predictor, numbers = predictor_on(gnn.model, instances, cell.device), np.arange(len(instances))
    motifs = [np.flatnonzero(instance.own_nodes) for instance in instances]
    alone = _probabilities(predictor, motifs, numbers)[numbers, predictor.whole.predicted.cpu().numpy()]
    without = []
    for instance in instances:
        edges = instance.own_edges.astype(np.float64)
        outcome = outcomes(gnn.model, instance, edges, [int(edges.sum()) // 2])
        without.append(outcome.without[0, outcome.explained_class])
    share = np.bincount(gnn.dataset.y) / len(gnn.dataset.y)
    prior = share[[instance.y for instance in instances]]
    of_instances: Any = pd.DataFrame({"motif_alone": alone, "without_motif": without, "prior": prior}).round(4)
    return values | of_instances.to_dict("list")


def calibration_error(model: nn.Module, instances: Sequence[Instance], cell: Cell) -> float:
    """Of a GNN on random connected fragments of each instance, held against the label of the whole.

    A fragment grows from the explained node, or from any node of a graph, to a random size.
    """
    rng, fragments, count = random.Random(0), [], cell.options["fragments"]
    for instance in instances:
        neighbours = neighbour_lists(instance.num_nodes, instance.edge_index[:, instance.undirected].T.tolist())
        most = min(FRAGMENT_NODES[instance.task], instance.num_nodes)
        for _ in range(count):
            start = rng.randrange(instance.num_nodes) if instance.target is None else instance.target
            fragments.append(np.array(random_order(neighbours, [start], rng.randint(1, most), rng)))
    owner = np.arange(len(instances)).repeat(count)
    probabilities = _probabilities(predictor_on(model, instances, cell.device), fragments, owner)
    labels = np.array([instance.y for instance in instances])[owner]
    return reliability(probabilities.max(1), probabilities.argmax(1) == labels).error


def _probabilities(predictor: Predictor, subsets: Sequence[Ints], owner: Ints) -> Doubles:
    """What a GNN predicts for sets of nodes of its instances. [N, C]"""
    nodes = pad_sequence([torch.from_numpy(subset) for subset in subsets], batch_first=True, padding_value=-1)
    return predictor(nodes, torch.from_numpy(owner)).probabilities.double().cpu().numpy()
