"""How long learning takes, said before it is begun: that of an explainer, and that of a policy on one instance.

An explainer may have to learn before it can explain; how long is known from what is shipped. A policy is trained
further on one instance for fewer epochs if the instance is large, unless all of them are asked for.

Needs no torch: pages say what it will take.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gfx_core.baselines.registry import learnt_path, method_info
from gfx_core.errors import UserError
from gfx_core.files import read_json_header, stamp
from gfx_core.gnn.kinds import KINDS
from gfx_core.user_data.store import is_own


@dataclass(frozen=True)
class LearningTime:
    """How long something has learnt, and on what."""

    seconds: float
    device: str


def learns_first(method: str, dataset: str, gnn: str, seed: int = 0) -> bool:
    """Whether it would learn before its first answer: it is one that learns, and nothing it has learnt is shipped.

    On somebody's own data GFlowExplainer learns each prediction by itself, if at all, within seconds.
    """
    if method_info(method).name == "gflowexplainer" and is_own(dataset):
        return False
    return method_info(method).learns and not (seed == 0 and learnt_path(method, dataset, gnn).is_file())


def learning_time(method: str, dataset: str, gnn: str) -> LearningTime | None:
    """How long what is shipped of it has learnt; None where nothing is, or its file does not tell."""
    path = learnt_path(method, dataset, gnn)
    return _learning_time(path, stamp(path)) if path.is_file() else None


@lru_cache(maxsize=256)
def _learning_time(path: Path, version: tuple[int, int]) -> LearningTime | None:
    """What a file says; every drawing of a page asks, and one that is replaced is read again."""
    try:
        found = read_json_header(path, "")
    except UserError:
        return None
    made = found.get("made") or {}
    seconds = found.get("seconds") or made.get("seconds")
    return LearningTime(float(seconds), str(made.get("device", "cpu"))) if isinstance(seconds, int | float) else None


def learning_seconds(method: str, dataset: str, device: str) -> float | None:
    """How long it would learn here, about: as long as for another GNN of the data set; None where nobody knows.

    Args:
        method: The explainer.
        dataset: The data set.
        device: What computes here; how long it took elsewhere tells nothing.
    """
    known = [found for kind in KINDS if (found := learning_time(method, dataset, kind)) is not None]
    return next((found.seconds for found in known if found.device == device), None)


EPOCHS = 30
"""Of a training on one instance that is not cut."""
BUDGET_S = 30.0
"""A training that would take longer is cut, to this and to no fewer than `LEAST` epochs."""
LEAST = 10
_EPOCH_S, _NODE_S = 0.16, 0.0013
"""Seconds of an epoch on one core, and what each node adds: measured on BA-Shapes, BA-Community, Tree-Cycles,
Tree-Grid and BA-2Motifs, from 6 to 1,248 nodes. Hubs take up to half as long again."""


@dataclass(frozen=True)
class TuningPlan:
    """What a training on one instance takes.

    Attributes:
        epochs: How many.
        seconds: How long that takes on one core, about.
        whole_s: How long all epochs take, about.
    """

    epochs: int
    seconds: float
    whole_s: float

    @property
    def cut(self) -> bool:
        """Whether there are fewer epochs than usual."""
        return self.epochs < EPOCHS


def tuning_plan(num_nodes: int, whole: bool = False) -> TuningPlan:
    """What a training on an instance takes; the same on every computer, so that everybody gets the same policy.

    Args:
        num_nodes: Of the instance.
        whole: Whether it is not to be cut.
    """
    each = _EPOCH_S + _NODE_S * num_nodes
    epochs = EPOCHS if whole else max(LEAST, min(EPOCHS, int(BUDGET_S / each)))
    return TuningPlan(epochs, epochs * each, EPOCHS * each)
