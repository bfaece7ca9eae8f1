"""GFlowExplainer: a policy trained on a model and its data explains single predictions; `explain` needs none.

It is also an algorithm of PyG's:
``torch_geometric.explain.Explainer(model, algorithm=GFlowExplainer(...), ...)``.
"""

import logging
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.explain import Explanation
from torch_geometric.explain.algorithm import ExplainerAlgorithm
from torch_geometric.explain.config import ExplanationType, MaskType, ModelMode, ModelReturnType, ModelTaskLevel

from gfx_core.config import Task
from gfx_core.datasets.edits import Counterfactual
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.explanation import run
from gfx_core.explanation.counterfactual import FLIP_SECONDS, flip
from gfx_core.explanation.question import Question, UserPrediction, split_options
from gfx_core.explanation.result import ExplanationResult
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.settings import GFNConfig, preset_config
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext, progress_bar
from gfx_core.trace.schema import Trace
from gfx_core.user_models.adapter import PYG_OUTPUT
from gfx_core.user_models.inputs import ModelOptions, one_index, some_indices
from gfx_core.user_models.instances import GNNInstances, Instances, open_instances
from gfx_core.user_models.model_data import AnyData, ModelInstances
from gfx_core.user_models.predictor import predictor_on

_log = logging.getLogger(__name__)

_CONTROL = "gfx_core.bench.control"
"""What an explanation is compared with: it stands above this module and is loaded by name, once that is wanted."""

_ABOUT = tuple(field.name for field in fields(ModelOptions))
"""What is to be known of model and data."""
MOST_INSTANCES = 256
"""So many nodes or graphs of a user's data a policy is trained on where none are named and no motifs known."""


class GFlowExplainer(ExplainerAlgorithm):
    """Explains predictions by sampling connected subgraphs with probability proportional to their reward.

    Flows are those of its policy, where one is trained or loaded. Without one all connected subgraphs are listed, as
    far as they can be, and flows are exact.

    Args:
        config: How a policy is trained and sampled; by default that of `preset_config` for task and device.
        device: ``cpu`` or ``cuda``.
        options: Of all questions, see `Question`: samples, seed, flows, seconds, beta, max_nodes, …
    """

    def __init__(self, config: GFNConfig | None = None, *, device: str = "cpu", **options: Any) -> None:
        super().__init__()
        if config is not None and not isinstance(config, GFNConfig):
            raise UserError(f"config must be a GFNConfig (got a {type(config).__name__}): config=GFNConfig(…).")
        self._config, self.device = config, device
        self.options, _ = split_options(options)
        self.trained: TrainedPolicy | None = None

    def fit(
        self,
        model: nn.Module,
        data: AnyData,
        instances: Any = None,
        *,
        on_epoch: Callable[[EpochReport], None] = lambda report: None,
        cancelled: Callable[[], bool] = lambda: False,
        **about: Any,
    ) -> "GFlowExplainer":
        """Train the policy.

        Args:
            model: The GNN to be explained: one of ours, or any PyG model; it is left as it is.
            data: A data set of ours, one PyG graph, or a batch, a list or a data set of them.
            instances: Which nodes or graphs to train on, as numbers or as a mask; by default those with a known motif,
                or all (of more than `MOST_INSTANCES`, so many by chance).
            on_epoch: Called after each epoch with loss, residual, mean reward and ETA.
            cancelled: Called before each epoch; where it is true, what was learnt until then is kept.
            about: What is to be known of model and data, see `ModelOptions`.
        """
        subject = open_instances(model, data, ModelOptions(**about), self.device)
        chosen = self._chosen(subject, instances)
        cut = [subject.instance(int(index)) for index in chosen]
        trainer = Trainer(
            predictor_on(model, cut, self.device), self._config or preset_config(subject.task, device=self.device)
        )
        try:
            trainer.fit(on_epoch, cancelled)
        finally:  # also after a loss that stopped being a number: the last good weights are there
            name = model.name if isinstance(model, GNN) else ""
            self.trained = TrainedPolicy.of(trainer, cut[0].dataset, name)
        return self

    def _chosen(self, data: Instances, instances: Any) -> np.ndarray:
        count = data.num_instances
        if instances is not None:
            chosen = some_indices(instances, count, str(data.task))
        elif isinstance(data, GNNInstances) and len(data.dataset.explainable):
            chosen = data.dataset.explainable
        else:
            chosen = np.sort(np.random.RandomState(self.options.get("seed", 0)).permutation(count)[:MOST_INSTANCES])
        if not len(chosen):
            raise UserError("There is nothing to train on: name at least one node or graph.")
        return chosen

    def instances(self, model: nn.Module, data: AnyData, device: str | None = None, **options: Any) -> Instances:
        """A model and its data, checked: `question` takes it for the data, about one prediction after the other.

        Args:
            model: The GNN.
            data: Its data.
            device: Where to compute; where this explainer does by default.
            options: See `question`.
        """
        _, about = split_options(options, _ABOUT)
        return open_instances(model, data, ModelOptions(**about), device or self.device)

    def question(
        self, model: nn.Module, data: AnyData | Instance | Instances, index: Any = None, **options: Any
    ) -> Question:
        """The question about one prediction.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            options: Of the question, and what is to be known of model and data, see `ModelOptions`.
        """
        chosen, _ = split_options({**self.options, **options}, _ABOUT)
        opened: Instances | None = None
        if isinstance(data, Instance):
            instance = data
            if isinstance(model, GNN):
                instance.check_reach(model.hops)
        else:
            if not isinstance(data, GNNInstances | ModelInstances):
                data = self.instances(model, data, **options)
            opened, instance = data, data.instance(index)
        trained = self.trained
        if trained is not None:
            both = {trained.dataset, instance.dataset}
            if both <= DATASETS.keys() and len(both) > 1:
                raise UserError(
                    f"This policy was trained on {trained.dataset}, not on {instance.dataset}: load the other one."
                )
            if isinstance(model, GNN) and trained.gnn and trained.gnn != model.name:
                raise UserError(
                    f"This policy explains the {trained.gnn} GNN, not the {model.name} one: train one for it."
                )
        user = UserPrediction(model, instance, self._config if trained is None else None, trained, opened)
        return Question(instance.dataset, str(instance.index), user=user, **chosen)

    def trace(self, model: nn.Module, data: AnyData | Instance, index: Any = None, **options: Any) -> Trace:
        """Explain one prediction and record how; the arguments are those of `explain`."""
        return run.explain(self.question(model, data, index, **options), JobContext(self.device))

    def explain(
        self,
        model: nn.Module,
        data: AnyData | Instance,
        index: Any = None,
        *,
        control: bool = False,
        progress: bool | None = False,
        **options: Any,
    ) -> ExplanationResult:
        """Explain one prediction: an edge mask, a Trace, a sentence, and all ways to look at them.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            control: Whether a GNN whose prediction never changes is explained in the same way, and as long, to compare.
            progress: Whether to show a bar; ``None`` shows one in terminals and notebooks.
            options: See `question`.
        """
        question = self.question(model, data, index, **options)
        with progress_bar(progress) as tell:
            job = JobContext(self.device, tell)
            trace, flows = run.explained(question, job)
            compared = import_module(_CONTROL).constant_control(question, flows, trace, job) if control else None
        return ExplanationResult.of(trace, flows.instance, data, compared)

    def flip(self, model: nn.Module, data: AnyData | Instance, index: Any = None, **options: Any) -> Counterfactual:
        """Find a smallest set of removed edges that changes a prediction, or one changed atom of a molecule.

        The arguments are those of `explain`; ``seconds`` is how long to look.
        """
        question = self.question(model, data, index, **{"seconds": FLIP_SECONDS, **options})
        return flip(question, JobContext(self.device), question.seconds)

    def save(self, path: str | Path) -> None:
        """Write the trained policy."""
        if self.trained is None:
            raise UserError("This explainer has no policy yet: call fit, or load one.")
        save_policy(self.trained, Path(path))

    @classmethod
    def load(cls, path: str | Path, *, device: str = "cpu", **options: Any) -> "GFlowExplainer":
        """An explainer with a trained policy."""
        trained = load_policy(Path(path))
        explainer = cls(trained.config, device=device, **options)
        explainer.trained = trained
        return explainer

    # What PyG asks of an algorithm: behind ``torch_geometric.explain.Explainer``

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
        """Edge marginals of one node or graph.

        Without a trained policy flows are exact.
        """
        if isinstance(x, dict) or isinstance(edge_index, dict):
            raise UserError("GFlowExplainer explains homogeneous graphs, not heterogeneous ones.")
        task, batch = Task(self.model_config.task_level.value), kwargs.pop("batch", None)
        tensors = {name: value for name, value in kwargs.items() if isinstance(value, Tensor)}
        data, inside = Data(x=x, edge_index=edge_index, **tensors), torch.ones(len(x), dtype=torch.bool)
        if task is Task.NODE:
            position = one_index(index, len(x), "node")
        else:
            position = one_index(index, 1 if batch is None else int(batch.max()) + 1, "graph")
            if batch is not None:
                inside = batch.cpu() == position
                data = data.subgraph(inside.to(x.device))
        return_type, mode = self.model_config.return_type, self.model_config.mode
        output = (mode.value, "raw" if return_type is ModelReturnType.log_probs else return_type.value)
        explained = None  # an amount is explained as it is
        if mode is not ModelMode.regression:
            explained = int(target.flatten()[position if target.numel() > 1 else 0])
        question = self.question(
            model,
            data,
            position if task is Task.NODE else None,
            task=task,
            output=next(str(kind) for kind, about in PYG_OUTPUT.items() if about == output),
            args={name: value for name, value in kwargs.items() if name not in tensors},
            explained=explained,
        )
        trace, flows = run.explained(question, JobContext(self.device), plays=False)
        result = ExplanationResult.of(trace, flows.instance, data)
        edge_mask, node_mask = torch.zeros(edge_index.shape[1]), torch.zeros(len(x), 1)
        edge_mask[inside[edge_index.cpu()].all(0)] = result.edge_mask
        node_mask[inside, 0] = result.node_mask
        wants_nodes = self.explainer_config.node_mask_type is MaskType.object
        return Explanation(edge_mask=edge_mask.to(x.device), node_mask=node_mask.to(x.device) if wants_nodes else None)

    def supports(self) -> bool:
        """Whether PyG's settings are ones that this algorithm can serve."""
        if self.model_config.task_level not in (ModelTaskLevel.node, ModelTaskLevel.graph):
            _log.error("GFlowExplainer explains nodes and graphs, not edges")
            return False
        if self.explainer_config.node_mask_type not in (None, MaskType.object):
            _log.error("GFlowExplainer scores edges and whole nodes, not single features")
            return False
        return self.explainer_config.explanation_type in (ExplanationType.model, ExplanationType.phenomenon)


def explain(
    model: nn.Module,
    data: AnyData,
    index: Any = None,
    *,
    config: GFNConfig | None = None,
    control: bool = False,
    progress: bool | None = None,
    device: str | torch.device = "cpu",
    **options: Any,
) -> ExplanationResult:
    """Explain what a GNN predicts of a node or a graph: any PyG model on any PyG data, in one call.

    Flows are exact: all connected subgraphs around the start node are listed, or else those of fewer nodes. The model
    is left as it is.

    Args:
        model: Any module of PyTorch that takes a graph: ``model(x, edge_index, …)`` or ``model(data)``.
        data: One PyG graph, a batch, a list or a data set of them, or one of our data sets.
        index: The node or graph, as a number or a mask; the only graph by default.
        config: K_M and the reward, by default those of `preset_config` for the task.
        control: Whether to compare it with a GNN whose prediction never changes.
        progress: Whether to show a bar; by default in terminals and notebooks.
        device: Where to compute.
        options: How it is explained: samples, seed, seconds, beta, node_price, max_nodes, start, explained, flows,
            choice; see `gfx_core.explanation.question.Question`. And what cannot be seen from model and data: task,
            output, tolerance, hops, args, classes, atoms, labels, title; see
            `gfx_core.user_models.inputs.ModelOptions`.

    Returns:
        An explanation: it plays in a notebook, ``show()`` opens it, ``save("x.html")`` keeps it (also ``.json``,
        ``.gif``), ``edge_mask``, ``sentence``, ``trace``, ``to_networkx()``, ``to_pyvis()``, ``to_pyg()``.
    """
    try:
        torch.zeros(1, device=torch.device(device)).sum().item()
    except Exception as error:  # each kind of device has errors of its own
        raise UserError(f"This machine cannot compute on the device “{device}”: choose device=“cpu”.") from error
    explainer = GFlowExplainer(config, device=str(device))
    return explainer.explain(model, data, index, control=control, progress=progress, **options)
