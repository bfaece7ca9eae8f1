"""All that a question is about, from files: what takes long to load is kept by the process. Needs torch."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from gfx_core.config import FlowSource, FragmentModel, data_root
from gfx_core.datasets.registry import dataset_info, folder_of, load_dataset, source_of
from gfx_core.errors import UserError
from gfx_core.explanation.question import SCRATCH_EPOCHS, Question
from gfx_core.explanation.subject import GNNSubject, LoadedQuestion
from gfx_core.files import read_once
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy
from gfx_core.gfn.own_policies import own_policy, policy_file
from gfx_core.gfn.settings import preset_config
from gfx_core.gnn.checkpoint import load_model, model_path, read_header
from gfx_core.gnn.models import GNN


def load(question: Question) -> LoadedQuestion:
    """All that a question is about."""
    user = question.user
    if user is not None:
        if question.edits:
            raise UserError("Edits work only on named data sets: change your own data, then explain the changed data.")
        usual = user.policy.config if user.policy is not None else preset_config(user.instance.task, device="cpu")
        config = user.config or (usual if user.policy is not None else replace(usual, epochs=SCRATCH_EPOCHS))
        loaded = LoadedQuestion(
            question, user.instance, user.model, config, user.policy, data_root() / "tuned", user.subject
        )
    else:
        model, policy = kept_model(question.dataset, question.gnn), _policy(question)
        scratch = replace(preset_config(question.info.task, device="cpu"), epochs=SCRATCH_EPOCHS)
        config = scratch if policy is None else policy.config
        folder = folder_of(question.dataset, "tuned")
        instance = question.instance(model.hops)
        known = read_header(model_path(question.dataset, question.gnn)).knows_fragments
        loaded = LoadedQuestion(question, instance, model, config, policy, folder, None, known)
        wanted = question.fragments is FragmentModel.STUDENT or not (policy or known)
        if wanted and source_of(question.dataset, "index").ready:  # nothing is downloaded for it
            loaded = replace(loaded, subject=_subject(model, question.dataset))
    loaded.instance.check_start(question.start)
    return loaded


@lru_cache(maxsize=4)
def _subject(model: GNN, dataset: str) -> GNNSubject:
    return GNNSubject(model, load_dataset(dataset))


def _policy(question: Question) -> TrainedPolicy | None:
    """The policy that is kept for a GNN; exact flows can do without one, or with one that cannot be read."""
    if not (question.own or policy_file(question.dataset, question.gnn).is_file()):
        return None
    try:
        return kept_policy(question.dataset, question.gnn, question.own)
    except UserError:
        if question.flows is not FlowSource.EXACT or question.own:
            raise
        return None


def kept_model(dataset: str, kind: str) -> GNN:
    """The GNN of a data set; a replaced file is read again."""
    return _kept_model(model_path(dataset, kind), dataset, kind)


@read_once(16)
def _kept_model(_path: Path, dataset: str, kind: str) -> GNN:
    return load_model(dataset, kind)


@read_once(16)
def kept_checkpoint(path: Path, dataset: str) -> GNN:
    return load_model(dataset, path=path)


def kept_policy(dataset: str, kind: str, own: str = "") -> TrainedPolicy:
    """The policy for a data set's GNN, or one that was trained here, by its name; a replaced file is read again."""
    path = policy_file(dataset, kind, own)
    if own:
        own_policy(own, dataset, kind)  # refuses one for another GNN
    if not path.is_file():
        info = dataset_info(dataset)
        raise UserError(
            f"There is no policy for the {kind} GNN of {info.title} yet. Choose another GNN, or "
            f"train one: python -m gfx_core train policy --dataset {info.name} --gnn {kind}."
        )
    return _kept_policy(path)


_kept_policy = read_once(16)(load_policy)
