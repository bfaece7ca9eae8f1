"""A model and data that others made: checked here once, they come out as instances that can be explained.

What goes wrong silently elsewhere is met here: each such thing gets the right answer or one clear sentence. The model
is copied and never written into. What is explained is its prediction on the whole graph, and an instance is cut out so
large that the model says the same of it: that is checked for each, and told where it cannot be had.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data, Dataset, HeteroData

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.user_models.adapter import ModelAdapter, OutputKind, check_model, read_output
from gfx_core.user_models.inputs import ModelInputs, ModelOptions, disjoint_union, features_of, one_index, read_graph
from gfx_core.user_models.predictor import ModelInstance, ModelPredictor

_log = logging.getLogger(__name__)

AnyData: TypeAlias = GraphDataset | Data | Dataset | Sequence[Data]

_LOOKED_AT = 32  # graphs of a list that are asked about to see what the model's numbers mean
_ENOUGH = 300  # nodes of a graph, to see what a model does with two graphs
_BEYOND = 2  # hops that are tried beyond what the model is seen to listen to
_SAME = 1e-4  # so far may two answers be apart, beside their size, and be the same


class ModelInstances:
    """A model and its data, checked.

    Args:
        model: Any module of PyTorch that takes a graph.
        data: One PyG graph, a batch, a list or a data set of them, or one of our data sets.
        about: What is known of both.
        device: Where to compute.

    Attributes:
        asked: The model's private copy.
        task: What it speaks of.
        meaning: What its numbers mean.
    """

    def __init__(
        self, model: nn.Module, data: AnyData, about: ModelOptions | None = None, device: str | torch.device = "cpu"
    ) -> None:
        check_model(model)
        self.about = about or ModelOptions()
        self._ours = data if isinstance(data, GraphDataset) else None
        self.graphs = graphs_of(data)
        self._several = not isinstance(data, Data) or isinstance(data, Batch)
        told = self._ours.task if self._ours is not None else self.about.task
        self.asked = ModelAdapter(model, Task(told or Task.GRAPH), device)
        if len(self.graphs) > 1:
            self.task = Task(told or Task.GRAPH)
        else:
            self.task = self._see_task(self._first(), told)
        if self.task is Task.NODE and isinstance(data, Batch):
            self.graphs, self._several = [data], False
        self.asked.task = self.task
        self.given = [read_graph(graph, self.asked.signature, self.about) for graph in self.graphs[:_LOOKED_AT]]
        self._whole = self._ask_all()  # [rows, C]
        self.meaning = read_output(self._whole.cpu(), self._labels(), self.about.output, self.about.tolerance)
        self._datasets: dict[int, GraphDataset] = {}

    def _first(self) -> Data:
        return self.graphs[0]

    def _see_task(self, data: Data, told: str | None) -> Task:
        """By the rows that come out of the model for one graph."""
        given = read_graph(data, self.asked.signature, self.about)
        out = self.asked.first(given, torch.zeros(given.num_nodes, dtype=torch.long), 1)
        if told is not None:
            return Task(told)
        if isinstance(out, Tensor) and out.ndim and len(out) == given.num_nodes != 1:
            return Task.NODE
        return Task.GRAPH

    @torch.no_grad()
    def _ask_all(self) -> Tensor:
        """What the model says of all that is looked at; checks that it is the same when asked again, and together."""
        parts = [self._ask_whole(graph) for graph in self.given]
        widths = {part.shape[1] for part in parts}
        if len(widths) > 1:
            raise UserError(f"{self.asked.name} puts out rows of different lengths for different graphs: {widths}.")
        whole = torch.cat(parts)
        if not bool(whole.isfinite().all()):
            raise UserError(f"{self.asked.name} puts out NaN or infinity: train it, or check the features.")
        if not _same(self._ask_whole(self.given[0]), parts[0]):
            raise UserError(
                f"{self.asked.name} says something else each time that it is asked, even in eval mode: is there a "
                "dropout that does not read self.training?"
            )
        self._check_together()
        return whole

    @torch.no_grad()
    def _ask_whole(self, given: ModelInputs) -> Tensor:
        owner = torch.zeros(given.num_nodes, dtype=torch.long, device=self.asked.device)
        with self.asked.counting() as heard:
            out = self.asked.first(given, owner, 1)
        self._heard = heard()
        return self.asked.shaped(out, given.num_nodes if self.task is Task.NODE else 1)

    def _check_together(self) -> None:
        """Whether two graphs at once get the same answers as each alone; a model that takes no batch mixes them up."""
        given = self.asked.ready(self.given[0])
        count = given.num_nodes
        parts = [
            given.part(np.arange(min(count, _ENOUGH))),
            given.part(np.arange(min(count, _ENOUGH) // 2, count)[:_ENOUGH]),
        ]
        owners = [torch.full((part.num_nodes,), number) for number, part in enumerate(parts)]
        each = [
            self.asked.raw(p, torch.zeros_like(o).to(self.asked.device), 1) for p, o in zip(parts, owners, strict=True)
        ]
        try:
            both = self.asked.raw(disjoint_union(parts), torch.cat(owners).to(self.asked.device), 2)
            self.asked.together = _same(both, torch.cat(each))
        except Exception:
            self.asked.together = False
        if not self.asked.together:
            _log.info("%s is asked about one graph at a time: it mixes up two in one call", self.asked.name)

    def _labels(self) -> Tensor | None:
        """What was to be predicted, where that is known of what was looked at."""
        known = [graph.y for graph in self.graphs[:_LOOKED_AT]]
        if not all(_readable(y) for y in known):
            return None
        y = torch.cat([y.flatten() for y in known if isinstance(y, Tensor)])
        return y.cpu() if len(y) == len(self._whole) else None

    # What comes out

    @property
    def num_instances(self) -> int:
        """How many predictions there are to be explained."""
        return self.given[0].num_nodes if self.task is Task.NODE else len(self.graphs)

    def check_index(self, index: Any) -> int:
        """One index out of whatever was given for it."""
        noun = "node" if self.task is Task.NODE else "graph"
        return one_index(index, self.num_instances, noun)

    def instance(self, index: Any = None) -> ModelInstance:
        """Cut out what the model sees of one node, or take one graph."""
        at = self.check_index(index)
        return self._node(at) if self.task is Task.NODE else self._graph(at)

    def predictor(self, instances: Sequence[Instance]) -> ModelPredictor:
        """The model on some of these instances."""
        return ModelPredictor(self.asked, self.meaning, instances)

    def _node(self, index: int) -> ModelInstance:
        answer, whole = self._whole[index : index + 1], self.given[0]
        reach = self._heard if self.about.hops is None else self.about.hops
        if not self._heard and self.about.hops is None:
            reach = self._felt(index)
        tries = [reach] if self.about.hops is not None else [*range(reach, reach + _BEYOND + 1), whole.num_nodes]
        dataset = self._dataset(0)
        for hops in tries:
            cut = dataset.instance(index, hops=hops)
            instance = self._given_instance(cut, whole.part(cut.nodes), answer)
            said = self._says(instance)
            if _same(said, answer):
                return instance
        return replace(instance, notes=(self._differs(said, answer, cut.left_out),))

    def _graph(self, index: int) -> ModelInstance:
        given = self.given[index] if index < len(self.given) else None
        if given is None:
            given = read_graph(self.graphs[index], self.asked.signature, self.about)
        answer = self._ask_whole(given)
        dataset = self._dataset(index, given)
        cut = dataset.instance(index if self._ours is not None else 0)
        instance = self._given_instance(replace(cut, index=index), given.part(cut.nodes), answer)
        if not cut.left_out:
            return instance
        return replace(instance, notes=(self._differs(self._says(instance), answer, cut.left_out),))

    def _given_instance(self, cut: Instance, given: ModelInputs, answer: Tensor) -> ModelInstance:
        classes = self.meaning.classes(answer, tuple(cut.info.classes))
        values = {name: getattr(cut, name) for name in cut.__dataclass_fields__}
        values["info"] = replace(cut.info, classes=classes)
        labels = self._node_labels(cut)
        return ModelInstance(
            **values, given=given, answer=answer, asked=self.asked, meaning=self.meaning, labels=labels
        )

    def _node_labels(self, cut: Instance) -> tuple[str, ...]:
        labels = self.about.labels
        if labels and self.task is Task.NODE and len(labels) != self.num_instances:
            raise UserError(f"There are {len(labels)} labels for {self.num_instances} nodes: give one for each.")
        if labels and self.task is Task.GRAPH and len(labels) <= int(cut.nodes.max()):
            raise UserError(f"There are {len(labels)} labels for {cut.num_nodes} nodes: give one for each.")
        return tuple(labels[int(node)] for node in cut.nodes) if labels else ()

    @torch.no_grad()
    def _says(self, instance: ModelInstance) -> Tensor:
        """What the model says of an instance and nothing else. [1, C]"""
        assert instance.given is not None
        said = self._ask_part(instance.given)
        return said if instance.target is None else said[instance.target : instance.target + 1]

    @torch.no_grad()
    def _ask_part(self, given: ModelInputs) -> Tensor:
        owner = torch.zeros(given.num_nodes, dtype=torch.long, device=self.asked.device)
        return self.asked.raw(self.asked.ready(given), owner, 1)

    def _differs(self, said: Tensor, answer: Tensor, left_out: int) -> str:
        """That the part does not tell what the whole does."""
        why = f"{left_out:,} nodes are left out" if left_out else "it reads more of the graph than its neighbours"
        here, whole = (self.meaning.predictions(raw, answer) for raw in (said, answer))
        explained = int(whole.predicted[0])
        shares = (float(each.probabilities[0, explained]) for each in (here, whole))
        part, all_of_it = (f"{100 * share:.0f} %" for share in shares)
        return (
            f"What is explained is cut out of a larger graph, and of the part the model says {part} where it says "
            f"{all_of_it} of the whole: {why}."
        )

    def _felt(self, index: int) -> int:
        """How far a model without PyG's layers sees, by its gradient: the distance of the farthest node that counts."""
        given = self.asked.ready(self.given[0])
        gradient = self.asked.gradient(given, lambda out: out[index].sum())
        if gradient is None:
            return 1
        counts = np.flatnonzero((features_of(gradient) != 0).any(1).numpy())
        cut = self._dataset(0).instance(index, hops=given.num_nodes)
        return int(cut.hops[np.isin(cut.nodes, counts)].max(initial=0))

    def _dataset(self, index: int, given: ModelInputs | None = None) -> GraphDataset:
        """The graph as what hangs together in it: simple and undirected."""
        if self._ours is not None:
            return self._ours
        key = 0 if self.task is Task.NODE else index
        if key not in self._datasets:
            graph = self.given[key] if given is None else given
            info = DatasetInfo("own", self.task, self.about.title, classes=self._class_names())
            x = features_of(graph.x)
            if self.about.atoms and len(self.about.atoms) != x.shape[1]:
                raise UserError(
                    f"There are {len(self.about.atoms)} names for {x.shape[1]} feature columns: give one for each."
                )
            made = GraphDataset.from_edges(
                info,
                x.numpy(),
                graph.edge_index.cpu().numpy(),
                self._true(self.graphs[key].y, graph.num_nodes if self.task is Task.NODE else 1),
                num_classes=0,
                node_names=tuple(self.about.atoms),
            )
            if self.task is Task.GRAPH:
                return made
            self._datasets[key] = made
        return self._datasets[key]

    def _class_names(self) -> tuple[str, ...]:
        """The names that were given; as many as there are classes."""
        names = tuple(self.about.classes)
        count = 2 if self.meaning.kind.is_single else self._whole.shape[1]
        if names and self.meaning.kind is not OutputKind.NUMBER and len(names) != count:
            raise UserError(f"There are {len(names)} names for {count} classes: give one for each.")
        return names

    def _true(self, y: Any, count: int) -> np.ndarray:
        """The true classes, -1 where they are not known. [count]"""
        unknown = np.full(count, -1)
        if self.meaning.kind is OutputKind.NUMBER or not _readable(y) or y.numel() != count:
            return unknown
        values = y.detach().cpu().flatten().double()
        classes = 2 if self.meaning.kind.is_single else self._whole.shape[1]
        known = (values == values.round()) & (values >= 0) & (values < classes)
        return np.where(known.numpy(), values.nan_to_num().long().numpy(), -1)


def graphs_of(data: AnyData) -> Sequence[Data]:
    """The graphs of whatever holds some."""
    if isinstance(data, HeteroData):
        raise UserError("This explains homogeneous graphs, not heterogeneous ones: data.to_homogeneous() makes one.")
    if isinstance(data, GraphDataset):
        data = data.to_pyg()
    if isinstance(data, Batch):
        return data.to_data_list()
    if isinstance(data, Data):
        return [data]
    if not isinstance(data, Sequence | Dataset) or isinstance(data, str | bytes):
        raise UserError(
            f"The data must be a PyG graph, torch_geometric.data.Data, or a list of them (got a {type(data).__name__})."
        )
    if not len(data):
        raise UserError("There are no graphs in the list.")
    if isinstance(data[0], HeteroData):
        raise UserError("This explains homogeneous graphs, not heterogeneous ones: data.to_homogeneous() makes one.")
    if not isinstance(data[0], Data):
        raise UserError(f"The list must hold PyG graphs (it holds a {type(data[0]).__name__}).")
    return data


def _readable(y: Any) -> bool:
    """Whether true values are there to be read."""
    return isinstance(y, Tensor) and y.layout is torch.strided and not (y.is_meta or y.is_nested or y.is_complex())


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether two answers are the same but for rounding."""
    if one.shape != other.shape:
        return False
    size = float(other.abs().max()) if other.numel() else 0.0
    return bool(((one - other).abs() <= _SAME * max(1.0, size)).all())
