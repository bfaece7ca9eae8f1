"""A GNN and all its data: one of our GNNs in its fast form, or any model of PyTorch (`ModelInstances`). Needs torch."""

from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from gfx_core.arrays import Ints
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_all
from gfx_core.gnn.training import Fragments, FragmentSource
from gfx_core.storage import digest_of
from gfx_core.text.numbers import counted
from gfx_core.user_models.inputs import ModelOptions, one_index
from gfx_core.user_models.model_data import AnyData, ModelInstances
from gfx_core.user_models.predictor import weights_of
from gfx_core.user_models.student import TeacherGNN


class GNNInstances:
    """One of our GNNs and its data.

    Args:
        model: The GNN.
        dataset: Its data.
        device: Where to compute.
    """

    def __init__(self, model: GNN, dataset: GraphDataset, device: str | torch.device = "cpu") -> None:
        if dataset.task is not model.task:
            raise UserError(
                f"This GNN classifies a {model.task}, but the data is for a {dataset.task}: choose another GNN."
            )
        if dataset.x.shape[1] != model.in_channels:
            raise UserError(
                f"This GNN reads {counted(model.in_channels, 'feature')} of a node, but the data has "
                f"{dataset.x.shape[1]}: choose the data that it was trained on."
            )
        self.model, self.dataset, self.device = model, dataset, device
        self.task, self.num_instances, self.info = dataset.task, dataset.num_instances, dataset.info

    def instance(self, index: Any = None) -> Instance:
        """What the model sees of one node, or one graph."""
        return self.dataset.instance(one_index(index, self.num_instances, str(self.task)), hops=self.model.hops)

    @torch.no_grad()
    def predicted(self) -> tuple[Ints, tuple[str, ...]]:
        """The class of each node or graph, and all classes' names. [num_instances]"""
        shares = predict_all(self.model, self.dataset)
        return shares.argmax(axis=1), self.info.class_names(shares.shape[1])

    def teacher(self) -> TeacherGNN:
        """The model as a student learns from it."""
        source, model = FragmentSource(self.dataset, self.device), self.model.to(self.device)

        @torch.no_grad()
        def ask(fragments: Fragments) -> Tensor:
            return source.logits(model, fragments.to(source.device)).log_softmax(-1)

        return TeacherGNN.of(self.dataset, predict_all(model, self.dataset), ask, model.hops)

    @cached_property
    def digest(self) -> str:
        """Names the model and its data: equal ones teach the same."""
        data = self.dataset
        return digest_of(str(self.model.kind), [*weights_of(self.model), data.x, data.edge_index, data.ptr])


Instances: TypeAlias = GNNInstances | ModelInstances


def open_instances(
    model: nn.Module, data: AnyData, about: ModelOptions | None = None, device: str | torch.device = "cpu"
) -> Instances:
    """A model and its data, checked."""
    if not isinstance(model, GNN):
        return ModelInstances(model, data, about, device)
    if isinstance(data, GraphDataset):
        return GNNInstances(model, data, device)
    return ModelInstances(model, data, replace(about or ModelOptions(), task=model.task, hops=model.hops), device)
