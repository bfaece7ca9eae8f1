"""The list of explainers (``assets/content/explainers.toml``), and the one call that serves them all."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from gfx_core.arrays import spread
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import file_of, load_dataset, source_of
from gfx_core.errors import UserError, look_up
from gfx_core.files import read_once
from gfx_core.job_context import JobContext

if TYPE_CHECKING:
    import torch
    from torch import nn

    from gfx_core.baselines.method import Explanation, Method
    from gfx_core.datasets.instance import Instance
    from gfx_core.user_models.model_data import AnyData


OWN = "gflowexplainer"
LEARNT = ASSETS / "explainers"
"""What the shipped learners have learnt."""
SETTINGS = ASSETS / "results" / "settings.json"
"""The settings that were chosen for each data set, by `gfx_core.bench.explainers`."""


@dataclass(frozen=True)
class MethodInfo:
    """What is known of an explainer before it is loaded.

    Attributes:
        name: Key in the registry, in URLs and on the command line.
        title: What people call it.
        loader: ``module:class``, a :class:`Method`, or the class itself.
        uses_gnn: Whether it queries the GNN at all.
        learns: Whether it is fitted to many instances first.
        on_pages: Whether pages offer it.
    """

    name: str
    title: str
    loader: "str | type[Method]"
    uses_gnn: bool = True
    learns: bool = False
    on_pages: bool = True


_CONTENT = (ASSETS / "content" / "explainers.toml").read_text(encoding="utf-8")
_INFOS = {name: MethodInfo(name, **table) for name, table in tomllib.loads(_CONTENT).items()}
METHODS = {name: info for name, info in _INFOS.items() if info.on_pages}


def method_info(name: str) -> MethodInfo:
    """Look an explainer up by name (``gnnexplainer``) or title (``GNNExplainer``)."""
    infos = _INFOS | METHODS
    return infos[look_up(name, {key: info.title for key, info in infos.items()}, "There is no explainer")]


def make_method(
    name: str,
    model: "nn.Module",
    settings: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    device: "str | torch.device" = "cpu",
) -> "Method":
    """An explainer for one GNN; one that learns has learnt nothing yet.

    Args:
        name: The explainer.
        model: The GNN.
        settings: Some that are not the usual ones, such as `chosen_settings`.
        seed: Of everything that is drawn.
        device: Where to compute.
    """
    make = method_info(name).loader
    if isinstance(make, str):
        make = resolve_name(f"gfx_core.baselines.{make}")
    return make(model, make.config_type(**settings or {}), seed=seed, device=device)


@read_once(2)
def read_settings(path: Path) -> dict[str, Any]:
    """What was chosen, and what was tried, by data set and explainer; nothing if the file is not there."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
    except ValueError as error:
        raise UserError(f"{path.name} contains no settings: python -m gfx_core bench settings makes it.") from error


def chosen_settings(method: str, dataset: str) -> dict[str, Any]:
    """What was chosen for an explainer on the usual GNN of a data set; else nothing, so that it is made as usual."""
    return dict(read_settings(SETTINGS).get(dataset, {}).get(method, {}).get("settings", {}))


def learnt_path(method: str, dataset: str, gnn: str) -> Path:
    """Where the shipped weights of a learner are kept."""
    return file_of(dataset, LEARNT, "explainer", gnn, method)


def ready_method(
    name: str,
    model: "nn.Module",
    dataset: str,
    *,
    seed: int = 0,
    job: JobContext | None = None,
) -> "Method":
    """An explainer that can explain at once.

    One that learns loads what is shipped for seed 0; where nothing is, or with another seed, it learns from the
    explainable instances of the data set, which takes its time.

    Args:
        name: The explainer.
        model: The GNN.
        dataset: The data set that the GNN was trained on.
        seed: Of everything that is drawn.
        job: Where to compute; receives progress while it learns.
    """
    from gfx_core.baselines.generators import SpotMethod
    from gfx_core.baselines.method import Learner
    from gfx_core.gnn.models import GNN

    job = job or JobContext()
    if name == OWN:
        return SpotMethod(model, seed=seed, device=job.device)
    assert isinstance(model, GNN)
    settings = {} if name == "gnnexplainer" else chosen_settings(name, dataset)  # PyG's own: 300 epochs are a long wait
    method = make_method(name, model, settings, seed=seed, device=job.device)
    if isinstance(method, Learner):
        path = learnt_path(name, dataset, model.name)
        if seed == 0 and path.is_file():
            method.load(path)
        else:
            data = load_dataset(dataset)
            indices = spread(data.explainable, source_of(dataset, "index").most_learnt)
            method.fit([data.instance(int(index), hops=model.hops) for index in indices], job)
    return method


def explain(
    method: str,
    model: "nn.Module",
    instance: "Instance | AnyData",
    seed: int = 0,
    *,
    index: Any = None,
    device: "str | torch.device" = "cpu",
) -> "Explanation":
    """Explain one prediction by any method.

    Args:
        method: Its name.
        model: The GNN, ours or any PyG model; it is left as it was. On any other than ours a method that learns learns
            from this instance, and GFlowExplainer makes its flows on the spot.
        instance: The instance, or PyG data and ``index``.
        seed: Of everything that is drawn .
        index: Which node or graph of the data.
        device: Where to compute.

    Returns:
        A score for each of the instance's edges.
    """
    from gfx_core.baselines.method import Learner
    from gfx_core.datasets.instance import Instance
    from gfx_core.gnn.models import GNN
    from gfx_core.user_models.instances import open_instances

    if not isinstance(instance, Instance):
        instance = open_instances(model, instance, None, device).instance(index)
    name = method_info(method).name
    if name == OWN or isinstance(model, GNN):
        return ready_method(name, model, instance.dataset, seed=seed, job=JobContext(str(device))).explain(instance)
    ready = make_method(name, model, seed=seed, device=device)
    if isinstance(ready, Learner):
        ready.fit([instance])
    return ready.explain(instance)


def learns_first(method: str, dataset: str, gnn: str, seed: int = 0) -> bool:
    """Whether an explainer learns before its first answer; what is shipped was learnt with seed 0."""
    shipped = seed == 0 and learnt_path(method, dataset, gnn).is_file()
    return METHODS[method].learns and method != OWN and not shipped
