"""GFlowExplainer: train a policy on a model and its data, then explain single predictions.

It is also an algorithm of PyG's: ``torch_geometric.explain.Explainer(model, algorithm=GFlowExplainer(...), ...)``.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.explain import Explanation
from torch_geometric.explain.algorithm import ExplainerAlgorithm
from torch_geometric.explain.config import ExplanationType, MaskType, ModelMode, ModelReturnType, ModelTaskLevel

from gfx_core.config import FlowSource, Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.explainers.edge_scores import edge_marginals, memberships
from gfx_core.explainers.exact_sampler import ExactSampler
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.record import record
from gfx_core.explainers.subgraph_source import SubgraphSource
from gfx_core.explainers.tuning import EPOCHS, tuned_policy
from gfx_core.gfn.policy_file import Checkpoint, TrainedPolicy, load_policy, resume_training, save_policy, save_training
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import DEFAULT_PRESET, REWARD_PRESETS, GFNConfig
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictor, SubgraphPredictor, UnionPredictor
from gfx_core.question import Choice, checked_flows
from gfx_core.trace.schema import Trace

_log = logging.getLogger(__name__)

_COPIED_CELLS = 1 << 22  # node pairs, of all copies of an instance that a policy is trained on alone

AnyData: TypeAlias = GraphDataset | Data | Sequence[Data]


class GFlowExplainer(ExplainerAlgorithm):
    """Explains predictions by sampling connected subgraphs with probability proportional to their reward.

    Args:
        config: How the policy is trained and sampled.
        samples: How many subgraphs an explanation draws.
        seed: Of what is drawn when PyG asks for an explanation.
        device: ``cpu`` or ``cuda``.
        flows: ``learned``, those of a trained policy, or ``exact``: computed from the list of all connected subgraphs,
            wherever there are few enough of them. Exact flows need no training, see :meth:`exact`.
    """

    def __init__(
        self,
        config: GFNConfig | None = None,
        *,
        samples: int = 64,
        seed: int = 0,
        device: str = "cpu",
        flows: FlowSource | str = FlowSource.LEARNED,
    ) -> None:
        super().__init__()
        if samples < 1:
            raise UserError(f"An explanation needs at least one sample (got {samples}).")
        self.config = config or GFNConfig()
        self.samples, self.seed, self.device = samples, seed, device
        self.flows = checked_flows(flows)
        self.trained: TrainedPolicy | None = None

    @classmethod
    def exact(
        cls, config: GFNConfig | None = None, *, samples: int = 64, seed: int = 0, device: str = "cpu"
    ) -> "GFlowExplainer":
        """An explainer that learns nothing: a GNN, a reward and K_M are enough where all states can be listed.

        Args:
            config: K_M and the reward; by default at most 10 nodes and the reward of the shipped policies.
            samples: How many subgraphs an explanation draws.
            seed: Of what is drawn when PyG asks for an explanation.
            device: ``cpu`` or ``cuda``, for the GNN.
        """
        config = config or GFNConfig(max_nodes=10, reward=REWARD_PRESETS[DEFAULT_PRESET])
        return cls(config, samples=samples, seed=seed, device=device, flows=FlowSource.EXACT)

    def fit(
        self,
        model: nn.Module,
        data: AnyData,
        instances: Sequence[int] | np.ndarray | None = None,
        *,
        on_epoch: Callable[[EpochReport], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> "GFlowExplainer":
        """Train the policy.

        Args:
            model: The GNN to be explained: one of ours, or any PyG model.
            data: A data set of ours, one PyG graph (node task) or a list of them (graph task).
            instances: Which nodes or graphs to train on; by default those with a known motif, or all.
            on_epoch: Called after each epoch with loss, residual, mean reward and ETA.
            cancelled: Asked before each batch; what was learnt until then is kept.
            checkpoint: Where to save the training every so often, and whether to go on from there.
        """
        dataset = as_dataset(data, model)
        if instances is None:
            instances = dataset.explainable if len(dataset.explainable) else np.arange(dataset.num_instances)
        if not len(instances):
            raise UserError("There is nothing to train on: name at least one node or graph.")
        cut = [dataset.instance(int(index), hops=self._hops(model)) for index in instances]
        trainer = Trainer(self._predictor(model, dataset.task, cut), self.config)
        if checkpoint is not None and checkpoint.resume and checkpoint.path.is_file():
            resume_training(trainer, checkpoint.path)

        def after(report: EpochReport) -> None:
            if checkpoint is not None and (report.epoch % checkpoint.every == 0 or report.epoch == report.epochs):
                save_training(trainer, checkpoint.path)
            if on_epoch is not None:
                on_epoch(report)

        try:
            trainer.fit(after, cancelled)
        finally:  # also after a loss that stopped being a number: the last good weights are there
            kind = str(model.kind) if isinstance(model, GNN) else ""
            self.trained = TrainedPolicy.of(trainer, dataset.name, kind)
        return self

    def trace(
        self,
        model: nn.Module,
        data: AnyData | Instance,
        index: int = 0,
        *,
        seed: int | None = None,
        choice: Choice | str = Choice.ANSWER,
        start: int | None = None,
        flows: FlowSource | str | None = None,
    ) -> Trace:
        """Explain one prediction and record how.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            seed: Of what is drawn; the explainer's own by default.
            choice: Which trajectory is shown in full; by default one that ends in the answer, what the draws agree on.
            start: The local node to start from; by default the explained node or the locator's choice. Exact flows
                without a trained policy start a graph's explanation at the node of largest total flow Z(v₀).
            flows: ``learned`` or ``exact``; the explainer's own by default.

        Raises:
            UserError: Something in it cannot be, or the flows are to be exact and there are too many states to list.
        """
        instance = self._instance(model, data, index)
        instance.check_start(start)
        try:
            choice = Choice(choice)
        except ValueError as error:
            raise UserError(f"There is no choice “{choice}”: choose one of {', '.join(Choice)}.") from error
        return record(
            self._source(model, instance, self.flows if flows is None else checked_flows(flows)),
            seed=self.seed if seed is None else seed,
            samples=self.samples,
            choice=choice,
            start=start,
            model_name=str(model.kind) if isinstance(model, GNN) else type(model).__name__,
        )

    def tune(
        self,
        model: nn.Module,
        data: AnyData | Instance,
        index: int = 0,
        *,
        epochs: int = EPOCHS,
        on_epoch: Callable[[EpochReport], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> "GFlowExplainer":
        """An explainer whose policy was trained further on one prediction; this one is left as it is.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            epochs: How long.
            on_epoch: Called after each epoch with loss, residual, mean reward and ETA.
            cancelled: Asked before each step; the epochs that are done by then are kept.
        """
        generator = self._generator(model, self._instance(model, data, index))
        tuned = GFlowExplainer(self.config, samples=self.samples, seed=self.seed, device=self.device)
        tuned.trained = tuned_policy(generator, epochs=epochs, on_epoch=on_epoch, cancelled=cancelled)
        return tuned

    def save(self, path: Path) -> None:
        """Write the trained policy."""
        save_policy(self._need_trained(), path)

    @classmethod
    def load(cls, path: Path, *, samples: int = 64, seed: int = 0, device: str = "cpu") -> "GFlowExplainer":
        """An explainer with a trained policy."""
        trained = load_policy(path)
        explainer = cls(trained.config, samples=samples, seed=seed, device=device)
        explainer.trained = trained
        return explainer

    # PyG's interface

    @torch.no_grad()
    def forward(
        self,
        model: nn.Module,
        x: Tensor,
        edge_index: Tensor,
        *,
        target: Tensor,
        index: int | Tensor | None = None,
        **kwargs: Any,
    ) -> Explanation:
        """Edge marginals of one node or graph. Without a trained policy, one is trained on this instance first.

        Exact flows need none; in a graph task their marginals are those of one start node.
        """
        if isinstance(x, dict) or isinstance(edge_index, dict):
            raise UserError("GFlowExplainer explains homogeneous graphs, not heterogeneous ones.")
        task = Task(self.model_config.task_level.value)
        position = _single(index, task)
        dataset = _graph_dataset(x, edge_index, task)
        instance = dataset.instance(position if task is Task.NODE else 0, hops=self._hops(model))
        explained = int(target.flatten()[position if target.numel() > 1 else 0])
        predictor = self._predictor(model, task, [instance])
        generator: SubgraphSource
        if self.flows is FlowSource.EXACT:
            reward = Reward(predictor, self.config.reward, explained)
            generator = ExactSampler(self.config, predictor, instance, reward=reward)
        else:
            trained = self.trained or self._trained_on(model, instance, explained)
            generator = SubgraphSampler(trained, predictor, instance, explained)
        orders = generator.draw_anywhere(self.samples, self.seed)
        edges = _on_given_edges(instance, edge_marginals(instance, orders), edge_index)
        nodes = torch.zeros(len(x), 1, device=x.device)
        nodes[torch.from_numpy(instance.nodes), 0] = torch.from_numpy(memberships(instance, orders).mean(0)).float()
        wants_nodes = self.explainer_config.node_mask_type is MaskType.object
        return Explanation(edge_mask=edges.to(x.device), node_mask=nodes if wants_nodes else None)

    def supports(self) -> bool:
        """Whether PyG's settings are ones that this algorithm can serve."""
        if self.model_config.task_level not in (ModelTaskLevel.node, ModelTaskLevel.graph):
            _log.error("GFlowExplainer explains nodes and graphs, not edges")
            return False
        if self.model_config.mode is not ModelMode.multiclass_classification:
            _log.error("GFlowExplainer explains multiclass classification")
            return False
        if self.explainer_config.node_mask_type not in (None, MaskType.object):
            _log.error("GFlowExplainer scores edges and whole nodes, not single features")
            return False
        return self.explainer_config.explanation_type in (ExplanationType.model, ExplanationType.phenomenon)

    # Helpers

    def _trained_on(self, model: nn.Module, instance: Instance, explained: int) -> TrainedPolicy:
        """A policy for one instance alone."""
        _log.info("no policy was trained: training one on this instance")
        with torch.enable_grad():
            copies = max(1, min(64, _COPIED_CELLS // instance.num_nodes**2))  # trajectories in a step
            predictor = self._predictor(model, instance.task, [instance] * copies)
            trainer = Trainer(predictor, self.config, reward=Reward(predictor, self.config.reward, explained))
            trainer.fit()
        return TrainedPolicy.of(trainer)

    def _need_trained(self) -> TrainedPolicy:
        if self.trained is None:
            raise UserError("This explainer has no policy yet: call fit, or load one.")
        return self.trained

    def _instance(self, model: nn.Module, data: AnyData | Instance, index: int) -> Instance:
        if isinstance(data, Instance):
            data.check_reach(self._hops(model))
            return data
        return as_dataset(data, model).instance(index, hops=self._hops(model))

    def _source(self, model: nn.Module, instance: Instance, flows: FlowSource) -> SubgraphSource:
        """The flows that are asked for, on an instance; a trained policy is compared with exact ones."""
        if flows is FlowSource.LEARNED:
            return self._generator(model, instance)
        if self.trained is not None:
            return ExactSampler.beside(self._generator(model, instance))
        return ExactSampler(self.config, self._predictor(model, instance.task, [instance]), instance)

    def _generator(self, model: nn.Module, instance: Instance) -> SubgraphSampler:
        trained = self._need_trained()
        if {trained.dataset, instance.dataset} <= DATASETS.keys() and trained.dataset != instance.dataset:
            raise UserError(
                f"This policy was trained on {trained.dataset}, not on {instance.dataset}: load the other one."
            )
        if isinstance(model, GNN) and trained.gnn and trained.gnn != model.kind:
            raise UserError(f"This policy explains the {trained.gnn} GNN, not the {model.kind} one: train one for it.")
        return SubgraphSampler(trained, self._predictor(model, instance.task, [instance]), instance)

    def _predictor(self, model: nn.Module, task: Task, instances: list[Instance]) -> Predictor:
        if isinstance(model, GNN):
            return SubgraphPredictor(model, instances, self.device)
        probabilities = False
        if hasattr(self, "_model_config"):
            probabilities = self.model_config.return_type is ModelReturnType.probs
        return UnionPredictor(model.to(self.device), task, instances, self.device, probabilities)

    def _hops(self, model: nn.Module) -> int:
        if isinstance(model, GNN):
            return model.hops
        by_degree = any(getattr(module, "normalize", False) for module in model.modules())  # as PyG's GCNConv does
        return max(1, self._num_hops(model)) + by_degree


def as_dataset(data: AnyData, model: nn.Module | None = None) -> GraphDataset:
    """A data set from ours (as it is), one PyG graph (node task) or a list of PyG graphs (graph task)."""
    if isinstance(data, GraphDataset):
        return data
    if isinstance(data, Data):
        task = model.task if isinstance(model, GNN) else Task.NODE
        return _graph_dataset(data.x, data.edge_index, task, data.y)
    graphs = list(data)
    if not graphs:
        raise UserError("There are no graphs in the list.")
    sizes = np.array([graph.num_nodes for graph in graphs])
    offset = np.cumsum(sizes) - sizes
    return GraphDataset.from_edges(
        DatasetInfo("graphs", Task.GRAPH),
        torch.cat([graph.x for graph in graphs]).detach().cpu().float().numpy(),
        np.concatenate([g.edge_index.cpu().numpy() + o for g, o in zip(graphs, offset, strict=True)], axis=1),
        np.array([-1 if graph.y is None else int(graph.y) for graph in graphs]),
        num_classes=0,
        ptr=np.append(offset, sizes.sum()),
    )


def _graph_dataset(x: Tensor, edge_index: Tensor, task: Task, y: Tensor | None = None) -> GraphDataset:
    count = len(x) if task is Task.NODE else 1
    known = y is not None and y.numel() == count
    return GraphDataset.from_edges(
        DatasetInfo("graph", task),
        x.detach().cpu().float().numpy(),
        edge_index.cpu().numpy(),
        y.flatten().cpu().numpy() if known and y is not None else np.full(count, -1),
        num_classes=0,
    )


def _single(index: int | Tensor | None, task: Task) -> int:
    """The one index PyG asks for."""
    if index is None:
        if task is Task.NODE:
            raise UserError("Name the node to explain: explainer(x, edge_index, index=…).")
        return 0
    if isinstance(index, Tensor):
        if index.numel() != 1:
            raise UserError(f"GFlowExplainer explains one prediction at a time (got {index.numel()} indices).")
        return int(index)
    return int(index)


def _on_given_edges(instance: Instance, scores: np.ndarray, edge_index: Tensor) -> Tensor:
    """Scores of the instance's edges, put on an edge list in any order; 0 for edges out of sight. [E]"""
    source, target = edge_index.cpu().numpy()
    size = int(max(source.max(initial=0), target.max(initial=0), instance.nodes.max())) + 1
    keys = instance.nodes[instance.edge_index[0]] * size + instance.nodes[instance.edge_index[1]]
    order = np.argsort(keys)
    wanted = source * size + target
    if not len(keys):
        return torch.zeros(len(wanted))
    at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    return torch.from_numpy(np.where(keys[at] == wanted, scores[at], 0.0)).float()
