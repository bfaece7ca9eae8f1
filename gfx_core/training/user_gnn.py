"""A GNN for a visitor's own data set: trained while they wait, or uploaded; and how far it can be trusted.

This module is imported in workers: it needs torch.
"""

from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from time import monotonic

import numpy as np
import pandas as pd
import torch

from gfx_core import limits
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.device import COMPILER
from gfx_core.errors import UserError
from gfx_core.gnn.checkpoint import ModelHeader, load_model, model_path, read_header, save_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_all
from gfx_core.gnn.settings import TrainingConfig
from gfx_core.gnn.training import FragmentSource, GnnEpoch, split, train
from gfx_core.job_context import JobContext
from gfx_core.metrics.calibration import Reliability, reliability
from gfx_core.text.numbers import counted
from gfx_core.training.user_gnn_setting import GnnReport, GnnSetting
from gfx_core.user_data import store
from gfx_core.user_data.build import UNKNOWN
from gfx_core.user_models.instances import GNNInstances

FRAGMENTS, FRAGMENT_NODES = 128, 10
"""In a step, and their most nodes: as many as the subgraphs that explanations are made of."""
EPOCHS, PATIENCE = 400, 80
LEAST_EPOCHS = 10
"""However slow the computer is at the moment."""
MOST_UPLOADED_LAYERS, MOST_UPLOADED_HIDDEN = 16, 512
"""Of an uploaded GNN: what it computes at the nodes of the largest graph still has room in memory."""
CHECKED = 512
"""Fragments whose calibration is measured."""


def parted(dataset: GraphDataset) -> GraphDataset:
    """A data set with parts for training, validation and test among what has a class."""
    labelled = np.flatnonzero(dataset.y >= 0)
    noun = "nodes" if dataset.task is Task.NODE else "graphs"
    if len(labelled) < limits.LEAST_LABELLED:
        raise UserError(
            f"A GNN needs at least {limits.LEAST_LABELLED} {noun} with a class for training and testing (got "
            f"{len(labelled)}). Upload a GNN instead, or more {noun}."
        )
    if len(np.unique(dataset.y[labelled])) < 2:
        raise UserError(f"All {noun} have the same class, so there is nothing to learn.")
    mixed = labelled[np.random.RandomState(0).permutation(len(labelled))]
    members = pd.Series(mixed).groupby(dataset.y[mixed])
    depth = (members.cumcount() + 0.5) / members.transform("size")  # in its class: so each part has all classes
    return replace(dataset, parts=split(mixed[np.argsort(depth.astype(np.float32), kind="stable")]))


def train_gnn(setting: GnnSetting, job: JobContext) -> GnnReport:
    """Train a GNN for a data set, keep it with the data set, and measure it."""
    job.take_long()
    job.report(0.0, "reading the data set")
    dataset = parted(load_dataset(setting.dataset))
    config = TrainingConfig(
        kind=setting.kind,
        hidden=setting.hidden,
        num_layers=setting.num_layers,
        epochs=EPOCHS,
        patience=PATIENCE,
        lr=1e-2,
        weight_decay=1e-3,
        fragments=FRAGMENTS if setting.fragments else 0,
        fragment_nodes=FRAGMENT_NODES,
    )
    job.report(0.0, "loading what a training needs")
    import_module(COMPILER)  # takes its time once in a process, which is not to be taken from the training
    until = monotonic() + setting.seconds

    def report(progress: GnnEpoch) -> bool:
        share = max(progress.epoch / progress.epochs, 1 - (until - monotonic()) / setting.seconds)
        job.report(
            0.95 * min(1.0, share),
            f"training the GNN: epoch {progress.epoch} of at most {progress.epochs}, "
            f"{100 * progress.validation_accuracy:.0f} % of the validation part right",
        )
        return monotonic() > until and progress.epoch >= LEAST_EPOCHS

    model, header = train(dataset, config, job.device, report)
    job.report(0.96, "measuring the GNN")
    return _save(model, header, dataset, _measured(model.cpu().requires_grad_(False), header, dataset))


def bring_gnn(dataset: str, path: Path, job: JobContext | None = None) -> GnnReport:
    """Take the GNN in a file, one of our kinds, for a data set; the header and the weights are checked.

    Args:
        dataset: Whose.
        path: A safetensors file with our header.
        job: Gets no progress meanwhile.
    """
    data, header = load_dataset(dataset), read_header(path)
    if not data.info.owner:
        raise UserError("You can upload a GNN only for your own data set.")
    sizes = {
        "classes": (header.num_classes, limits.MAX_CLASSES),
        "layers": (header.num_layers, MOST_UPLOADED_LAYERS),
        "numbers in a layer": (header.hidden, MOST_UPLOADED_HIDDEN),
    }
    for name, (size, most) in sizes.items():
        if size > most:
            raise UserError(f"This GNN has {size:,} {name}; an uploaded one may have at most {most}.")
    model = GNNInstances(load_model(dataset, header.kind, path=path), data).model  # which refuses what does not fit
    nameless = data.info.classes == UNKNOWN
    if nameless:
        names = DATASETS[header.dataset].classes if header.dataset in DATASETS else ()
        if len(names) != header.num_classes:
            names = tuple(f"class {label}" for label in range(header.num_classes))
        data = replace(data, info=replace(data.info, classes=names))
    if header.num_classes != data.num_classes:
        classes = counted(header.num_classes, "class")
        raise UserError(f"This GNN tells {classes} apart, but this data set has {data.num_classes}.")
    header = replace(header, dataset=dataset, accuracy={})
    report = _measured(model, header, data)
    if nameless:
        store.describe(dataset, classes=data.info.classes)  # only now: what cannot be used leaves nothing behind
    return _save(model, header, data, report)


@torch.no_grad()
def _measured(model: GNN, header: ModelHeader, dataset: GraphDataset) -> GnnReport:
    """What a GNN is worth on a data set."""
    probabilities = predict_all(model, dataset)  # [num_instances, C]
    if not np.isfinite(probabilities).all():
        raise UserError("This GNN outputs NaN or infinity on this data set: its weights are too large.")
    parts = dataset.parts
    unseen = np.concatenate([parts["validation"], parts["test"]]) if parts else np.flatnonzero(dataset.y >= 0)
    if not len(unseen):
        return GnnReport(dataset.name, header.kind)
    whole = _reliability(probabilities[unseen], dataset.y[unseen])
    # explanations ask a GNN about nothing but fragments
    chosen, source = np.resize(unseen, CHECKED), FragmentSource(dataset)
    fragments = source.around(chosen, FRAGMENT_NODES, torch.Generator().manual_seed(0))
    fragment_probabilities = source.logits(model, fragments).softmax(1).numpy()
    tested = dataset.y[parts["test"] if parts else unseen]
    bins = zip(whole.count.tolist(), whole.confidence.tolist(), whole.accuracy.tolist(), strict=True)
    return GnnReport(
        dataset.name,
        header.kind,
        accuracy=header.accuracy or {"test": float((probabilities[unseen].argmax(1) == dataset.y[unseen]).mean())},
        unseen=len(unseen),
        calibration_error=whole.error,
        fragment_error=_reliability(fragment_probabilities, dataset.y[chosen]).error,
        bins=tuple(row for row in bins if row[0]),
        commonest=float(np.bincount(tested).max() / len(tested)),
        absent=tuple(name for label, name in enumerate(dataset.info.classes) if label not in tested),
        tested=len(tested),
    )


def _save(model: GNN, header: ModelHeader, dataset: GraphDataset, report: GnnReport) -> GnnReport:
    """Keep a GNN and what it is worth with its data set."""
    header = replace(header, accuracy=report.accuracy, training=header.training | {"report": asdict(report)})
    save_model(model, header, model_path(dataset.name, header.kind))
    return report


def _reliability(probabilities: np.ndarray, y: Ints) -> Reliability:
    return reliability(probabilities.max(axis=1), probabilities.argmax(axis=1) == y)
