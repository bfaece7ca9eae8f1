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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch_geometric.nn import GCN, GIN, global_max_pool, global_mean_pool

from gfx_core.arrays import Doubles, Ints, spread
from gfx_core.bench.cells import GNN_SEEDS, GNNS, KINDS, STUDENT, Cell, gnn_file
from gfx_core.bench.tables import Entry
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS, dataset_info, folder_of, load_dataset
from gfx_core.device import provenance, seeded
from gfx_core.explanation.fragments import known_of
from gfx_core.explanation.loading import load
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.files import read_json_header, read_tensors, write_tensors
from gfx_core.gnn.checkpoint import read_model
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictor
from gfx_core.gnn.training import TrainingConfig, batches, default_config, parts_of, score, step_of, train
from gfx_core.job_context import JobContext
from gfx_core.metrics.calibration import reliability
from gfx_core.metrics.fidelity import outcomes
from gfx_core.metrics.intervals import motif_of
from gfx_core.parallel import Workers, computed, device_here
from gfx_core.teaching.lab_graphs import neighbour_lists, random_order
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.predictor import predictor_on
from gfx_core.user_models.student import TrainedStudent

ORDINARY: Mapping[str, Callable[..., nn.Module]] = {"gcn": GCN, "gin": GIN}
"""PyG's architectures."""
FRAGMENT_NODES = {Task.NODE: 12, Task.GRAPH: 24}
"""The most nodes of a fragment, as in the training of our GNNs."""

_SHIPPED_SEEDS = 3  # were tried for a shipped GNN


class GraphGNN(nn.Module):
    """One of PyG's GNNs whose node embeddings are pooled: mean and maximum, then a linear map."""

    def __init__(self, convolutions: nn.Module, hidden: int, num_classes: int) -> None:
        super().__init__()
        self.convolutions, self.head = convolutions, nn.Linear(2 * hidden, num_classes)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        z = self.convolutions(x, edge_index)
        return self.head(torch.cat([global_mean_pool(z, batch), global_max_pool(z, batch)], dim=-1))


# Training and files


def gnn_config(dataset: str, gnn: str) -> TrainingConfig:
    """How a GNN (``gin-2``) is trained; PyG's on whole graphs, all of them alike."""
    kind, _, number = gnn.rpartition("-")
    seed = int(number)
    if kind in ORDINARY:
        epochs, decay = (600, 5e-3) if dataset_info(dataset).task is Task.NODE else (100, 1e-4)
        return TrainingConfig(kind, 64, 3, epochs, epochs, 3e-3, decay, batch_size=64, fragments=0, seed=seed)
    config = default_config(dataset, DEFAULT_KIND, plain=kind != DEFAULT_KIND)
    return replace(config, seed=seed + _SHIPPED_SEEDS - 1 if seed else 0)


def _untrained(dataset: GraphDataset, config: TrainingConfig) -> nn.Module:
    node, hidden = dataset.task is Task.NODE, config.hidden
    layers = partial(ORDINARY[config.kind], dataset.x.shape[1], hidden, config.num_layers, norm="batch_norm", jk="cat")
    with seeded(config.seed):
        return layers(dataset.num_classes) if node else GraphGNN(layers(hidden), hidden, dataset.num_classes)


def _train_ordinary(dataset: GraphDataset, config: TrainingConfig, device: str) -> nn.Module:
    """A GNN of PyG's after all its epochs: validation chooses nothing."""
    model = _untrained(dataset, config).to(device).train()
    evaluate, part = step_of(dataset, device), parts_of(dataset, config.split_seed)["train"]
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    rng = np.random.RandomState(config.seed)
    for _ in range(config.epochs):
        for indices in batches(dataset, part, config.batch_size, rng):
            optimizer.zero_grad()
            evaluate(model, indices)[0].backward()
            optimizer.step()
        schedule.step()
    return model.eval()


def train_gnn(destination: tuple[Path, str], name: tuple[str, str]) -> str:
    """Train a GNN and write it, matrices in half precision; its accuracy is that of what is written.

    Args:
        destination: The folder, and the device: ``auto``, ``cpu`` or ``cuda``.
        name: Data set and GNN.

    Returns:
        What came of it, in words.
    """
    folder, device = destination[0], device_here(destination[1])
    data, config = load_dataset(name[0]), gnn_config(*name)
    if config.kind in ORDINARY:
        started = time.perf_counter()
        model = _train_ordinary(data, config, device)
        training = {"config": asdict(config)} | provenance(device, time.perf_counter() - started)
        header = {"dataset": data.name, "kind": config.kind, "statistics": data.statistics, "training": training}
    else:
        model, model_header = train(data, config, device)
        header = asdict(model_header)
    weights = {
        name: value.half() if value.is_floating_point() and value.dim() > 1 else value
        for name, value in model.state_dict().items()
    }
    model.load_state_dict(weights)
    evaluate = step_of(data, device)
    header["accuracy"] = {name: round(score(model, evaluate, part)[1], 4) for name, part in parts_of(data, 0).items()}
    write_tensors(gnn_file(*name, folder), weights, header)
    return f"test accuracy {header['accuracy']['test']:.3f}, {header['training']['seconds']:.0f} s"


def study_gnn(dataset: str, gnn: str, device: str = "cpu") -> tuple[nn.Module, float]:
    """A GNN in evaluation mode and its accuracy on the test part.

    It is read from the shipped GNNs, the results or the data folder; else it is trained and kept in the data folder.
    """
    folder, config = folder_of(dataset, "gnns"), gnn_config(dataset, gnn)
    path = gnn_file(dataset, gnn, GNNS)
    if not path.is_file():
        path = gnn_file(dataset, gnn, folder)
        if not path.is_file():
            train_gnn((folder, device), (dataset, gnn))
    if config.kind in ORDINARY:
        model = _untrained(load_dataset(dataset), config)
        model.load_state_dict(read_tensors(path))
        model.eval().requires_grad_(False)
    else:
        model = read_model(path)
        model.name = gnn.rpartition("-")[0]
    return model.to(device), read_json_header(path, "")["accuracy"]["test"]


def train_gnns(names: Sequence[tuple[str, str]], where: Workers, device: str, folder: Path = GNNS) -> Iterator[str]:
    """Train all that are neither shipped nor in the folder yet, with a line for each as it is finished.

    Args:
        names: Data sets and GNNs.
        where: Where to compute.
        device: ``auto``, ``cpu`` or ``cuda``.
        folder: Where they are kept.
    """
    missing = [name for name in names if not gnn_file(*name, folder).is_file()]
    with closing(computed(train_gnn, (folder, device), missing, where)) as results:
        for number, (name, words) in enumerate(results, 1):
            yield f"[{number}/{len(missing)}] {' '.join(name)}: {words or 'failed, its worker died twice'}"


def dataset_table(folder: Path = GNNS) -> pd.DataFrame:
    """The sizes of all data sets and the test accuracies of their GNNs, the paper's beside them; no data are loaded.

    Returns:
        Text for people: a row for each quantity, a column for each data set by its title.
    """
    table: dict[str, dict[str, str]] = {}
    for dataset, info in DATASETS.items():
        paths = {kind: [gnn_file(dataset, f"{kind}-{seed}", folder) for seed in range(GNN_SEEDS)] for kind in KINDS}
        headers = {
            kind: [read_json_header(path, "") for path in some if path.is_file()] for kind, some in paths.items()
        }
        sizes = next((some[0]["statistics"] for some in headers.values() if some), {})
        rows = table[info.title] = {}
        for name, title in _COUNTS.items():
            if name in sizes:
                rows[title] = str(sizes[name] * (1 + (name == "edges")))
            if name in info.paper:
                rows[f"{title} (paper)"] = f"{info.paper[name]:g}"
        for kind, title in KINDS.items():
            if accuracies := tuple(header["accuracy"]["test"] for header in headers[kind]):
                rows[f"Test accuracy: {title}"] = Entry(accuracies).text()
    return pd.DataFrame(table).fillna("–")


_COUNTS = {"graphs": "Graphs", "nodes": "Nodes", "edges": "Edges, both directions", "accuracy": "Test accuracy"}


# What a GNN does without an explainer


class ExplainedGNN:
    """The GNN of a cell and the instances whose predictions are explained.

    Options of the cell: ``half``; ``limit``, the most instances.

    Args:
        cell: The cell.

    Attributes:
        dataset: The data set.
        model: The GNN.
        accuracy: Of the GNN on the test part.
    """

    def __init__(self, cell: Cell) -> None:
        self.cell, self.dataset = cell, load_dataset(cell.dataset)
        self.model, self.accuracy = study_gnn(cell.dataset, cell.gnn, cell.device)

    @cached_property
    def data(self) -> ModelInstances:
        """The GNN with its data set, as a user would bring them."""
        return ModelInstances(self.model, self.dataset, device=self.cell.device)

    @cached_property
    def student(self) -> TrainedStudent | None:
        """What is queried about fragments instead, if the cell's variant is `STUDENT`; trained once and kept."""
        if self.cell.variant != STUDENT:
            return None
        user = UserPrediction(self.model, self.data.instance(self.instances[0].index), subject=self.data)
        return known_of(load(Question(user=user, seconds=None))).student(JobContext(self.cell.device))

    def instance(self, index: int) -> Instance:
        if isinstance(self.model, GNN):
            return self.dataset.instance(index, hops=self.model.hops)
        return self.data.instance(index)

    def instances_of(self, half: str, limit: int) -> list[Instance]:
        """Instances of a half: one of each motif first, then the others, in the half's order."""
        indices = half_of(self.dataset.explainable, half)
        if self.dataset.task is Task.NODE:
            first = np.sort(np.unique(self.dataset.motif[indices], return_index=True)[1])
            indices = np.concatenate([indices[first], np.delete(indices, first)])
        return [self.instance(int(index)) for index in indices[:limit]]

    @cached_property
    def instances(self) -> list[Instance]:
        return self.instances_of(self.cell.options["half"], self.cell.options["limit"])

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Which of the instances the GNN predicts correctly. [I]"""
        return predicts_right(self.model, self.instances, self.cell.device)

    @cached_property
    def scored(self) -> list[Instance]:
        """Those that are scored: a wrong prediction has another reason than the motif."""
        return [self.instances[number] for number in np.flatnonzero(self.right)]


def predicts_right(model: nn.Module, instances: Sequence[Instance], device: str | torch.device) -> NDArray[np.bool_]:
    """Whether a GNN predicts the label of each instance. [I]"""
    predicted = predictor_on(model, instances, device).whole.predicted.cpu().numpy()
    return predicted == np.array([instance.y for instance in instances])


def measure(cell: Cell) -> dict[str, Any]:
    """What one GNN predicts for motifs, for instances without them, and for fragments.

    Options, besides those of `ExplainedGNN`: ``fragments``, so many of each instance.
    """
    gnn, device = ExplainedGNN(cell), cell.device
    part = spread(parts_of(gnn.dataset, 0)["test"], cell.options["limit"])
    tested = [gnn.instance(int(index)) for index in part]
    values = {
        "accuracy": gnn.accuracy,
        "owners": [motif_of(instance) for instance in gnn.instances],
        "right": gnn.right.astype(int).tolist(),
        "calibration_error": reliability(
            *fragment_predictions(gnn.model, tested, cell.options["fragments"], device)
        ).error,
    }
    if not gnn.scored:
        return values
    predictor, numbers = predictor_on(gnn.model, gnn.scored, device), np.arange(len(gnn.scored))
    motifs = [np.flatnonzero(instance.own_nodes) for instance in gnn.scored]
    alone = _probabilities(predictor, motifs, numbers)[numbers, predictor.whole.predicted.cpu().numpy()]
    without = [
        outcomes(gnn.model, instance, instance.own_edges.astype(np.float64), [int(instance.own_edges.sum()) // 2])
        for instance in gnn.scored
    ]
    share = np.bincount(gnn.dataset.y) / len(gnn.dataset.y)
    return values | {
        "motif_alone": alone.round(4).tolist(),
        "without_motif": [round(float(outcome.without[0, outcome.explained_class]), 4) for outcome in without],
        "prior": share[[instance.y for instance in gnn.scored]].round(4).tolist(),
    }


def fragment_predictions(
    model: nn.Module, instances: Sequence[Instance], count: int, device: str
) -> tuple[Doubles, NDArray[np.bool_]]:
    """How sure a GNN is of random connected fragments of each instance, and whether it is right. [N] each

    A fragment grows from the explained node, or from any node of a graph, to a random size.
    """
    rng, fragments = random.Random(0), []
    for instance in instances:
        neighbours = neighbour_lists(instance.num_nodes, instance.edge_index[:, instance.undirected].T.tolist())
        most = min(FRAGMENT_NODES[instance.task], instance.num_nodes)
        for _ in range(count):
            start = rng.randrange(instance.num_nodes) if instance.target is None else instance.target
            fragments.append(np.array(random_order(neighbours, [start], rng.randint(1, most), rng)))
    owner = np.repeat(np.arange(len(instances)), count)
    probabilities = _probabilities(predictor_on(model, instances, device), fragments, owner)
    labels = np.array([instance.y for instance in instances])
    return probabilities.max(1), probabilities.argmax(1) == labels[owner]


def _probabilities(predictor: Predictor, subsets: Sequence[Ints], owner: Ints) -> Doubles:
    """What a GNN predicts for sets of nodes of its instances. [N, C]"""
    nodes = pad_sequence([torch.from_numpy(subset) for subset in subsets], batch_first=True, padding_value=-1)
    return predictor(nodes, torch.from_numpy(owner)).probabilities.double().cpu().numpy()
