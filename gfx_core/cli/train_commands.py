"""``train gnn | policy | explainer | student | hidden-gnn | record``: GNNs, and all that is trained to explain them."""

import argparse
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from gfx_core.arrays import spread
from gfx_core.cli import (
    Commands,
    add_dataset,
    add_gnn,
    add_knobs,
    add_out,
    datasets,
    on_device,
    read_knobs,
    written,
)
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.gfn.knobs import changed, knobs
from gfx_core.gfn.settings import DEFAULT_PRESET, FROM_SAMPLES, REWARD_PRESETS, GFNConfig, policy_config
from gfx_core.gnn.kinds import DEFAULT_KIND, KINDS, gnn_name
from gfx_core.job_context import JobContext, progress_bar
from gfx_core.text.numbers import counted

Tell = Callable[[float, str], None]
"""Is told how far something is, see `progress_bar`."""
_GNN_NUMBERS: dict[str, tuple[type, str]] = {
    "seed": (int, "of the weights, the batches and the fragments; the first one (default: 0)"),
    "fragments": (int, "random fragments in a step (default: by data set); 0: whole graphs only"),
    "fragment_nodes": (int, "the most nodes of a fragment"),
    "fragment_weight": (float, "of the fragments' loss beside the whole graphs'"),
    "epochs": (int, "at most this many (default: by data set)"),
    "patience": (int, "stop after this many epochs without a better validation loss"),
    "lr": (float, "Adam's learning rate"),
    "weight_decay": (float, "L2 penalty"),
    "hidden": (int, "width of each convolution"),
}


def add_train(commands: Commands) -> None:
    """``train``, with a command for each thing that is trained."""
    train = commands.add_parser("train", help="train a GNN or a policy").add_subparsers(required=True, metavar="WHAT")

    def command(name: str, run: Callable[[argparse.Namespace], None], folder: str, about: str) -> ArgumentParser:
        """Trains something for a data set, or for all, and writes it to a folder."""
        made = train.add_parser(name, parents=[on_device()], help=about)
        add_dataset(made)
        add_out(made, folder)
        made.set_defaults(run=run)
        return made

    about = "train the GNN of a data set and write it to assets/models"
    gnn = command("gnn", _train_gnn, "assets/models", about)
    gnn.add_argument("--kind", default=DEFAULT_KIND, choices=list(KINDS), help="convolution (default: %(default)s)")
    about = "trainings, the lowest validation loss is kept (default: 3; plain: 1)"
    gnn.add_argument("--seeds", type=int, metavar="N", help=about)
    gnn.add_argument("--layers", type=int, dest="num_layers", metavar="N", help="convolutions (default: 3)")
    for name, (kind, words) in _GNN_NUMBERS.items():
        gnn.add_argument(f"--{name.replace('_', '-')}", type=kind, help=words)

    policy = command("policy", _train_policy, "assets/policies", "train the policy that explains a data set's GNN")
    add_gnn(policy)
    about = f"reward: {', '.join(REWARD_PRESETS)} (default: %(default)s)"
    policy.add_argument("--preset", default=DEFAULT_PRESET, help=about)
    add_knobs(policy, knobs(GFNConfig))
    policy.add_argument("--index", metavar="NUMBER", help="train on this node or graph alone")
    policy.add_argument("--limit", type=int, metavar="N", help="train on this many instances, evenly spread")
    policy.add_argument("--resume", action="store_true", help="continue a training that was stopped")

    others = command("explainer", _train_explainer, "assets/explainers", "train another explainer and save it")
    about = "pgexplainer, rgexplainer or a variant of theirs"
    others.add_argument("--method", required=True, metavar="NAME", help=about)
    add_gnn(others)
    others.add_argument("--epochs", type=int, help="passes over the instances (default: by method)")
    others.add_argument("--seed", type=int, default=0, help="of weights, batches and actions (default: %(default)s)")

    about = "train the student that explains a GNN which never saw fragments"
    student = command("student", _train_student, "assets/students", about)
    add_gnn(student, gnn_name(DEFAULT_KIND, plain=True))
    student.add_argument("--seed", type=int, default=0, help="of weights and fragments (default: %(default)s)")

    about = "train the hidden GNNs of the lesson “Guess the rule”"
    hidden = train.add_parser("hidden-gnn", parents=[on_device()], help=about)
    hidden.add_argument("names", nargs="*", metavar="LETTER", help="default: all")
    hidden.add_argument("--seed", type=int, default=0, help="of the weights (default: 0)")
    add_out(hidden, "assets/hidden_gnns")
    hidden.set_defaults(run=_train_hidden_gnn)

    record = train.add_parser("record", help="record the trainings that the Train page opens with")
    record.add_argument("stories", nargs="*", metavar="STORY", help="default: all")
    add_knobs(record, knobs(GFNConfig))
    add_out(record, "assets/trainings")
    record.set_defaults(run=_train_record)


def _train_gnn(options: argparse.Namespace) -> None:
    from gfx_core.gnn.checkpoint import model_path, save_model
    from gfx_core.gnn.training import GnnEpoch, best_of, default_config, train

    device = choose_device(options.device)
    for name in datasets(options.dataset):
        chosen = {key: getattr(options, key) for key in ("num_layers", *_GNN_NUMBERS)}
        plain = options.fragments == 0
        config = default_config(name, options.kind, plain=plain)
        config = replace(config, **{key: value for key, value in chosen.items() if value is not None})
        dataset, trained = load_dataset(name), []
        for seed in range(config.seed, config.seed + (1 if plain and not options.seeds else options.seeds or 3)):
            with progress_bar() as tell:

                def show(now: GnnEpoch, what: str = f"{name}, seed {seed}", tell: Tell = tell) -> None:
                    numbers = f"loss {now.loss:.4f}, validation {now.validation_loss:.4f}"
                    tell(now.epoch / now.epochs, f"{what}: {numbers}, accuracy {now.validation_accuracy:.3f}")

                trained.append(train(dataset, replace(config, seed=seed), device, show))
        model, header = best_of(trained)
        path = model_path(name, gnn_name(config.kind, plain=plain))
        path = written(partial(save_model, model, header), path, options.out)
        for tried in header.training["tried"]:
            accuracy = "  ".join(f"{part} {value:.4f}" for part, value in tried["accuracy"].items())
            print(f"{name} ({config.kind}), seed {tried['seed']}: loss {tried['validation_loss']:.4f}  {accuracy}")
        print(f"{name} ({config.kind}): seed {header.training['config']['seed']}, the lowest validation loss  → {path}")


def _train_policy(options: argparse.Namespace) -> None:
    from gfx_core.explanation.explainer import GFlowExplainer
    from gfx_core.gfn.checkpoint import Checkpoint
    from gfx_core.gfn.own_policies import policy_path
    from gfx_core.gfn.trainer import EpochReport
    from gfx_core.gnn.checkpoint import load_model

    known, device = knobs(GFNConfig), choose_device(options.device)
    values = read_knobs(options, known)
    if options.index is not None:
        _train_on_one(options, values)
        return
    if alone := [known[name].label for name in values if known[name].one]:
        raise UserError(f"“{alone[0]}” is for a training on one prediction: name it with --index.")
    for name in datasets(options.dataset):
        config = policy_config(name, options.preset, device)
        if values.get("parents", "valid") != "valid" or values.get("loss", "fm") != "fm":
            config = replace(policy_config(name, options.preset), learning=FROM_SAMPLES)
        config = changed(config, values)
        default = policy_path(name, options.gnn, "" if options.preset == DEFAULT_PRESET else options.preset)
        path = (options.out or default.parent) / default.name
        explainer = GFlowExplainer(config, device=device)
        with progress_bar() as tell:

            def show(now: EpochReport, what: str = name, tell: Tell = tell) -> None:
                numbers = f"loss {now.loss:.3f}, residual {now.residual:.3f}, log R {now.log_reward:.3f}"
                tell(now.epoch / now.epochs, f"{what}: {numbers}")

            dataset = load_dataset(name)
            some = spread(dataset.explainable, options.limit) if options.limit else None
            try:
                explainer.fit(
                    load_model(name, options.gnn),
                    dataset,
                    some,
                    on_epoch=show,
                    checkpoint=Checkpoint(path.with_suffix(".training"), every=100, resume=options.resume),
                )
            finally:  # a training that went wrong leaves its last good weights
                if explainer.trained is not None and explainer.trained.curve:
                    saved = written(explainer.save, path)
        path.with_suffix(".training").unlink(missing_ok=True)
        assert explainer.trained is not None
        last = explainer.trained.curve[-1]
        print(f"{name}: residual {last.residual:.3f}  log R {last.log_reward:.2f}  nodes {last.size:.1f}  → {saved}")


def _train_on_one(options: argparse.Namespace, values: dict[str, Any]) -> None:
    """Train on one prediction."""
    from gfx_core.explanation.question import Question
    from gfx_core.gfn.checkpoint import save_policy
    from gfx_core.training.session import session_of
    from gfx_core.training.training import defaults_for

    training = defaults_for(Question(options.dataset, options.index, gnn=options.gnn)).changed(values)
    session = session_of(training)
    with progress_bar() as tell:
        session.run(lambda session: tell(session.step_number / training.config.epochs, training.title))
    frame, trained = session.frame(), session.save()
    apart = "" if frame["total_variation"] is None else f"  total variation from R/Z {frame['total_variation']:.3f}"
    where = ""
    if trained is not None:
        path = Path(f"{training.question.dataset}-{options.gnn}-{options.index}.safetensors")
        where = f"  → {written(partial(save_policy, trained), path, options.out)}"
    print(f"{training.title}: {counted(session.step_number, 'step')}, residual {frame['residual']:.3f}{apart}{where}")


def _train_explainer(options: argparse.Namespace) -> None:
    from gfx_core.baselines.method import Learner
    from gfx_core.baselines.registry import chosen_settings, learnt_path, make_method, method_info
    from gfx_core.gnn.checkpoint import load_model

    info = method_info(options.method)
    if not info.learns:
        raise UserError(f"{info.title} needs no training: use it as it is.")
    if info.name == "gflowexplainer":
        raise UserError("GFlowExplainer trains a policy: use `train policy`, which has its settings.")
    for name in datasets(options.dataset):
        data, model = load_dataset(name), load_model(name, options.gnn)
        device = choose_device(options.device)
        settings = chosen_settings(info.name, name, options.gnn)
        method = make_method(info.name, model, settings, seed=options.seed, device=device, epochs=options.epochs)
        assert isinstance(method, Learner)
        with progress_bar() as show:
            method.fit([data.instance(int(index), hops=model.hops) for index in data.explainable], progress=show)
        path = written(method.save, learnt_path(info.name, name, options.gnn), options.out)
        print(f"{name}: {info.title} → {path}")


def _train_student(options: argparse.Namespace) -> None:
    from gfx_core.explanation.fragments import STUDENTS
    from gfx_core.explanation.subject import GNNSubject
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.user_models.student import StudentConfig, save_taught, teach

    device = choose_device(options.device)
    for name in datasets(options.dataset):
        subject = GNNSubject(load_model(name, options.gnn), load_dataset(name), device)
        config = replace(StudentConfig.of(subject.task), seed=options.seed)
        with progress_bar() as show:
            taught = teach(subject.teacher(), config, job=JobContext(progress=show), device=device)
        path = STUDENTS / f"{name}-{options.gnn}-{subject.digest}.safetensors"
        path = written(partial(save_taught, taught), path, options.out)
        print(
            f"{name} ({options.gnn}): agrees on {taught.agreement:.3f}, divergence on fragments "
            f"{taught.divergence:.3f} (the GNN {taught.as_is:.3f}, a constant {taught.constant:.3f})  → {path}"
        )


def _train_hidden_gnn(options: argparse.Namespace) -> None:
    from gfx_core.gnn.checkpoint import save_model
    from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS, hidden_gnn_path, train_hidden_gnn

    for name in options.names or HIDDEN_GNNS:
        if name not in HIDDEN_GNNS:
            raise UserError(f"There is no hidden GNN “{name}”: choose from {', '.join(HIDDEN_GNNS)}.")
        model, header = train_hidden_gnn(name, choose_device(options.device), options.seed)
        path = written(partial(save_model, model, header), hidden_gnn_path(name), options.out)
        print(f"{name}: agrees with its rule for {header.accuracy['all']:.1%} of all graphs → {path}")


def _train_record(options: argparse.Namespace) -> None:
    from gfx_core.training.live import record_stories

    for path in record_stories(options.stories, read_knobs(options, knobs(GFNConfig)), options.out):
        print(f"→ {path} ({path.stat().st_size / 1000:.0f} kB)")
