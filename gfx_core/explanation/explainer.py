"""GFlowExplainer: train a policy on a model and its data, then explain single predictions; `explain` does both.

It is also an algorithm of PyG's:
``torch_geometric.explain.Explainer(model, algorithm=GFlowExplainer(...), ...)``.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.explain import Explanation
from torch_geometric.explain.algorithm import ExplainerAlgorithm
from torch_geometric.explain.config import ExplanationType, MaskType, ModelMode, ModelReturnType, ModelTaskLevel

from gfx_core.config import FlowSource, Task
from gfx_core.datasets.edits import Counterfactual
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.explanation import run
from gfx_core.explanation.answer import marginals_of
from gfx_core.explanation.counterfactual import FLIP_SECONDS, flip
from gfx_core.explanation.finetune import finetune
from gfx_core.explanation.flows import choose_flows
from gfx_core.explanation.instances import GNNInstances, Instances, open_instances
from gfx_core.explanation.many import ALL, ModelQuestions, as_frame, explain_all
from gfx_core.explanation.question import EPOCHS, Question, UserPrediction, split_options
from gfx_core.explanation.question import options as all_options
from gfx_core.explanation.result import ExplanationResult, constant_control, scores_on_edges
from gfx_core.explanation.rules import LIMIT, Rules, find_rules
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.explanation.subject import load
from gfx_core.files import UnwrittenError
from gfx_core.gfn.checkpoint import Checkpoint, TrainedPolicy, load_policy, resume_training, save_policy, save_training
from gfx_core.gfn.settings import GFNConfig, preset_config
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.gnn.models import GNN
from gfx_core.job_context import Deadline, JobContext, progress_bar
from gfx_core.parallel import Workers
from gfx_core.trace.schema import Trace
from gfx_core.user_models.adapter import PYG_OUTPUT
from gfx_core.user_models.inputs import ModelOptions, one_index, some_indices
from gfx_core.user_models.model_data import AnyData, ModelInstances

if TYPE_CHECKING:
    import pandas as pd

_log = logging.getLogger(__name__)

MOST_INSTANCES = 256
"""So many nodes or graphs of somebody's data a policy is trained on where none are named and no motifs known."""


class GFlowExplainer(ExplainerAlgorithm):
    """Explains predictions by sampling connected subgraphs with probability proportional to their reward.

    Flows are those of its policy, where one is trained or loaded. Without one all connected subgraphs are listed, as
    far as they can be, and flows are exact; else a policy is trained on the one prediction that is asked about.

    Args:
        config: How a policy is trained and sampled; by default as the shipped policies were.
        device: ``cpu`` or ``cuda``.
        options: Of all questions, see `Question`: samples, seed, flows, seconds, beta, max_nodes, …
    """

    def __init__(self, config: GFNConfig | None = None, *, device: str = "cpu", **options: Any) -> None:
        super().__init__()
        if config is not None and not isinstance(config, GFNConfig):
            raise UserError(f"config must be a GFNConfig (got a {type(config).__name__}): config=GFNConfig(…).")
        self._config, self.device = config, device
        self.options, others = split_options(options)
        if others:
            raise UserError(f"There is no option “{next(iter(others))}”: choose from {', '.join(all_options())}.")
        self.trained: TrainedPolicy | None = None

    @property
    def config(self) -> GFNConfig:
        """How the policy is trained and sampled: as given, or as the shipped policies of a node task."""
        return self.config_for(Task.NODE)

    def config_for(self, task: Task) -> GFNConfig:
        """The same for a task."""
        if self._config is not None:
            return self._config
        return self.trained.config if self.trained is not None else preset_config(task, device=self.device)

    @classmethod
    def exact(cls, config: GFNConfig | None = None, **options: Any) -> "GFlowExplainer":
        """An explainer by exact flows: a GNN, a reward and K_M are enough where states can be listed.

        Args:
            config: K_M and the reward; by default at most 10 nodes and the usual reward of the task.
            options: As usual.
        """
        return cls(config, flows=FlowSource.EXACT, **options)

    def fit(
        self,
        model: nn.Module,
        data: AnyData,
        instances: Any = None,
        *,
        on_epoch: Callable[[EpochReport], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        checkpoint: Checkpoint | None = None,
        **about: Any,
    ) -> "GFlowExplainer":
        """Train the policy.

        Args:
            model: The GNN to be explained: one of ours, or any PyG model; it is left as it is.
            data: A data set of ours, one PyG graph, or a batch, a list or a data set of them.
            instances: Which nodes or graphs to train on, as numbers or as a mask; by default those with a known motif,
                or all (of more than `MOST_INSTANCES`, so many by chance).
            on_epoch: Called after each epoch with loss, residual, mean reward and ETA.
            cancelled: Asked before each batch; what was learnt until then is kept.
            checkpoint: Where to save the training every so often, and whether to go on from there.
            about: What is to be known of model and data, see `ModelOptions`.
        """
        subject = open_instances(model, data, ModelOptions(**about), self.device)
        chosen = self._chosen(subject, instances)
        cut = [subject.instance(int(index)) for index in chosen]
        trainer = Trainer(subject.predictor(cut), self.config_for(subject.task))
        if checkpoint is not None and checkpoint.resume and checkpoint.path.is_file():
            resume_training(trainer, checkpoint.path)

        def after(report: EpochReport) -> None:
            if checkpoint is not None and (report.epoch % checkpoint.every == 0 or report.epoch == report.epochs):
                try:
                    save_training(trainer, checkpoint.path)
                except UnwrittenError as error:  # it goes on, and could not be resumed: no more
                    _log.warning("%s", error)
            if on_epoch is not None:
                on_epoch(report)

        try:
            trainer.fit(after, cancelled)
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
        elif count > MOST_INSTANCES:
            _log.info("training on %d of %d instances, drawn by chance", MOST_INSTANCES, count)
            chosen = np.sort(np.random.RandomState(self.options.get("seed", 0)).permutation(count)[:MOST_INSTANCES])
        else:
            chosen = np.arange(count)
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
        return open_instances(model, data, ModelOptions(**_known(split_options(options)[1])), device or self.device)

    def question(
        self, model: nn.Module, data: AnyData | Instance | Instances, index: Any = None, **options: Any
    ) -> Question:
        """What is asked about one prediction.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            options: Of the question, and what is to be known of model and data, see `ModelOptions`.
        """
        chosen = split_options({**self.options, **options})[0]
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
        tell: Callable[[float, str], None] | None = None,
        **options: Any,
    ) -> ExplanationResult:
        """Explain one prediction: an edge mask, a Trace, a sentence, and all ways to look at them.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            control: Whether a GNN that always says the same is explained in the same way, beside it.
            tell: Told how far it is.
            options: See `question`.
        """
        question = self.question(model, data, index, **options)
        job = JobContext(self.device) if tell is None else JobContext(self.device, tell)
        deadline = Deadline(question.seconds)
        if control and question.seconds is not None:
            question = replace(question, seconds=question.seconds / 2)
        trace, flows = run.explained(question, job)
        result = ExplanationResult.of(trace, flows.instance, data)
        if not control:
            return result
        until = Deadline() if flows.kind is FlowSource.EXACT else deadline  # what was listed can be listed again
        return replace(result, control=constant_control(flows, trace, job, until))

    def flip(self, model: nn.Module, data: AnyData | Instance, index: Any = None, **options: Any) -> Counterfactual:
        """Find a smallest set of removed edges that changes a prediction, or one changed atom of a molecule.

        The arguments are those of `explain`; ``seconds`` is how long to look.
        """
        question = self.question(model, data, index, **{"seconds": FLIP_SECONDS, **options})
        return flip(question, JobContext(self.device), question.seconds)

    def explain_many(
        self, model: nn.Module, data: AnyData, indices: Any = ALL, *, out: str | Path | None = None, **options: Any
    ) -> "pd.DataFrame":
        """Explain many predictions: a table with a row for each, see `explain_many`."""
        with _spread(options) as (where, job, rest):
            questions, path = ModelQuestions(self, model, data, rest), None if out is None else Path(out)
            return as_frame(explain_all(questions, indices, where=where, out=path, job=job))

    def rules(self, model: nn.Module, data: AnyData, of: Any = None, *, limit: int = LIMIT, **options: Any) -> Rules:
        """By which kinds of subgraph a GNN predicts its classes, see `rules`."""
        with _spread(options) as (where, job, rest):
            return find_rules(ModelQuestions(self, model, data, rest), of, limit=limit, where=where, job=job)

    def tune(
        self,
        model: nn.Module,
        data: AnyData | Instance,
        index: Any = None,
        *,
        epochs: int = EPOCHS,
        **options: Any,
    ) -> "GFlowExplainer":
        """An explainer whose policy was trained further on one prediction; this one is left as it is.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            epochs: How long.
            options: See `question`.
        """
        self._need_trained()
        question = self.question(model, data, index, **{**options, "flows": FlowSource.LEARNED})
        generator = choose_flows(load(question), JobContext(self.device))
        assert isinstance(generator, SubgraphSampler)
        tuned = GFlowExplainer(generator.config, device=self.device, **self.options)
        tuned.trained = finetune(generator, epochs=epochs)
        return tuned

    def save(self, path: str | Path) -> None:
        """Write the trained policy."""
        save_policy(self._need_trained(), Path(path))

    @classmethod
    def load(cls, path: str | Path, *, device: str = "cpu", **options: Any) -> "GFlowExplainer":
        """An explainer with a trained policy."""
        trained = load_policy(Path(path))
        explainer = cls(trained.config, device=device, **options)
        explainer.trained = trained
        return explainer

    def _need_trained(self) -> TrainedPolicy:
        if self.trained is None:
            raise UserError("This explainer has no policy yet: call fit, or load one.")
        return self.trained

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

        Without a trained policy flows are exact where they can be, else a policy is trained on this instance first and
        kept.
        """
        if isinstance(x, dict) or isinstance(edge_index, dict):
            raise UserError("GFlowExplainer explains homogeneous graphs, not heterogeneous ones.")
        task, batch = Task(self.model_config.task_level.value), kwargs.pop("batch", None)
        others = {name: value for name, value in kwargs.items() if not isinstance(value, Tensor)}
        every = Data(x=x, edge_index=edge_index, **{name: kwargs[name] for name in kwargs.keys() - others.keys()})
        data, nodes, position = _one_graph(every, task, index, batch)
        about = {"task": task, "output": self._output(), "args": others}
        explained = self._explained(target, position)
        question = self.question(model, data, position if task is Task.NODE else None, explained=explained, **about)
        flows = choose_flows(load(question), JobContext(self.device))
        instance = flows.instance  # the instance, or the part of it that was looked at
        samples = (flows.sample if flows.kind is FlowSource.EXACT else flows.draw)(question.samples, question.seed)
        original = nodes[torch.from_numpy(instance.nodes)].numpy()
        marginals = instance.both_directions(marginals_of(instance, samples))
        edges = scores_on_edges(original[instance.edge_index], marginals, edge_index)
        held = torch.zeros(len(x), 1)
        held[torch.from_numpy(original), 0] = torch.from_numpy(samples.members(instance.num_nodes).mean(0)).float()
        wants_nodes = self.explainer_config.node_mask_type is MaskType.object
        return Explanation(edge_mask=edges.to(x.device), node_mask=held.to(x.device) if wants_nodes else None)

    def supports(self) -> bool:
        """Whether PyG's settings are ones that this algorithm can serve."""
        if self.model_config.task_level not in (ModelTaskLevel.node, ModelTaskLevel.graph):
            _log.error("GFlowExplainer explains nodes and graphs, not edges")
            return False
        if self.explainer_config.node_mask_type not in (None, MaskType.object):
            _log.error("GFlowExplainer scores edges and whole nodes, not single features")
            return False
        return self.explainer_config.explanation_type in (ExplanationType.model, ExplanationType.phenomenon)

    def _output(self) -> str:
        """What PyG was told that the model returns."""
        return_type = self.model_config.return_type
        known = (self.model_config.mode.value, "raw" if return_type is ModelReturnType.log_probs else return_type.value)
        return next(str(kind) for kind, about in PYG_OUTPUT.items() if about == known)

    def _explained(self, target: Tensor, position: int) -> int | None:
        """The class that is explained; an amount is explained as it is."""
        if self.model_config.mode is ModelMode.regression:
            return None
        return int(target.flatten()[position if target.numel() > 1 else 0])


def _one_graph(data: Data, task: Task, index: Any, batch: Tensor | None) -> tuple[Data, Tensor, int]:
    """The graph that is asked about, the number of each of its nodes in what was given, and which prediction it is."""
    every = torch.arange(len(data.x))
    if task is Task.NODE:
        return data, every, one_index(index, len(data.x), "node")
    if batch is None:
        one_index(index, 1, "graph")
        return data, every, 0
    which = one_index(index, int(batch.max()) + 1, "graph")
    held = batch.cpu() == which
    return data.subgraph(held.to(data.x.device)), every[held], which


@contextmanager
def _spread(options: dict[str, Any]) -> Iterator[tuple[Workers, JobContext, dict[str, Any]]]:
    """Where many predictions are explained, and who is told how far it is, by options that say so; and the others."""
    rest = dict(options)
    where = Workers(rest.pop("workers", 1), rest.pop("dask", None))
    with progress_bar(rest.pop("progress", None)) as tell:
        yield where, JobContext(rest.pop("device", "auto"), tell), rest


def _known(about: dict[str, Any]) -> dict[str, Any]:
    """What is said of model and data, all of which must have a name that is known."""
    known = [field.name for field in fields(ModelOptions)]
    for name in about:
        if name not in known:
            raise UserError(f"explain has no option “{name}”: choose from {', '.join((*known, *all_options()))}.")
    return about


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
    """Why does a GNN say what it says of a node or a graph? Any PyG model on any PyG data, in one call.

    Flows are exact where all connected subgraphs around the start node can be listed. Else those of fewer nodes are, or
    those among the nodes that matter most; or a policy is trained on this prediction. The model is left as it is.

    Args:
        model: Any module of PyTorch that takes a graph: ``model(x, edge_index, …)`` or ``model(data)``.
        data: One PyG graph, a batch, a list or a data set of them, or one of our data sets.
        index: The node or graph, as a number or a mask; the only graph by default.
        config: K_M and the reward, by default those of the shipped policies.
        control: Whether to say how much of it would be the same for a GNN that always says the same.
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
    if not isinstance(control, bool):
        raise UserError(f"control must be True or False (got a {type(control).__name__}).")
    explainer = GFlowExplainer(config, device=_place(device))
    with progress_bar(progress) as tell:
        return explainer.explain(model, data, index, control=control, tell=tell, **options)


def explain_many(
    model: nn.Module, data: AnyData, indices: Any = ALL, *, config: GFNConfig | None = None, **options: Any
) -> "pd.DataFrame":
    """Explain many predictions of any PyG model on any PyG data: a table of pandas with a row for each.

    A row says what `explain` says of that prediction, see `gfx_core.explanation.many.Row`. One that cannot be explained
    says why in its column ``error``.

    Args:
        model: See `explain`.
        data: See `explain`.
        indices: ``"all"``, or which nodes or graphs, as numbers or as a mask.
        config: See `explain`.
        options: ``workers=N`` computes in so many processes, ``dask="tcp://…"`` on the cluster of that scheduler.
            ``out="table.csv"``, or a folder, keeps the table: what is finished is not computed again for the same
            model, data and options. ``device="auto"``, ``"cpu"`` or ``"cuda"`` is chosen where the work is done.
            ``progress=…`` and all others as those of `explain`.
    """
    return GFlowExplainer(config).explain_many(model, data, indices, **options)


def rules(model: nn.Module, data: AnyData, of: Any = None, *, config: GFNConfig | None = None, **options: Any) -> Rules:
    """By which kinds of subgraph does a GNN predict its classes? Any PyG model on any PyG data.

    Many predictions of each class are explained; their answers are counted by what they are, "a ring of six", whichever
    nodes they are made of.

    Args:
        model: See `explain`.
        data: See `explain`.
        of: The name or number of a class, or several; all by default.
        config: See `explain`.
        options: ``limit=200``: the most predictions of a class that are explained; of more, so many by chance.
            ``workers=N``, ``dask=…``, ``device=…`` and ``progress=…`` as those of `explain_many`, and all others as
            those of `explain`.

    Returns:
        The rules: ``sentences``, ``as_frame()``, ``rules["class name"]``.
    """
    return GFlowExplainer(config).rules(model, data, of, **options)


def _place(device: Any) -> str:
    """A device on which numbers can be computed, as torch calls it."""
    try:
        place = torch.device(device)
        torch.zeros(1, device=place).sum().item()
    except Exception as error:  # each kind of device has errors of its own
        raise UserError(f"This machine cannot compute on the device “{device}”: choose device=“cpu”.") from error
    return str(place)
