"""Whether an explainer has to learn before it can explain, and how long that takes. Needs no torch."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gfx_core.errors import UserError
from gfx_core.explainers.registry import learnt_path, method_info
from gfx_core.files import read_json_header, stamp
from gfx_core.gnn.kinds import KINDS
from gfx_core.user_data.store import is_own


@dataclass(frozen=True)
class Learnt:
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


def learnt(method: str, dataset: str, gnn: str) -> Learnt | None:
    """How long what is shipped of it has learnt; None where nothing is, or its file does not tell."""
    path = learnt_path(method, dataset, gnn)
    return _learnt(path, stamp(path)) if path.is_file() else None


@lru_cache(maxsize=256)
def _learnt(path: Path, version: tuple[int, int]) -> Learnt | None:
    """What a file says; every drawing of a page asks, and one that is replaced is read again."""
    try:
        found = read_json_header(path, "")
    except UserError:
        return None
    made = found.get("made") or {}
    seconds = found.get("seconds") or made.get("seconds")
    return Learnt(float(seconds), str(made.get("device", "cpu"))) if isinstance(seconds, int | float) else None


def learning_seconds(method: str, dataset: str, device: str) -> float | None:
    """How long it would learn here, about: as long as for another GNN of the data set; None where nobody knows.

    Args:
        method: The explainer.
        dataset: The data set.
        device: What computes here; how long it took elsewhere tells nothing.
    """
    known = [found for kind in KINDS if (found := learnt(method, dataset, kind)) is not None]
    return next((found.seconds for found in known if found.device == device), None)
