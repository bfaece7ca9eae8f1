"""``train gnn | policy | look-ahead | …``: GNNs, and all that is trained to explain them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from gfx_core.cli import Commands, add_command, written
from gfx_core.datasets.registry import file_of, load_dataset
from gfx_core.device import choose_device
from gfx_core.errors import UserError, look_up
from gfx_core.gfn.knobs import changed, knobs
from gfx_core.gfn.settings import DEFAULT_PRESET, FROM_SAMPLES, GFNConfig, policy_config
from gfx_core.gnn.kinds import DEFAULT_KIND, gnn_name
from gfx_core.gnn.settings import TrainingConfig, default_config
from gfx_core.job_context import JobContext, progress_bar


def add_train(commands: Commands) -> None:
    """``train``, with a command for each thing that is trained."""
    train = commands.add_parser("train", help="train a GNN or a policy").add_subparsers(required=True, metavar="WHAT")
    add_command(train, "gnn", _train_gnn, TrainingConfig)
    shared = {name: knob for name, knob in knobs(GFNConfig).items() if not knob.one}
    add_command(train, "policy", _train_policy, knobs=shared)
    add_command(train, "look-ahead", _train_look_ahead)
    add_command(train, "explainer", _train_explainer)
    add_command(train, "student", _train_student)
    add_command(train, "hidden-gnn", _train_hidden_gnn)
    add_command(train, "record", _train_record, knobs=knobs(GFNConfig))


def _train_gnn(
    dataset: str, device: str = "auto", seeds: int | None = None, out: Path | None = None, **fields: Any
) -> None:
    """Train the GNN of a data set and write it to assets/models.

    Args:
        dataset: the data set
        device: auto, cpu or cuda
        seeds: trainings, the lowest validation loss is kept (default: 3; without fragments: 1)
        out: another folder
        fields: Of the configuration; the others are as in the training of the shipped GNN.
    """
    from gfx_core.gnn.checkpoint import model_path, save_model
    from gfx_core.gnn.training import best_of, train

    plain = fields.get("fragments") == 0
    config = replace(default_config(dataset, fields.get("kind", DEFAULT_KIND), plain=plain), **fields)
    data = load_dataset(dataset)
    with progress_bar() as tell:
        trained = [
            train(
                data,
                replace(config, seed=config.seed + number),
                choose_device(device),
                lambda now: tell(now.epoch / now.epochs, f"{dataset}: validation loss {now.validation_loss:.4f}"),
            )
            for number in range(seeds or (1 if plain else 3))
        ]
    model, header = best_of(trained)
    path = model_path(dataset, gnn_name(config.kind, plain=plain))
    path = written(partial(save_model, model, header), path, out)
    seed = header.training["config"]["seed"]
    print(f"{dataset}: lowest validation loss with seed {seed}, test accuracy {header.accuracy['test']:.4f} → {path}")


def _train_policy(
    dataset: str,
    device: str = "auto",
    gnn: str = DEFAULT_KIND,
    preset: str = DEFAULT_PRESET,
    out: Path | None = None,
    **values: Any,
) -> None:
    """Train the policy that explains a data set's GNN.

    Args:
        dataset: the data set
        device: auto, cpu or cuda
        gnn: the GNN to explain
        preset: of the reward: occam or paper
        out: another folder than this one
        values: Knobs of the configuration.
    """
    from gfx_core.explanation.explainer import GFlowExplainer
    from gfx_core.gnn.checkpoint import load_model

    device = choose_device(device)
    config = policy_config(dataset, preset, device)
    if values.get("parents", "valid") != "valid" or values.get("loss", "fm") != "fm":
        config = replace(policy_config(dataset, preset), learning=FROM_SAMPLES)
    path = file_of(dataset, out or Path(), "policy", gnn, "" if preset == DEFAULT_PRESET else preset)
    explainer = GFlowExplainer(changed(config, values), device=device)
    with progress_bar() as tell:
        try:
            explainer.fit(
                load_model(dataset, gnn),
                load_dataset(dataset),
                on_epoch=lambda now: tell(now.epoch / now.epochs, f"{dataset}: residual {now.residual:.3f}"),
            )
        finally:  # a training that went wrong leaves its last good weights
            if explainer.trained is not None and explainer.trained.curve:
                path = written(explainer.save, path)
    assert explainer.trained is not None
    print(f"{dataset}: residual {explainer.trained.curve[-1].residual:.3f} → {path}")


def _train_look_ahead(device: str = "auto", seed: int = 0, out: Path | None = None) -> None:
    """Train the policy that looks ahead, on many data sets at once.

    Args:
        device: auto, cpu or cuda
        seed: of its weights, and of the instances that it learns from
        out: another folder than assets/policies
    """
    from gfx_core.gfn.checkpoint import save_policy
    from gfx_core.gfn.own_policies import LOOK_AHEAD
    from gfx_core.look_ahead.sources import train_look_ahead

    with progress_bar() as tell:
        trained = train_look_ahead(
            choose_device(device),
            lambda words: tell(0, words),
            lambda now: tell(now.epoch / now.epochs, f"look-ahead: residual {now.residual:.3f}"),
            seed,
        )
    path = written(partial(save_policy, trained), LOOK_AHEAD, out)
    print(f"look-ahead: residual {trained.curve[-1].residual:.3f} → {path}")


def _train_explainer(
    dataset: str,
    device: str = "auto",
    *,
    method: str,
    gnn: str = DEFAULT_KIND,
    out: Path | None = None,
) -> None:
    """Train another explainer and save it.

    Args:
        dataset: the data set
        device: auto, cpu or cuda
        method: an explainer that learns, such as pgexplainer or rgexplainer
        gnn: the GNN to explain
        out: another folder than assets/explainers
    """
    from gfx_core.baselines.method import Learner
    from gfx_core.baselines.registry import chosen_settings, learnt_path, make_method, method_info
    from gfx_core.gnn.checkpoint import load_model

    info = method_info(method)
    if not info.learns or info.name == "gflowexplainer":
        raise UserError(f"{info.title} needs no training of this kind: GFlowExplainer has `train policy`, others none.")
    data, model = load_dataset(dataset), load_model(dataset, gnn)
    settings = chosen_settings(info.name, dataset)
    learner = make_method(info.name, model, settings, device=choose_device(device))
    assert isinstance(learner, Learner)
    with progress_bar() as tell:
        job = JobContext(progress=tell)
        learner.fit([data.instance(int(index), hops=model.hops) for index in data.explainable], job)
    print(f"{dataset}: {info.title} → {written(learner.save, learnt_path(info.name, dataset, gnn), out)}")


def _train_student(
    dataset: str,
    device: str = "auto",
    gnn: str = gnn_name(DEFAULT_KIND, plain=True),
    out: Path | None = None,
) -> None:
    """Train the student that explains a GNN which never saw fragments.

    Args:
        dataset: the data set
        device: auto, cpu or cuda
        gnn: the GNN to explain, such as sum-plain
        out: another folder than assets/students
    """
    from gfx_core.explanation.fragments import STUDENTS
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.user_models.instances import GNNInstances
    from gfx_core.user_models.student import StudentConfig, save_taught, teach

    device = choose_device(device)
    subject = GNNInstances(load_model(dataset, gnn), load_dataset(dataset), device)
    with progress_bar() as tell:
        job = JobContext(progress=tell)
        student = teach(subject.teacher(), StudentConfig.of(subject.task), job=job, device=device)
    path = STUDENTS / f"{dataset}-{gnn}-{subject.digest}.safetensors"
    path = written(partial(save_taught, student), path, out)
    print(f"{dataset} ({gnn}): agrees with the GNN on {student.agreement:.3f} → {path}")


def _train_hidden_gnn(names: Sequence[str] = (), out: Path | None = None) -> None:
    """Train the hidden GNNs of the lesson “Guess the rule”.

    Args:
        names: their letters; by default all
        out: another folder than assets/hidden_gnns
    """
    from gfx_core.gnn.checkpoint import save_model
    from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS, hidden_gnn_path, train_hidden_gnn

    for name in [look_up(name, HIDDEN_GNNS, "There is no hidden GNN") for name in names or HIDDEN_GNNS]:
        model, header = train_hidden_gnn(name)
        path = written(partial(save_model, model, header), hidden_gnn_path(name), out)
        print(f"{name}: agrees with its rule for {header.accuracy['all']:.1%} of all graphs → {path}")


def _train_record(stories: Sequence[str] = (), out: Path | None = None, **values: Any) -> None:
    """Record the trainings that the Train page opens with.

    Args:
        stories: their names; by default all
        out: another folder than assets/trainings
        values: Knobs of the configuration.
    """
    from gfx_core.training.live import record_stories

    for path in record_stories(stories, values, out):
        print(f"→ {path}")
