"""Ask any model about instances that are cut out already."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.foreign.asking import AskedModel
from gfx_core.gnn.foreign.given import GivenInstance, given_of
from gfx_core.gnn.foreign.outputs import Meaning, read_meaning
from gfx_core.gnn.foreign.predictor import GivenPredictor


def asked_predictor(
    model: nn.Module, instances: Sequence[Instance], device: str | torch.device = "cpu"
) -> GivenPredictor:
    """A model that others wrote on some instances: by what the door knows of it, if they came through it."""
    first = instances[0]
    if isinstance(first, GivenInstance) and first.asked is not None and first.meaning is not None:
        asked, meaning = first.asked, first.meaning
        if asked.is_copy_of(model) and asked.device == torch.device(device):
            return GivenPredictor(asked, meaning, instances)
    return GivenPredictor(*asked_model(model, instances, device), instances)


def asked_model(
    model: nn.Module, instances: Sequence[Instance], device: str | torch.device = "cpu"
) -> tuple[AskedModel, Meaning]:
    """A new private copy of a model, for some instances, and what its numbers mean."""
    first = instances[0]
    asked = AskedModel(model, first.task, device)
    if isinstance(first, GivenInstance) and first.asked is not None:
        asked.together = first.asked.together
    return asked, _meaning(asked, instances)


@torch.no_grad()
def _meaning(asked: AskedModel, instances: Sequence[Instance]) -> Meaning:
    """What the model's numbers mean, on instances of ours: those must go as far as the model sees."""
    instance = instances[0]
    if isinstance(instance, GivenInstance) and instance.meaning is not None:
        return instance.meaning
    given = given_of(instance)
    owner = torch.zeros(given.num_nodes, dtype=torch.long, device=asked.device)
    rows = given.num_nodes if asked.task is Task.NODE else 1
    with asked.counting() as heard:
        raw = asked.shaped(asked.first(given, owner, 1), rows).cpu()
    by_degree = any(getattr(module, "normalize", False) is True for module in asked.model.modules())  # as in GCNConv
    for each in instances:
        each.check_reach(heard() + by_degree)
    y: Tensor | None = None if instance.y < 0 else torch.tensor([instance.y])
    return read_meaning(raw, y, None, None)
