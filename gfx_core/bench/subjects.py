"""What studies explain: on each data set three seeds of four kinds of GNN, trained once and kept.

Two kinds are the project's own: ``sum``, which learnt from fragments too, and ``sum-plain``, which saw whole graphs
only. Their first seed is the shipped GNN; a shipped ``sum`` is the best of three trainings by validation loss. ``gcn``
and ``gin`` are PyG's, trained in the ordinary way: nothing of them was made with explanations in mind. All learn from
the same parts of a data set, so seeds differ in weights, batches and fragments.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE, global_max_pool, global_mean_pool

from gfx_core.bench.study import GNN_SEEDS, GNNS, KINDS, gnn_file
from gfx_core.bench.tables import ResultEntry, ResultRow, ResultTable
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import DATASETS, dataset_info, folder_of, load_dataset
from gfx_core.device import provenance, seeded
from gfx_core.errors import UserError
from gfx_core.files import check_finite, read_json_header, read_tensors, write_tensors
from gfx_core.gnn.checkpoint import read_header, read_model
from gfx_core.gnn.kinds import DEFAULT_KIND, gnn_name
from gfx_core.gnn.training import TrainingConfig, batches, default_config, parts_of, score, step_of, train
from gfx_core.parallel import Workers, computed, device_here

ORDINARY: Mapping[str, Callable[..., nn.Module]] = {"gcn": GCN, "gin": GIN, "gat": GAT, "sage": GraphSAGE}
"""PyG's architectures."""

_PLAIN = gnn_name(DEFAULT_KIND, plain=True)
_TRIED = 3  # seeds for a shipped GNN
_COSTLY = ("mutagenicity", "benzene", "ba_community")  # are begun first

Subject = tuple[str, str, int]
"""Data set, kind and seed."""


class GraphGNN(nn.Module):
    """One of PyG's GNNs whose node embeddings are pooled: mean and maximum, then a linear map."""

    def __init__(self, convolutions: nn.Module, hidden: int, num_classes: int) -> None:
        super().__init__()
        self.convolutions, self.head = convolutions, nn.Linear(2 * hidden, num_classes)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        z = self.convolutions(x, edge_index)
        return self.head(torch.cat([global_mean_pool(z, batch), global_max_pool(z, batch)], dim=-1))


def ordinary_config(task: Task, kind: str, seed: int, epochs: int | None = None) -> TrainingConfig:
    """How PyG's GNNs are trained: on whole graphs, all of them alike.

    Args:
        task: Node or graph classification.
        kind: One of `ORDINARY`.
        seed: Of weights and batches.
        epochs: How long; by default as the task needs.
    """
    length, decay = (600, 5e-3) if task is Task.NODE else (100, 1e-4)
    length = epochs or length
    return TrainingConfig(kind, 64, 3, length, length, 3e-3, decay, batch_size=64, fragments=0, seed=seed)


def _untrained(dataset: GraphDataset, config: TrainingConfig) -> nn.Module:
    node, hidden = dataset.task is Task.NODE, config.hidden
    layers = partial(ORDINARY[config.kind], dataset.x.shape[1], hidden, config.num_layers, norm="batch_norm", jk="cat")
    with seeded(config.seed):
        return layers(dataset.num_classes) if node else GraphGNN(layers(hidden), hidden, dataset.num_classes)


def ordinary_gnn(dataset: GraphDataset, config: TrainingConfig, device: str) -> nn.Module:
    """A GNN of PyG's after all its epochs: validation chooses nothing."""
    model = _untrained(dataset, config).to(device).train()
    evaluate, part = step_of(dataset, device), parts_of(dataset, config.split_seed)["train"]
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    rng = np.random.RandomState(config.seed)
    for _ in range(config.epochs):
        for some in batches(dataset, part, config.batch_size, rng):
            optimizer.zero_grad()
            evaluate(model, some)[0].backward()
            optimizer.step()
        schedule.step()
    return model.eval()


def accuracies(model: nn.Module, dataset: GraphDataset, device: str) -> dict[str, float]:
    """The share of right predictions on the parts for training, validation and test."""
    evaluate = step_of(dataset, device)
    return {name: round(score(model, evaluate, part)[1], 4) for name, part in parts_of(dataset, 0).items()}


def subject_config(dataset: str, kind: str, seed: int) -> TrainingConfig:
    """How a GNN for studies is trained."""
    if kind in ORDINARY:
        return ordinary_config(dataset_info(dataset).task, kind, seed)
    if kind not in KINDS:
        raise UserError(f"There is no GNN “{kind[:60]}” for studies: choose one of {', '.join(KINDS)}.")
    fresh = seed + _TRIED - 1 if seed else 0  # none that was tried for a shipped GNN
    return replace(default_config(dataset, DEFAULT_KIND, plain=kind == _PLAIN), seed=fresh)


def subject_gnn(dataset: str, kind: str, seed: int = 0, device: str = "cpu") -> tuple[nn.Module, float]:
    """A GNN that studies explain, in evaluation mode, and its accuracy on the test part.

    It is read where it is kept: with the shipped GNNs, with the results, or in the data folder. Otherwise it is trained
    now, and kept in the data folder.

    Args:
        dataset: What it learnt.
        kind: One of `KINDS`, or another of `ORDINARY`.
        seed: From 0 on.
        device: Where it computes.
    """
    subject = dataset_info(dataset).name, kind, seed
    folder = folder_of(dataset, "gnns")
    path, header = _find(subject, GNNS) or _find(subject, folder) or train_subject(subject, folder, device)
    return _read(subject, path).to(device), header["accuracy"]["test"]


def _find(subject: Subject, folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """Where a GNN is and its file's header: a shipped one, or one that was trained as it would be now."""
    path = _path(subject, folder)
    if path.parent != folder:
        return path, asdict(read_header(path))
    try:
        header = read_json_header(path, "")
        return (path, header) if header["training"]["config"] == asdict(subject_config(*subject)) else None
    except (UserError, LookupError, TypeError):  # there is none, or a damaged one
        return None


def _path(subject: Subject, folder: Path) -> Path:
    dataset, kind, seed = subject
    return gnn_file(dataset, f"{kind}-{seed}", folder)


def _read(subject: Subject, path: Path) -> nn.Module:
    dataset, kind, _ = subject
    if kind not in ORDINARY:
        ours = read_model(path)
        ours.name = kind
        return ours
    model = _untrained(load_dataset(dataset), subject_config(*subject))
    try:
        model.load_state_dict(read_tensors(path))
    except RuntimeError as error:
        raise UserError(
            f"The weights in {path.name} are not those of its header: delete it, train it again."
        ) from error
    check_finite(model.state_dict(), path.name)
    return model.eval().requires_grad_(False)


def train_subject(subject: Subject, folder: Path, device: str) -> tuple[Path, dict[str, Any]]:
    """Train a GNN and write it, matrices in half precision; its accuracy is that of what is written."""
    dataset, config = load_dataset(subject[0]), subject_config(*subject)
    if config.kind in ORDINARY:
        began = time.perf_counter()
        model = ordinary_gnn(dataset, config, device)
        made = {"config": asdict(config)} | provenance(device, time.perf_counter() - began)
        header = {"dataset": dataset.name, "kind": config.kind, "statistics": dataset.statistics, "training": made}
    else:
        model, known = train(dataset, config, device)
        header = asdict(known)
    weights = {
        name: value.half() if value.is_floating_point() and value.dim() > 1 else value
        for name, value in model.state_dict().items()
    }
    model.load_state_dict(weights)
    header["accuracy"] = accuracies(model, dataset, device)
    write_tensors(path := _path(subject, folder), weights, header)
    return path, header


def train_subjects(subjects: Sequence[Subject], where: Workers, device: str, folder: Path = GNNS) -> Iterator[str]:
    """Train all that are neither shipped nor in the folder yet; a line for each as it is finished.

    Args:
        subjects: Data sets, kinds and seeds.
        where: Where to compute.
        device: ``auto``, ``cpu`` or ``cuda``.
        folder: Where they are kept. A run that was stopped goes on where it was.
    """
    todo = [subject for subject in subjects if _find(subject, folder) is None]
    todo.sort(key=lambda subject: subject[0] not in _COSTLY)
    with closing(computed(_trained, (folder, device), todo, where)) as found:
        for number, (subject, outcome) in enumerate(found, 1):
            yield f"[{number}/{len(todo)}] {' '.join(map(str, subject))}: {outcome or 'failed, its worker died twice'}"


def _trained(shared: tuple[Path, str], subject: Subject) -> str:
    """Train one in whatever process is free; what came of it in a few words."""
    folder, device = shared
    try:
        _, header = train_subject(subject, folder, device_here(device))
    except Exception as error:  # the others are trained all the same
        return f"failed, {type(error).__name__}: {str(error)[:300]}"
    return f"test accuracy {header['accuracy']['test']:.3f}, {header['training']['seconds']:.0f} s"


def dataset_table(folder: Path = GNNS) -> ResultTable:
    """The counts of all data sets and the accuracies of their GNNs, the paper's beside them; no data are loaded."""
    every = [(name, kind, seed) for name in DATASETS for kind in KINDS for seed in range(GNN_SEEDS)]
    headers = {subject: found[1] for subject in every if (found := _find(subject, folder)) is not None}
    counts = {name: header["statistics"] for (name, _, _), header in headers.items()}
    rows = []
    for count, title in {"graphs": "Graphs", "nodes": "Nodes", "edges": "Edges, both directions"}.items():
        factor = 2 if count == "edges" else 1
        rows += [
            _row(title, {name: [factor * known[count]] for name, known in counts.items()}, 0),
            _row(f"{title} (paper)", _in_the_paper(count), 0),
        ]
    for kind, title in KINDS.items():
        right = {name: [headers[s]["accuracy"]["test"] for s in headers if s[:2] == (name, kind)] for name in DATASETS}
        rows.append(_row(f"Test accuracy: {title}", right))
    rows.append(_row("Test accuracy (paper)", _in_the_paper("accuracy")))
    return ResultTable("Data sets and GNNs", {name: info.title for name, info in DATASETS.items()}, rows, counts=False)


def _in_the_paper(count: str) -> dict[str, list[float]]:
    return {name: [info.paper[count]] for name, info in DATASETS.items() if count in info.paper}


def _row(title: str, values: Mapping[str, Sequence[float]], digits: int = 3) -> ResultRow:
    return ResultRow(title, {name: ResultEntry(tuple(known)) for name, known in values.items()}, digits)
