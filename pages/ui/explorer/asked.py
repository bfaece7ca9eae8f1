"""What a GNN answers. A worker asks it, so that pages never load torch; what is shipped with a trace needs nobody."""

from pathlib import Path

import numpy as np

from gfx_core.datasets.graph import DEFAULT_HOPS, GraphDataset
from gfx_core.errors import UserError
from gfx_core.files import fingerprint
from gfx_core.gnn.model_file import ModelHeader, model_path
from gfx_core.question import Question
from gfx_core.requests import AskGnn, AskGnnAboutAll
from gfx_core.trace.schema import GNN_PRINT, Trace
from pages.ui import jobs
from pages.ui.explorer import loaders
from pages.ui.explorer.subject import Subject


def probabilities(subject: Subject, kind: str) -> tuple[float, ...] | None:
    """Of each class for one instance; None while the GNN is being asked.

    Raises:
        UserError: The GNN cannot be read, or is for other data.
    """
    instance = subject.instance
    header = _checked(instance.dataset, kind, instance.x.shape[1], len(instance.info.classes))
    question = Question(instance.dataset, subject.name, subject.source.parameter, kind)
    known = loaders.trace(question) if question.is_plain and header.hops == DEFAULT_HOPS else None
    if known is not None and _is_of(known, header, model_path(instance.dataset, kind)):
        return known.prediction.probabilities
    return jobs.run_job("Asking the GNN", AskGnn(str(model_path(instance.dataset, kind)), question), slot="ask")


def all_probabilities(dataset: GraphDataset, kind: str) -> np.ndarray | None:
    """Of each class for every node or graph of a data set [num_instances, C]; None while the GNN is being asked.

    Raises:
        UserError: The GNN cannot be read, or is for other data.
    """
    _checked(dataset.name, kind, dataset.x.shape[1], len(dataset.info.classes))
    noun = dataset.info.vocabulary.instance
    checkpoint = str(model_path(dataset.name, kind))
    return jobs.run_job(f"Asking the GNN about every {noun}", AskGnnAboutAll(checkpoint, dataset.name), slot="ask-all")


def _checked(dataset: str, kind: str, features: int, classes: int) -> ModelHeader:
    """What a GNN says of itself, if it is for such data."""
    header = loaders.header(dataset, kind)
    for noun, its, ours in (("features", header.in_channels, features), ("classes", header.num_classes, classes)):
        if its != ours:
            raise UserError(
                f"The GNN in {model_path(dataset, kind).name} is for {its} {noun}, but {dataset} has {ours}. "
                f"Train it again with: python -m gfx_core train gnn --dataset {dataset}."
            )
    return header


def _is_of(trace: Trace, header: ModelHeader, checkpoint: Path) -> bool:
    """Whether a trace explains this GNN: one that was trained again may say something else.

    A trace that does not tell its GNN's fingerprint must at least not be older than the GNN, by the day.
    """
    if GNN_PRINT in trace.made:
        return bool(trace.made[GNN_PRINT]) and trace.made[GNN_PRINT] == fingerprint(checkpoint)
    trained, made = header.training.get("date"), trace.made.get("date")
    return bool(trained and made) and str(trained) <= str(made)
