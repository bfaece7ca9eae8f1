"""A user's model and data, checked here once, as instances that can be explained.

The model is copied and never written into. What is explained is its prediction on the whole graph, and an instance is
cut out so large that the model predicts the same for it: that is checked for each, and a note names where it is not so.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data, Dataset, HeteroData
from torch_geometric.utils import get_num_hops

from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import some
from gfx_core.errors import UserError
from gfx_core.gnn.predict import Predictions
from gfx_core.gnn.training import Fragments
from gfx_core.storage import digest_of
from gfx_core.text.numbers import counted
from gfx_core.user_models.adapter import ModelAdapter, OutputKind, read_output
from gfx_core.user_models.inputs import ModelOptions, induced, one_index, read_graph, rows_of
from gfx_core.user_models.predictor import ModelInstance, weights_of
from gfx_core.user_models.student import TeacherGNN

AnyData: TypeAlias = GraphDataset | Data | Dataset | Sequence[Data]

_FIRST = 32  # graphs of a list that are evaluated to see what the model's numbers mean
_ENOUGH = 300  # nodes of a graph, to see what a model does with two graphs
_BEYOND = 2  # hops that are tried beyond those that the model's layers have
_SAME = 1e-4  # so far may two outputs be apart, beside their size, and be the same


class ModelInstances:
    """A model and its data, checked.

    Args:
        model: Any module of PyTorch that takes a graph.
        data: One PyG graph, a batch, a list or a data set of them, or one of our data sets.
        options: What is known of both.
        device: Where to compute.

    Attributes:
        adapter: The model's private copy.
        task: Whether it predicts for nodes or for graphs.
    """

    def __init__(
        self, model: nn.Module, data: AnyData, options: ModelOptions | None = None, device: str | torch.device = "cpu"
    ) -> None:
        self.options = options or ModelOptions()
        self._given = data if isinstance(data, GraphDataset) else None
        task = self.options.task if self._given is None else self._given.task
        self.graphs = [data] if isinstance(data, Batch) and task == Task.NODE else graphs_of(data)
        self.adapter = adapter = ModelAdapter(model, Task(task or Task.GRAPH), device)
        self._first = self._read(_FIRST)
        self._graph = self._first[0]  # in a node task the only one
        adapter.rows = rows_of(self._graph)
        args = self.options.args.items()
        adapter.constants = {name: value for name, value in args if value is not None and name not in adapter.rows}
        if task is None and len(self.graphs) == 1:
            out = adapter.call(Batch.from_data_list([self._graph]))
            if isinstance(out, Tensor) and out.ndim and len(out) == self._graph.num_nodes != 1:
                adapter.task = Task.NODE
        self.task, self._raw = adapter.task, self._checked_outputs()  # [rows, C]
        y = labels_of([self.graphs[number] for number in self._first], len(self._raw))
        adapter.output = read_output(self._raw.cpu(), y, self.options.output, self.options.tolerance)
        self._hops = get_num_hops(adapter.model)

    def _read(self, most: int) -> dict[int, Data]:
        """The first graphs that can be read, by number. What is wrong with the very first is mostly so with all."""
        graphs: dict[int, Data] = {}
        for number, graph in enumerate(self.graphs):
            try:
                graphs[number] = read_graph(graph, self.adapter.arguments, self.options)
            except UserError:
                if not number or not isinstance(graph, Data):
                    raise
            if len(graphs) == most:
                break
        return graphs

    def _checked_outputs(self) -> Tensor:
        """The outputs for the first graphs, which must be finite and the same in a second call. [rows, C]

        Models that read all nodes of a call, or no ``batch``, are found here too: they are called with single graphs.
        """
        adapter, graph, nodes = self.adapter, self._graph, np.arange(self._graph.num_nodes)
        adapter.together = False
        raw = adapter.outputs(list(self._first.values()))
        if not bool(raw.isfinite().all()):
            raise UserError(f"{adapter.name} outputs NaN or infinity: train it, or check the features.")
        two = [induced(graph, adapter.rows, half[:_ENOUGH]) for half in (nodes, nodes[len(nodes) // 2 :])]
        single = adapter.outputs(two)
        try:
            adapter.together = True
            adapter.together = _same(adapter.outputs(two), single)
        except UserError:
            adapter.together = False
        if not adapter.together and not _same(adapter.outputs(two), single):
            raise UserError(
                f"{adapter.name} predicts differently each time, even in eval mode: is there a dropout that does "
                "not read self.training?"
            )
        return raw

    # All of the data

    @property
    def num_instances(self) -> int:
        """How many predictions there are to be explained."""
        return self._graph.num_nodes if self.task is Task.NODE else len(self.graphs)

    @property
    def info(self) -> DatasetInfo:
        """The data in words."""
        if self._given is not None:
            return self._given.info
        names = self.options.classes
        if self.adapter.output.kind is not OutputKind.NUMBER:
            _check_one_each(names, "name", "class", self._num_classes)
        return DatasetInfo("own", self.task, self.options.title, classes=tuple(names))

    @property
    def _num_classes(self) -> int:
        return max(2, self._raw.shape[1])

    @cached_property
    def _all(self) -> dict[int, Data]:
        """All graphs that can be read, by number."""
        return self._read(len(self.graphs))

    @cached_property
    def _predictions(self) -> Predictions:
        """Those for all these graphs, where they are classes."""
        if self.adapter.output.kind is OutputKind.NUMBER:
            raise UserError("This model predicts an amount, but rules and students need classes: choose a classifier.")
        raw = self._raw if self.task is Task.NODE else self.adapter.outputs(list(self._all.values()))
        return self.adapter.output.predictions(raw, raw)

    @cached_property
    def _dataset(self) -> GraphDataset:
        return self._given or self._dataset_of(self._all)

    def _dataset_of(self, graphs: dict[int, Data]) -> GraphDataset:
        """Some of the graphs: simple and undirected, with true classes where they are known."""
        union = Batch.from_data_list(list(graphs.values()))
        x, ptr = union.x.cpu().float().reshape(len(union.x), -1).numpy(), union.ptr.numpy()
        _check_one_each(self.options.atoms, "name", "feature column", x.shape[1])
        count = len(x) if self.task is Task.NODE else len(graphs)
        y, labels = torch.full((count,), -1), labels_of([self.graphs[number] for number in graphs], count)
        if labels is not None and self.adapter.output.kind is not OutputKind.NUMBER:
            y = labels.where(torch.isin(labels, torch.arange(self._num_classes)), -1).long()
        edge_index, names = union.edge_index.cpu().numpy(), tuple(self.options.atoms)
        return GraphDataset.from_edges(self.info, x, edge_index, y.numpy(), ptr=ptr, node_names=names)

    @cached_property
    def digest(self) -> str:
        """Names the model and its data: equal ones teach a student the same."""
        tensors = [self._raw, labels_of(self.graphs, self.num_instances)]
        for graph in self._all.values():
            tensors += graph.to_dict().values()
        return digest_of([self.adapter.name, str(self.task)], weights_of(self.adapter.model, *tensors))

    def predicted(self) -> tuple[Ints, tuple[str, ...]]:
        """The class of each node or graph, -1 of one that cannot be read, and all classes' names. [num_instances]"""
        classes = np.full(self.num_instances, -1)
        classes[slice(None) if self.task is Task.NODE else list(self._all)] = self._predictions.predicted.cpu()
        return classes, self.info.class_names(self._num_classes)

    def teacher(self) -> TeacherGNN:
        """The model as a student learns from it.

        Raises:
            UserError: None can: it puts out an amount, or one graph is all that is there.
        """
        graphs, ptr, adapter = list(self._all.values()), self._dataset.ptr, self.adapter

        def ask(fragments: Fragments) -> Tensor:
            rows = [nodes[nodes >= 0] for nodes in fragments.nodes.cpu().numpy()]
            owner = np.searchsorted(ptr, [nodes[0] for nodes in rows], side="right") - 1
            cuts = [induced(graphs[g], adapter.rows, nodes - ptr[g]) for g, nodes in zip(owner, rows, strict=True)]
            raw = adapter.outputs(cuts)
            if self.task is Task.NODE:
                raw = raw[np.cumsum([0, *map(len, rows[:-1])])]  # of the first node of each
            return adapter.output.predictions(raw, raw).log_probabilities

        answers = self._predictions.probabilities.cpu().numpy()
        return TeacherGNN.of(self._dataset, answers, ask, max(self._hops, _BEYOND))

    # One prediction

    def instance(self, index: Any = None) -> ModelInstance:
        """One graph, or so much around one node that the model predicts the same as for the whole."""
        at = one_index(index, self.num_instances, str(self.task))
        if self.task is Task.NODE:
            whole, dataset, answer = self._graph, self._dataset, self._raw[at : at + 1]
        else:
            whole = self._first.get(at) or read_graph(self.graphs[at], self.adapter.arguments, self.options)
            dataset, answer = self._given or self._dataset_of({at: whole}), self.adapter.outputs([whole])
        labels, output = tuple(self.options.labels), self.adapter.output
        _check_one_each(labels, "label", "node", whole.num_nodes)
        for hops in self._tries(at):
            cut = dataset.instance(at if self._given or self.task is Task.NODE else 0, hops)
            info = cut.info
            if output.kind is OutputKind.NUMBER:
                info = replace(info, classes=(f"{answer.item():.4g} ± {output.tolerance:.2g}", "another amount"))
            inputs = induced(whole, self.adapter.rows, cut.nodes)
            raw = self.adapter.outputs([inputs])[:1]  # of the explained node, the first one
            instance = ModelInstance(
                **vars(cut) | {"info": info, "index": at},
                inputs=inputs,
                answer=answer,
                adapter=self.adapter,
                labels=some(labels, cut.nodes),
            )
            if _same(raw, answer):
                return instance
        return self._with_note(instance, raw)

    def _tries(self, index: int) -> Sequence[int]:
        """Within how many hops a node is cut out, until the model predicts the same."""
        if self.task is Task.GRAPH:
            return [0]
        if self.options.hops is not None:
            return [self.options.hops]
        hops = self._hops or 1  # it has none of PyG's layers
        return [*range(hops, hops + _BEYOND + 1), self._graph.num_nodes]

    def _with_note(self, instance: ModelInstance, raw: Tensor) -> ModelInstance:
        """The instance, with a note that the model does not predict the same for it as for the whole."""
        why = "it reads more of the graph than its neighbours"
        if instance.left_out:
            why = f"it leaves out {counted(instance.left_out, 'node')}"
        whole, part = (self.adapter.output.predictions(values, instance.answer) for values in (instance.answer, raw))
        explained = int(whole.predicted)
        shares = [f"{100 * float(guess.probabilities[0, explained]):.0f} %" for guess in (part, whole)]
        note = (
            f"We explain a part of a larger graph. For this part the model predicts {shares[0]}, for the whole graph "
            f"{shares[1]}: {why}."
        )
        return replace(instance, notes=(note,))


def graphs_of(data: AnyData) -> Sequence[Data]:
    """The graphs of data of any kind; `check_graph` refuses what is none."""
    if isinstance(data, GraphDataset):
        data = data.to_pyg()
    if isinstance(data, Batch):
        return data.to_data_list()
    if isinstance(data, Data | HeteroData):
        return [data]
    if not isinstance(data, Sequence | Dataset) or not len(data):
        got = f"a {type(data).__name__}" if data else "no graphs in the list"
        raise UserError(f"The data must be a PyG graph, torch_geometric.data.Data, or a list of them (got {got}).")
    return data


def labels_of(graphs: Sequence[Data], count: int) -> Tensor | None:
    """The labels of some graphs, where there is one that can be read for each prediction. [count]"""
    labels = [graph.y for graph in graphs if isinstance(graph, Data) and isinstance(graph.y, Tensor)]
    try:
        y = torch.cat([label.flatten() for label in labels]).cpu().double()
    except (RuntimeError, ValueError):
        return None
    return y if len(y) == count else None


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether two outputs are the same but for rounding."""
    size = max(1.0, float(other.abs().max()))
    return one.shape == other.shape and torch.allclose(one, other, rtol=0, atol=_SAME * size, equal_nan=True)


def _check_one_each(names: Sequence[str], noun: str, owner: str, count: int) -> None:
    if names and len(names) != count:
        raise UserError(f"You gave {counted(len(names), noun)} for {counted(count, owner)}: give one for each.")
