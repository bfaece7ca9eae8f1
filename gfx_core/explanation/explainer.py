"""GFlowExplainer: train a policy on a model and its data, then explain single predictions; `explain` does both.

It is also an algorithm of PyG's (`gfx_core.explanation.pyg`):
``torch_geometric.explain.Explainer(model, algorithm=GFlowExplainer(...), ...)``.
"""

import logging
from collections.abc import Callable
from dataclasses import fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from tqdm.auto import tqdm

from gfx_core.baselines.method import Progress
from gfx_core.config import FlowSource, Task
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.explanation.finetune import EPOCHS, finetune
from gfx_core.explanation.on_the_spot import EPOCHS as SPOT_EPOCHS
from gfx_core.explanation.on_the_spot import SECONDS, Deadline, Ready, flows_on_the_spot
from gfx_core.explanation.pyg import PyGAlgorithm
from gfx_core.explanation.question import Choice, checked_flows
from gfx_core.explanation.result import ExplanationResult, constant_control
from gfx_core.explanation.samplers import ExactSampler, SubgraphSampler, SubgraphSource
from gfx_core.explanation.subject import GNNSubject, Subject, open_subject
from gfx_core.explanation.trace import record
from gfx_core.files import UnwrittenError
from gfx_core.gfn.checkpoint import Checkpoint, TrainedPolicy, load_policy, resume_training, save_policy, save_training
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import DEFAULT_PRESET, REWARD_PRESETS, GFNConfig, preset_config
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.gnn.models import GNN
from gfx_core.trace.schema import Trace
from gfx_core.user_models.inputs import ModelOptions, some_indices
from gfx_core.user_models.model_data import AnyData
from gfx_core.user_models.predictor import ModelInstance, predictor_on

_log = logging.getLogger(__name__)

MOST_INSTANCES = 256
"""So many nodes or graphs of somebody's data a policy is trained on where none are named and no motifs known."""

KEPT = 16
"""Policies for single predictions that an explainer keeps; the oldest go first."""


class GFlowExplainer(PyGAlgorithm):
    """Explains predictions by sampling connected subgraphs with probability proportional to their reward.

    Args:
        config: How the policy is trained and sampled; by default as the shipped policies were.
        samples: How many subgraphs an explanation draws.
        seed: Of what is drawn when PyG asks for an explanation.
        device: ``cpu`` or ``cuda``.
        flows: ``learned``, those of a trained policy, or ``exact``: computed from the list of all connected subgraphs,
            wherever there are few enough of them; exact flows need no training, see :meth:`exact`. By default those of
            the policy where one is trained or loaded; without one exact ones where they can be had, and else those of
            a policy that is trained on the spot for one prediction.
        seconds: How long listing, or training on the spot, may take for one prediction; ``None`` for no limit.
    """

    def __init__(
        self,
        config: GFNConfig | None = None,
        *,
        samples: int = 64,
        seed: int = 0,
        device: str = "cpu",
        flows: FlowSource | str | None = None,
        seconds: float | None = SECONDS,
    ) -> None:
        super().__init__()
        if samples < 1:
            raise UserError(f"An explanation needs at least one sample (got {samples}).")
        if seconds is not None and not (isinstance(seconds, Real) and seconds > 0):
            raise UserError(f"seconds must be a number above 0 (got {seconds!r}).")
        if config is not None and not isinstance(config, GFNConfig):
            raise UserError(f"config must be a GFNConfig (got a {type(config).__name__}): config=GFNConfig(…).")
        self._config, self.seconds = config, seconds
        self.samples, self.seed, self.device = samples, seed, device
        self.flows = None if flows is None else checked_flows(flows)
        self.trained: TrainedPolicy | None = None
        self._spot: dict[tuple[object, ...], TrainedPolicy] = {}

    @property
    def config(self) -> GFNConfig:
        """How the policy is trained and sampled: as given, or as the shipped policies of a node task."""
        return self.config_for(Task.NODE)

    def config_for(self, task: Task) -> GFNConfig:
        """The same for a task."""
        if self._config is not None:
            return self._config
        return self.trained.config if self.trained is not None else preset_config(task, device=self.device)

    def config_on_the_spot(self, task: Task) -> GFNConfig:
        """The same for a policy that is trained on one prediction alone."""
        config = self.config_for(task)
        return config if self._config is not None else replace(config, epochs=SPOT_EPOCHS)

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
        subject = open_subject(model, data, ModelOptions(**about), self.device)
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
            kind = str(model.kind) if isinstance(model, GNN) else ""
            self.trained = TrainedPolicy.of(trainer, cut[0].dataset, kind)
        return self

    def _chosen(self, subject: Subject, instances: Any) -> np.ndarray:
        count = subject.num_instances
        if instances is not None:
            chosen = some_indices(instances, count, "node" if subject.task is Task.NODE else "graph")
        elif isinstance(subject, GNNSubject) and len(subject.dataset.explainable):
            chosen = subject.dataset.explainable
        elif count > MOST_INSTANCES:
            _log.info("training on %d of %d instances, drawn by chance", MOST_INSTANCES, count)
            chosen = np.sort(np.random.RandomState(self.seed).permutation(count)[:MOST_INSTANCES])
        else:
            chosen = np.arange(count)
        if not len(chosen):
            raise UserError("There is nothing to train on: name at least one node or graph.")
        return chosen

    def trace(
        self,
        model: nn.Module,
        data: AnyData | Instance,
        index: Any = None,
        *,
        seed: int | None = None,
        choice: Choice | str = Choice.ANSWER,
        start: int | None = None,
        flows: FlowSource | str | None = None,
        tell: Progress | None = None,
        **about: Any,
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
            tell: Told how far it is.
            about: What is to be known of model and data, see `ModelOptions`.

        Raises:
            UserError: Something in it cannot be, or the flows are to be exact and there are too many states to list.
        """
        deadline = Deadline(self.seconds)
        instance = self._instance(model, data, index, about)
        instance.check_start(start)
        try:
            choice = Choice(choice)
        except ValueError as error:
            raise UserError(f"There is no choice “{choice}”: choose one of {', '.join(Choice)}.") from error
        ready = self._ready(
            model, instance, self.flows if flows is None else checked_flows(flows), tell, deadline=deadline
        )
        return self._recorded(model, ready, seed, choice, start)

    def _recorded(
        self, model: nn.Module, ready: Ready, seed: int | None, choice: Choice = Choice.ANSWER, start: int | None = None
    ) -> Trace:
        """What comes out of flows that are ready, with what is to be read before it is believed."""
        instance = ready.source.instance
        trace = record(
            ready.source,
            seed=self.seed if seed is None else seed,
            samples=self.samples,
            choice=choice,
            start=ready.start if start is None else start,
            model_name=str(model.kind) if isinstance(model, GNN) else type(model).__name__,
        )
        notes = (*(instance.notes if isinstance(instance, ModelInstance) else ()), *ready.notes)
        return replace(trace, made={**trace.made, "notes": list(notes)}) if notes else trace

    def explain(
        self,
        model: nn.Module,
        data: AnyData | Instance,
        index: Any = None,
        *,
        control: bool = False,
        seed: int | None = None,
        tell: Progress | None = None,
        **about: Any,
    ) -> ExplanationResult:
        """Explain one prediction: an edge mask, a Trace, a sentence, and all ways to look at them.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            control: Whether a GNN that always says the same is explained in the same way, beside it.
            seed: Of what is drawn; the explainer's own by default.
            tell: Told how far it is.
            about: What is to be known of model and data, see `ModelOptions`.
        """
        deadline = Deadline(self.seconds)
        instance = self._instance(model, data, index, about)
        sooner = deadline.sooner(0.5) if control else deadline
        ready = self._ready(model, instance, self.flows, tell, deadline=sooner)
        trace, source = self._recorded(model, ready, seed), ready.source
        made = ExplanationResult.of(trace, source.instance, data)
        if not control:
            return made
        config = replace(self.config_on_the_spot(instance.task), max_nodes=source.config.max_nodes)
        until = None if source.flows is FlowSource.EXACT else deadline  # what was listed can be listed again
        return replace(made, control=constant_control(config, source.predictor, source.instance, trace, tell, until))

    def tune(
        self,
        model: nn.Module,
        data: AnyData | Instance,
        index: Any = None,
        *,
        epochs: int = EPOCHS,
        on_epoch: Callable[[EpochReport], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        **about: Any,
    ) -> "GFlowExplainer":
        """An explainer whose policy was trained further on one prediction; this one is left as it is.

        Args:
            model: The GNN.
            data: Where the instance is, or the instance itself.
            index: The node or graph.
            epochs: How long.
            on_epoch: Called after each epoch with loss, residual, mean reward and ETA.
            cancelled: Asked before each step; the epochs that are done by then are kept.
            about: What is to be known of model and data, see `ModelOptions`.
        """
        generator = self._generator(model, self._instance(model, data, index, about))
        tuned = GFlowExplainer(generator.config, samples=self.samples, seed=self.seed, device=self.device)
        tuned.trained = finetune(generator, epochs=epochs, on_epoch=on_epoch, cancelled=cancelled)
        return tuned

    def save(self, path: str | Path) -> None:
        """Write the trained policy."""
        save_policy(self._need_trained(), Path(path))

    @classmethod
    def load(cls, path: str | Path, *, samples: int = 64, seed: int = 0, device: str = "cpu") -> "GFlowExplainer":
        """An explainer with a trained policy."""
        trained = load_policy(Path(path))
        explainer = cls(trained.config, samples=samples, seed=seed, device=device)
        explainer.trained = trained
        return explainer

    # Helpers

    def _need_trained(self) -> TrainedPolicy:
        if self.trained is None:
            raise UserError("This explainer has no policy yet: call fit, or load one.")
        return self.trained

    def _instance(self, model: nn.Module, data: AnyData | Instance, index: Any, about: dict[str, Any]) -> Instance:
        if not isinstance(data, Instance):
            return open_subject(model, data, ModelOptions(**about), self.device).instance(index)
        if isinstance(model, GNN):
            data.check_reach(model.hops)
        return data

    def _ready(
        self,
        model: nn.Module,
        instance: Instance,
        flows: FlowSource | None,
        tell: Progress | None,
        explained: int | None = None,
        deadline: Deadline | None = None,
    ) -> Ready:
        """The flows that are asked for, on an instance; a trained policy is compared with exact ones."""
        if flows is None and self.trained is None:
            return self._kept_on_the_spot(model, instance, tell, explained, deadline or Deadline(self.seconds))
        source: SubgraphSource
        if flows is FlowSource.EXACT and self.trained is None:
            config, predictor = self.config_for(instance.task), predictor_on(model, [instance], self.device)
            source = ExactSampler(config, predictor, instance, reward=Reward(predictor, config.reward, explained))
        else:
            source = self._generator(model, instance, explained)
            if flows is FlowSource.EXACT:
                source = ExactSampler.beside(source)
        return Ready(source, None)

    def _kept_on_the_spot(
        self, model: nn.Module, instance: Instance, tell: Progress | None, explained: int | None, deadline: Deadline
    ) -> Ready:
        """Flows without a policy; one that had to be trained is kept for when the same is asked again."""
        predictor = predictor_on(model, [instance], self.device)
        content = hash((instance.x.tobytes(), instance.edge_index.tobytes()))  # tells it from others of the same number
        key = (id(model), tuple(p._version for p in model.parameters()), instance.index, explained, content)
        known = self._spot.get(key)
        config = self.config_on_the_spot(instance.task)
        ready = flows_on_the_spot(
            config, predictor, instance, explained=explained, tell=tell, known=known, deadline=deadline
        )
        if ready.trained is not None:
            self._spot[key] = ready.trained
            if len(self._spot) > KEPT:
                self._spot.pop(next(iter(self._spot)))
        return ready

    def _generator(self, model: nn.Module, instance: Instance, explained: int | None = None) -> SubgraphSampler:
        trained = self._need_trained()
        if {trained.dataset, instance.dataset} <= DATASETS.keys() and trained.dataset != instance.dataset:
            raise UserError(
                f"This policy was trained on {trained.dataset}, not on {instance.dataset}: load the other one."
            )
        if isinstance(model, GNN) and trained.gnn and trained.gnn != model.kind:
            raise UserError(f"This policy explains the {trained.gnn} GNN, not the {model.kind} one: train one for it.")
        return SubgraphSampler(trained, predictor_on(model, [instance], self.device), instance, explained)


_BAR = "{desc}: {percentage:3.0f} % |{bar}|"


def explain(
    model: nn.Module,
    data: AnyData,
    index: Any = None,
    *,
    config: GFNConfig | None = None,
    control: bool = False,
    seed: int = 0,
    seconds: float | None = SECONDS,
    progress: bool | None = None,
    device: str | torch.device = "cpu",
    **about: Any,
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
        seed: Of all that is drawn.
        seconds: How long listing and learning may take; what had to be left out is said. ``None`` for no limit.
        progress: Whether to show a bar; by default in terminals and notebooks.
        device: Where to compute.
        about: What cannot be seen from model and data: task, output, tolerance, hops, args, classes, atoms, labels,
            title. See `gfx_core.user_models.inputs.ModelOptions`.

    Returns:
        An explanation: it plays in a notebook, ``show()`` opens it, ``save("x.html")`` keeps it (also ``.json``,
        ``.gif``), ``edge_mask``, ``sentence``, ``trace``, ``to_networkx()``, ``to_pyvis()``, ``to_pyg()``.
    """
    _check(control, seed, progress, about)
    explainer = GFlowExplainer(config, seed=int(seed), device=_place(device), seconds=seconds)
    disabled = None if progress is None else not progress  # None: shown where somebody looks on
    with tqdm(total=100, disable=disabled, leave=False, bar_format=_BAR) as bar:

        def tell(share: float, words: str) -> None:
            bar.set_description(words, refresh=False)
            bar.update(round(100 * share) - bar.n)

        return explainer.explain(model, data, index, control=control, tell=tell, **about)


def _check(control: Any, seed: Any, progress: Any, about: dict[str, Any]) -> None:
    """Refuse what cannot be meant."""
    if not isinstance(seed, Integral) or not 0 <= int(seed) < 2**32:
        raise UserError(f"seed must be a whole number from 0 to 2³² − 1 (got {seed!r}).")
    if not isinstance(control, bool):
        raise UserError(f"control must be True or False (got a {type(control).__name__}).")
    if progress is not None and not isinstance(progress, bool):
        raise UserError(f"progress must be True, False or None (got a {type(progress).__name__}).")
    known = [field.name for field in fields(ModelOptions)]
    for name in about:
        if name not in known:
            raise UserError(f"explain has no option “{name}”: choose from {', '.join(known)}.")


def _place(device: Any) -> str:
    """A device on which numbers can be computed, as torch calls it."""
    try:
        place = torch.device(device)
        torch.zeros(1, device=place).sum().item()
    except Exception as error:  # each kind of device has errors of its own
        raise UserError(f"This machine cannot compute on the device “{device}”: choose device=“cpu”.") from error
    return str(place)
