"""Subject: a question with all that it is about; what takes long to load is kept by the process. Needs torch."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import torch
from torch import nn

from gfx_core.config import FlowSource, FragmentModel, data_root
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import folder_of, load_dataset, source_of
from gfx_core.errors import UserError
from gfx_core.explanation.question import SCRATCH_EPOCHS, Question
from gfx_core.files import read_once
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy
from gfx_core.gfn.own_policies import own_policy, policy_file
from gfx_core.gfn.settings import GFNConfig, policy_config, preset_config
from gfx_core.gnn.checkpoint import load_model, model_path, read_header
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictor
from gfx_core.user_models.instances import GNNInstances, Instances
from gfx_core.user_models.predictor import predictor_on
from gfx_core.user_models.student import StudentPredictor, TrainedStudent


@dataclass(frozen=True, eq=False)
class Subject:
    """What is explained, and how.

    Attributes:
        question: The question.
        instance: What the GNN sees.
        model: The GNN.
        config: The settings of the policy, or of the one that would be trained.
        policy: A policy that is named; by default the look-ahead policy serves.
        folder: Where policies for this prediction alone are kept.
        data: The GNN with all its data; ``None`` where only the instance is there.
        knows_fragments: Whether the GNN was trained on fragments.
        taught: The student in place of the GNN on fragments, if there is one.
    """

    question: Question
    instance: Instance
    model: nn.Module
    config: GFNConfig
    policy: TrainedPolicy | None
    folder: Path
    data: Instances | None = None
    knows_fragments: bool = False
    taught: TrainedStudent | None = None

    @property
    def flows(self) -> FlowSource:
        """The kind that the question names, or the usual one."""
        return self.question.flows or self.question.usual_flows

    def predictor(self, device: str | torch.device) -> Predictor:
        """The GNN on subgraphs of the instance, or its student."""
        given = predictor_on(self.model, [self.instance], device)
        return given if self.taught is None else StudentPredictor(self.taught, given, [self.instance])


def load(question: Question) -> Subject:
    """All that a question is about."""
    subject = _named(question) if question.user is None else _users(question)
    subject.instance.check_start(question.start)
    return subject


def _users(question: Question) -> Subject:
    user = question.user
    assert user is not None
    if question.edits:
        raise UserError("Edits work only on named data sets: change your own data, then explain the changed data.")
    config = user.config
    if config is None and user.policy is not None:
        config = user.policy.config
    config = config or replace(preset_config(user.instance.task, device="cpu"), epochs=SCRATCH_EPOCHS)
    return Subject(question, user.instance, user.model, config, user.policy, data_root() / "tuned", user.data)


def _named(question: Question) -> Subject:
    dataset, gnn = question.dataset, question.gnn
    model, policy = kept_model(dataset, gnn), kept_policy(question.own, dataset, gnn) if question.own else None
    config = replace(policy_config(dataset, device="cpu"), epochs=SCRATCH_EPOCHS)
    knows_fragments = read_header(model_path(dataset, gnn)).knows_fragments
    learns = question.fragments is FragmentModel.STUDENT or not knows_fragments
    return Subject(
        question,
        question.instance(model.hops),
        model,
        config if policy is None else policy.config,
        policy,
        folder_of(dataset, "tuned"),
        # nothing is downloaded for a student
        _kept_data(model, dataset) if learns and source_of(dataset, "index").ready else None,
        knows_fragments,
    )


@lru_cache(maxsize=4)
def _kept_data(model: GNN, dataset: str) -> GNNInstances:
    return GNNInstances(model, load_dataset(dataset))


def kept_model(dataset: str, kind: str) -> GNN:
    """The GNN of a data set; a replaced file is read again."""
    return _kept_model(model_path(dataset, kind), dataset, kind)


@read_once(16)
def _kept_model(_path: Path, dataset: str, kind: str) -> GNN:
    return load_model(dataset, kind)


def kept_policy(own: str, dataset: str, kind: str) -> TrainedPolicy:
    """A policy that was trained here or uploaded, by its name; ``UserError`` if it explains another GNN."""
    own_policy(own, dataset, kind)
    return _kept_policy(policy_file(dataset, own))


_kept_policy = read_once(16)(load_policy)
