"""A model and data that others made: checked here once, they come out as instances that can be explained.

What goes wrong silently elsewhere is met here: each such thing gets the right answer or one clear sentence. The model
is copied and never written into. What is explained is its prediction on the whole graph, and an instance is cut out so
large that the model says the same of it: that is checked for each, and told where it cannot be had.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data, Dataset, HeteroData

from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance, some
from gfx_core.errors import UserError
from gfx_core.gnn.training import Fragments
from gfx_core.storage import digest_of
from gfx_core.text.numbers import counted
from gfx_core.user_models.adapter import ModelAdapter, OutputKind, check_model, read_output
from gfx_core.user_models.inputs import ModelInputs, ModelOptions, disjoint_union, features_of, one_index, read_graph
from gfx_core.user_models.predictor import ModelInstance, ModelPredictor, arrays_of, weights_of
from gfx_core.user_models.student import TeacherGNN

_log = logging.getLogger(__name__)

AnyData: TypeAlias = GraphDataset | Data | Dataset | Sequence[Data]

_LOOKED_AT = 32  # graphs of a list that are evaluated to see what the model's numbers mean
_ENOUGH = 300  # nodes of a graph, to see what a model does with two graphs
_BEYOND = 2  # hops that are tried beyond what the model is seen to listen to
_TOGETHER = 256  # graphs of one call of the model
_SAME = 1e-4  # so far may two answers be apart, beside their size, and be the same


class ModelInstances:
    """A model and its data, checked.

    Args:
        model: Any module of PyTorch that takes a graph.
        data: One PyG graph, a batch, a list or a data set of them, or one of our data sets.
        options: What is known of both.
        device: Where to compute.

    Attributes:
        adapter: The model's private copy.
        task: What it speaks of.
        output: What its numbers mean.
    """

    def __init__(
        self, model: nn.Module, data: AnyData, options: ModelOptions | None = None, device: str | torch.device = "cpu"
    ) -> None:
        check_model(model)
        self.options = options or ModelOptions()
        self._ours = data if isinstance(data, GraphDataset) else None
        self.graphs = graphs_of(data)
        task = self._ours.task if self._ours is not None else self.options.task
        self.adapter = ModelAdapter(model, Task(task or Task.GRAPH), device)
        if len(self.graphs) > 1:
            self.task = Task(task or Task.GRAPH)
        else:
            self.task = self._task_by_rows(self.graphs[0], task)
        if self.task is Task.NODE and isinstance(data, Batch):
            self.graphs = [data]
        self.adapter.task = self.task
        self._looked_at = self._readable(_LOOKED_AT)
        self.inputs = list(self._looked_at.values())
        self._whole = self._outputs_of_all()  # [rows, C]
        self.output = read_output(self._whole.cpu(), self._labels(), self.options.output, self.options.tolerance)

    def _readable(self, most: int) -> dict[int, ModelInputs]:
        """The first graphs that can be read, by number. What is wrong with the very first is mostly so with all."""
        found: dict[int, ModelInputs] = {}
        for number, graph in enumerate(self.graphs):
            try:
                found[number] = read_graph(graph, self.adapter.signature, self.options)
            except UserError:
                if not number or not isinstance(graph, Data):
                    raise
            if len(found) == most:
                break
        return found

    def _task_by_rows(self, data: Data, task: str | None) -> Task:
        """By the rows that come out of the model for one graph."""
        inputs = read_graph(data, self.adapter.signature, self.options)
        out = self.adapter.first(inputs)
        if task is not None:
            return Task(task)
        if isinstance(out, Tensor) and out.ndim and len(out) == inputs.num_nodes != 1:
            return Task.NODE
        return Task.GRAPH

    @torch.no_grad()
    def _outputs_of_all(self) -> Tensor:
        """What the model says of all that is looked at; checks that it is the same when asked again, and together."""
        parts = [self._whole_output(graph) for graph in self.inputs]
        widths = {part.shape[1] for part in parts}
        if len(widths) > 1:
            raise UserError(f"{self.adapter.name} outputs rows of different lengths for different graphs: {widths}.")
        whole = torch.cat(parts)
        if not bool(whole.isfinite().all()):
            raise UserError(f"{self.adapter.name} outputs NaN or infinity: train it, or check the features.")
        if not _same(self._whole_output(self.inputs[0]), parts[0]):
            raise UserError(
                f"{self.adapter.name} predicts differently each time, even in eval mode: is there a dropout that does "
                "not read self.training?"
            )
        self._check_together()
        return whole

    def _whole_output(self, inputs: ModelInputs) -> Tensor:
        """What the model says of a whole graph. [n or 1, C]"""
        found, self._num_listens = self.adapter.whole(inputs)
        return found

    def _check_together(self) -> None:
        """Whether two graphs at once get the same answers as each alone; a model that takes no batch mixes them up."""
        inputs, count = self.inputs[0], self.inputs[0].num_nodes
        parts = [
            inputs.part(np.arange(min(count, _ENOUGH))),
            inputs.part(np.arange(min(count, _ENOUGH) // 2, count)[:_ENOUGH]),
        ]
        each = torch.cat([self._outputs([part]) for part in parts])
        try:
            self.adapter.together = _same(self._outputs(parts), each)
        except Exception:
            self.adapter.together = False
        if not self.adapter.together:
            _log.info("%s is called with one graph at a time: it mixes up two in one call", self.adapter.name)

    def _labels(self) -> Tensor | None:
        """What was to be predicted, where that is known of what was looked at."""
        known = [self.graphs[number].y for number in self._looked_at]
        if not all(_readable(y) for y in known):
            return None
        y = torch.cat([y.flatten() for y in known if isinstance(y, Tensor)])
        return y.cpu() if len(y) == len(self._whole) else None

    # What comes out

    @property
    def num_instances(self) -> int:
        """How many predictions there are to be explained."""
        return self.inputs[0].num_nodes if self.task is Task.NODE else len(self.graphs)

    def instance(self, index: Any = None) -> ModelInstance:
        """Cut out what the model sees of one node, or take one graph."""
        at = one_index(index, self.num_instances, str(self.task))
        return self._node(at) if self.task is Task.NODE else self._graph(at)

    def predictor(self, instances: Sequence[Instance]) -> ModelPredictor:
        """The model on some of these instances."""
        return ModelPredictor(self.adapter, self.output, instances)

    @property
    def info(self) -> DatasetInfo:
        """The data in words."""
        if self._ours is not None:
            return self._ours.info
        return DatasetInfo("own", self.task, self.options.title, classes=self._class_names())

    def predicted(self) -> tuple[Ints, tuple[str, ...]]:
        """The class of each node or graph, -1 of one that cannot be read, and all classes' names. [num_instances]"""
        if self.output.kind is OutputKind.NUMBER:
            raise UserError("This model predicts an amount, but rules describe classes: choose a classifier.")
        found, raw = np.full(self.num_instances, -1), self._whole
        numbers = np.arange(self.num_instances)
        if self.task is Task.GRAPH:
            every = self._readable(len(self.graphs))
            raw = self._outputs(list(every.values()))
            numbers = np.array(list(every))
        predictions = self.output.predictions(raw, raw)
        found[numbers] = predictions.predicted.cpu().numpy()
        return found, self.info.class_names(predictions.logits.shape[1])

    @cached_property
    def digest(self) -> str:
        """Names the model and its data: equal ones teach a student the same."""
        graphs = [graph for graph in self.graphs if isinstance(graph, Data)]
        data = arrays_of(value for graph in graphs for value in graph.to_dict().values())
        named = arrays_of([self._whole, *self.options.args.values()])
        return digest_of([self.adapter.name, str(self.task)], [*weights_of(self.adapter.model), *data, *named])

    def teacher(self) -> TeacherGNN:
        """The model as a student learns from it.

        Raises:
            UserError: None can: it puts out an amount, or one graph is all that is there.
        """
        if self.output.kind is OutputKind.NUMBER:
            raise UserError("A student learns classes, but this model predicts an amount.")
        if self.task is Task.NODE:
            every, dataset, raw, reach = self.inputs, self._node_dataset, self._whole, self._num_listens or _BEYOND
        else:
            every = list(self._readable(len(self.graphs)).values())
            dataset, raw = self._ours or self._all_graphs(every), self._outputs(every)
            reach = self._num_listens

        def part(nodes: Ints) -> ModelInputs:
            graph = int(np.searchsorted(dataset.ptr, nodes[0], side="right")) - 1
            return every[graph].part(nodes - dataset.ptr[graph])

        def ask(fragments: Fragments) -> Tensor:
            rows = [row[row >= 0] for row in fragments.nodes.cpu().numpy()]
            found = self._outputs(list(map(part, rows)), first=True).float()
            return self.output.predictions(found, found).log_probabilities

        return TeacherGNN.of(dataset, self.output.predictions(raw, raw).probabilities.cpu().numpy(), ask, reach)

    @torch.no_grad()
    def _outputs(self, parts: list[ModelInputs], first: bool = False) -> Tensor:
        """What the model puts out for some graphs, or for the first node of each. [B, C]"""
        if len(parts) > _TOGETHER:
            firsts = range(0, len(parts), _TOGETHER)
            return torch.cat([self._outputs(parts[at : at + _TOGETHER], first) for at in firsts])
        union = self.adapter.ready(disjoint_union(parts))
        sizes = torch.tensor([part.num_nodes for part in parts], device=self.adapter.device)
        owner = torch.arange(len(parts), device=self.adapter.device).repeat_interleave(sizes)
        raw = self.adapter.raw(union, owner, len(parts))
        return raw[sizes.cumsum(0) - sizes] if first and self.task is Task.NODE else raw

    def _all_graphs(self, every: list[ModelInputs]) -> GraphDataset:
        """All graphs as one data set: simple and undirected."""
        sizes = np.array([inputs.num_nodes for inputs in every])
        ptr = np.concatenate([[0], np.cumsum(sizes)])
        edges = [inputs.edge_index.cpu().numpy() + first for inputs, first in zip(every, ptr, strict=False)]
        x = torch.cat([features_of(inputs.x) for inputs in every]).numpy()
        info = DatasetInfo("own", self.task, self.options.title)
        unknown = np.full(len(every), -1)
        return GraphDataset.from_edges(info, x, np.concatenate(edges, axis=1), unknown, num_classes=0, ptr=ptr)

    def _node(self, index: int) -> ModelInstance:
        answer, whole = self._whole[index : index + 1], self.inputs[0]
        reach = self._num_listens if self.options.hops is None else self.options.hops
        if not self._num_listens and self.options.hops is None:
            reach = self._hops_by_gradient(index)
        tries = [reach] if self.options.hops is not None else [*range(reach, reach + _BEYOND + 1), whole.num_nodes]
        for hops in tries:
            cut = self._node_dataset.instance(index, hops=hops)
            instance = self._model_instance(cut, whole.part(cut.nodes), answer)
            raw = self._output_on(instance)
            if _same(raw, answer):
                return instance
        return replace(instance, notes=(self._differs(raw, answer, cut.left_out),))

    def _graph(self, index: int) -> ModelInstance:
        inputs = self._looked_at.get(index) or read_graph(self.graphs[index], self.adapter.signature, self.options)
        answer = self._whole_output(inputs)
        dataset = self._dataset(index, inputs)
        cut = dataset.instance(index if self._ours is not None else 0)
        instance = self._model_instance(replace(cut, index=index), inputs.part(cut.nodes), answer)
        if not cut.left_out:
            return instance
        return replace(instance, notes=(self._differs(self._output_on(instance), answer, cut.left_out),))

    def _model_instance(self, cut: Instance, inputs: ModelInputs, answer: Tensor) -> ModelInstance:
        classes = self.output.classes(answer, tuple(cut.info.classes))
        values = {name: getattr(cut, name) for name in cut.__dataclass_fields__}
        values["info"] = replace(cut.info, classes=classes)
        labels = self._node_labels(cut)
        return ModelInstance(
            **values, inputs=inputs, answer=answer, adapter=self.adapter, output=self.output, labels=labels
        )

    def _node_labels(self, cut: Instance) -> tuple[str, ...]:
        labels, count = tuple(self.options.labels), self.num_instances if self.task is Task.NODE else cut.num_nodes
        fits = len(labels) == count if self.task is Task.NODE else len(labels) > int(cut.nodes.max())
        if labels and not fits:
            raise UserError(_one_for_each("label", len(labels), "node", count))
        return some(labels, cut.nodes)

    def _output_on(self, instance: ModelInstance) -> Tensor:
        """What the model says of an instance and nothing else. [1, C]"""
        raw = self._outputs([instance.inputs])
        return raw if instance.target is None else raw[instance.target : instance.target + 1]

    def _differs(self, raw: Tensor, answer: Tensor, left_out: int) -> str:
        """That the part does not tell what the whole does."""
        why = (
            f"it leaves out {counted(left_out, 'node')}"
            if left_out
            else "it reads more of the graph than its neighbours"
        )
        here, whole = (self.output.predictions(each, answer) for each in (raw, answer))
        explained = int(whole.predicted[0])
        shares = (float(each.probabilities[0, explained]) for each in (here, whole))
        part, all_of_it = (f"{100 * share:.0f} %" for share in shares)
        return (
            f"We explain a part of a larger graph. For this part the model predicts {part}, for the whole graph "
            f"{all_of_it}: {why}."
        )

    def _hops_by_gradient(self, index: int) -> int:
        """How far a model without PyG's layers sees, by its gradient: the distance of the farthest node that counts."""
        inputs = self.adapter.ready(self.inputs[0])
        gradient = self.adapter.gradient(inputs, lambda out: out[index].sum())
        if gradient is None:
            return 1
        counts = np.flatnonzero((features_of(gradient) != 0).any(1).numpy())
        cut = self._node_dataset.instance(index, hops=inputs.num_nodes)
        return int(cut.hops[np.isin(cut.nodes, counts)].max(initial=0))

    @cached_property
    def _node_dataset(self) -> GraphDataset:
        """The one graph of a node task."""
        return self._dataset(0, self.inputs[0])

    def _dataset(self, index: int, inputs: ModelInputs) -> GraphDataset:
        """A graph as what hangs together in it: simple and undirected."""
        if self._ours is not None:
            return self._ours
        info = self.info
        x, atoms = features_of(inputs.x), tuple(self.options.atoms)
        if atoms and len(atoms) != x.shape[1]:
            raise UserError(_one_for_each("name", len(atoms), "feature column", x.shape[1]))
        y = self._true(self.graphs[index].y, inputs.num_nodes if self.task is Task.NODE else 1)
        edge_index = inputs.edge_index.cpu().numpy()
        return GraphDataset.from_edges(info, x.numpy(), edge_index, y, num_classes=0, node_names=atoms)

    def _class_names(self) -> tuple[str, ...]:
        """The names that were given; as many as there are classes."""
        names = tuple(self.options.classes)
        count = 2 if self.output.kind.is_single else self._whole.shape[1]
        if names and self.output.kind is not OutputKind.NUMBER and len(names) != count:
            raise UserError(_one_for_each("name", len(names), "class", count))
        return names

    def _true(self, y: Any, count: int) -> np.ndarray:
        """The true classes, -1 where they are not known. [count]"""
        unknown = np.full(count, -1)
        if self.output.kind is OutputKind.NUMBER or not _readable(y) or y.numel() != count:
            return unknown
        values = y.detach().cpu().flatten().double()
        classes = 2 if self.output.kind.is_single else self._whole.shape[1]
        known = (values == values.round()) & (values >= 0) & (values < classes)
        return np.where(known.numpy(), values.nan_to_num().long().numpy(), -1)


def graphs_of(data: AnyData) -> Sequence[Data]:
    """The graphs of whatever holds some; `check_graph` refuses what is none."""
    if isinstance(data, GraphDataset):
        data = data.to_pyg()
    if isinstance(data, Batch):
        return data.to_data_list()
    if isinstance(data, Data | HeteroData):
        return [data]
    if not isinstance(data, Sequence | Dataset) or isinstance(data, str | bytes):
        raise UserError(
            f"The data must be a PyG graph, torch_geometric.data.Data, or a list of them (got a {type(data).__name__})."
        )
    if not len(data):
        raise UserError("There are no graphs in the list.")
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


def _one_for_each(given: str, count: int, noun: str, wanted: int) -> str:
    return f"You gave {counted(count, given)} for {counted(wanted, noun)}: give one for each."
