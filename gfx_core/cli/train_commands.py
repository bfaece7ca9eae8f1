"""``train gnn | policy | explainer | student | hidden-gnn | record``: GNNs, and all that is trained to explain them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import Any

from gfx_core.arrays import spread
from gfx_core.cli import Commands, add_command, add_knobs, read_knobs, written
from gfx_core.datasets.registry import dataset_info, listed, load_dataset
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.gfn.knobs import changed, knobs
from gfx_core.gfn.settings import DEFAULT_PRESET, FROM_SAMPLES, GFNConfig, policy_config
from gfx_core.gnn.kinds import DEFAULT_KIND, gnn_name
from gfx_core.gnn.settings import TrainingConfig
from gfx_core.job_context import JobContext, progress_bar
from gfx_core.text.numbers import counted

_PLAIN = gnn_name(DEFAULT_KIND, plain=True)


def add_train(commands: Commands) -> None:
    """``train``, with a command for each thing that is trained."""
    train = commands.add_parser("train", help="train a GNN or a policy").add_subparsers(required=True, metavar="WHAT")
    add_command(train, "gnn", _for_datasets(_train_gnn), TrainingConfig)
    add_knobs(add_command(train, "policy", _for_datasets(_train_policy)), knobs(GFNConfig))
    add_command(train, "explainer", _for_datasets(_train_explainer))
    add_command(train, "student", _for_datasets(_train_student))
    add_command(train, "hidden-gnn", _train_hidden_gnn)
    add_knobs(add_command(train, "record", _train_record), knobs(GFNConfig))


def _for_datasets(train: Callable[..., str]) -> Callable[..., None]:
    """Train for the data set that is named, or for all that pages offer, and print what comes back."""

    @wraps(train)
    def run(dataset: str, device: str = "auto", **options: Any) -> None:
        for name in listed() if dataset == "all" else [dataset_info(dataset).name]:
            print(train(name, choose_device(device), **options))

    return run


def _train_gnn(
    dataset: str, device: str = "auto", seeds: int | None = None, out: Path | None = None, **fields: Any
) -> str:
    """Train the GNN of a data set and write it to assets/models.

    Args:
        dataset: the data set, or all
        device: auto, cpu or cuda
        seeds: trainings, the lowest validation loss is kept (default: 3; without fragments: 1)
        out: another folder
        fields: Of the configuration; the others are as in the training of the shipped GNN.
    """
    from gfx_core.gnn.checkpoint import model_path, save_model
    from gfx_core.gnn.training import GnnEpoch, best_of, default_config, train

    plain = fields.get("fragments") == 0
    config = replace(default_config(dataset, fields.get("kind", DEFAULT_KIND), plain=plain), **fields)
    data, called = load_dataset(dataset), f"{dataset} ({config.kind})"
    with progress_bar() as tell:

        def show(now: GnnEpoch) -> None:
            numbers = f"loss {now.loss:.4f}, validation {now.validation_loss:.4f}"
            tell(now.epoch / now.epochs, f"{called}: {numbers}, accuracy {now.validation_accuracy:.3f}")

        seed_range = range(config.seed, config.seed + (seeds or (1 if plain else 3)))
        model, header = best_of([train(data, replace(config, seed=seed), device, show) for seed in seed_range])
    path = model_path(dataset, gnn_name(config.kind, plain=plain))
    path = written(partial(save_model, model, header), path, out)
    lines = []
    for trial in header.training["tried"]:
        accuracy = "  ".join(f"{part} {value:.4f}" for part, value in trial["accuracy"].items())
        lines.append(f"{called}, seed {trial['seed']}: loss {trial['validation_loss']:.4f}  {accuracy}\n")
    return f"{''.join(lines)}{called}: seed {header.training['config']['seed']}, the lowest validation loss  → {path}"


def _train_policy(
    dataset: str,
    device: str = "auto",
    gnn: str = DEFAULT_KIND,
    preset: str = DEFAULT_PRESET,
    index: str | None = None,
    limit: int | None = None,
    resume: bool = False,
    out: Path | None = None,
    **texts: str,
) -> str:
    """Train the policy that explains a data set's GNN.

    Args:
        dataset: the data set, or all
        device: auto, cpu or cuda
        gnn: the GNN to explain
        preset: of the reward: occam, paper or sharp
        index: train on this node or graph alone
        limit: train on this many instances, evenly spread
        resume: continue a training that was stopped
        out: another folder than assets/policies
        texts: Knobs of the configuration.
    """
    from gfx_core.explanation.explainer import GFlowExplainer
    from gfx_core.gfn.checkpoint import Checkpoint
    from gfx_core.gfn.own_policies import policy_path
    from gfx_core.gfn.trainer import EpochReport
    from gfx_core.gnn.checkpoint import load_model

    values = read_knobs(knobs(GFNConfig), texts)
    if index is not None:
        return _train_on_one(dataset, gnn, index, values, out)
    if labels := [knob.label for name, knob in knobs(GFNConfig).items() if knob.one and name in values]:
        raise UserError(f"“{labels[0]}” is for a training on one prediction: name it with --index.")
    config = policy_config(dataset, preset, device)
    if values.get("parents", "valid") != "valid" or values.get("loss", "fm") != "fm":
        config = replace(policy_config(dataset, preset), learning=FROM_SAMPLES)
    default = policy_path(dataset, gnn, "" if preset == DEFAULT_PRESET else preset)
    path = (out or default.parent) / default.name
    explainer = GFlowExplainer(changed(config, values), device=device)
    data, checkpoint = load_dataset(dataset), Checkpoint(path.with_suffix(".training"), every=100, resume=resume)
    instances = spread(data.explainable, limit) if limit else None
    with progress_bar() as tell:

        def show(now: EpochReport) -> None:
            numbers = f"loss {now.loss:.3f}, residual {now.residual:.3f}, log R {now.log_reward:.3f}"
            tell(now.epoch / now.epochs, f"{dataset}: {numbers}")

        try:
            explainer.fit(load_model(dataset, gnn), data, instances, on_epoch=show, checkpoint=checkpoint)
        finally:  # a training that went wrong leaves its last good weights
            if explainer.trained is not None and explainer.trained.curve:
                path = written(explainer.save, path)
    checkpoint.path.unlink(missing_ok=True)
    assert explainer.trained is not None
    last = explainer.trained.curve[-1]
    return f"{dataset}: residual {last.residual:.3f}  log R {last.log_reward:.2f}  nodes {last.size:.1f}  → {path}"


def _train_on_one(dataset: str, gnn: str, index: str, values: dict[str, Any], out: Path | None) -> str:
    """Train on one prediction."""
    from gfx_core.explanation.question import Question
    from gfx_core.gfn.checkpoint import save_policy
    from gfx_core.training.session import session_of
    from gfx_core.training.training import defaults_for

    training = defaults_for(Question(dataset, index, gnn=gnn)).changed(values)
    session = session_of(training)
    with progress_bar() as tell:
        session.run(lambda session: tell(session.step_number / training.config.epochs, training.title))
    frame, trained = session.frame(), session.save()
    words = f"{training.title}: {counted(session.step_number, 'step')}, residual {frame['residual']:.3f}"
    if frame["total_variation"] is not None:
        words += f"  total variation from R/Z {frame['total_variation']:.3f}"
    if trained is not None:
        path = Path(f"{dataset}-{gnn}-{index}.safetensors")
        words += f"  → {written(partial(save_policy, trained), path, out)}"
    return words


def _train_explainer(
    dataset: str,
    device: str = "auto",
    *,
    method: str,
    gnn: str = DEFAULT_KIND,
    epochs: int | None = None,
    seed: int = 0,
    out: Path | None = None,
) -> str:
    """Train another explainer and save it.

    Args:
        dataset: the data set, or all
        device: auto, cpu or cuda
        method: an explainer that learns, such as pgexplainer or rgexplainer
        gnn: the GNN to explain
        epochs: passes over the instances (default: by method)
        seed: of weights, batches and actions
        out: another folder than assets/explainers
    """
    from gfx_core.baselines.method import Learner
    from gfx_core.baselines.registry import chosen_settings, learnt_path, make_method, method_info
    from gfx_core.gnn.checkpoint import load_model

    info = method_info(method)
    if not info.learns:
        raise UserError(f"{info.title} needs no training: use it as it is.")
    if info.name == "gflowexplainer":
        raise UserError("GFlowExplainer trains a policy: use `train policy`, which has its settings.")
    data, model = load_dataset(dataset), load_model(dataset, gnn)
    settings = chosen_settings(info.name, dataset, gnn)
    learner = make_method(info.name, model, settings, seed=seed, device=device, epochs=epochs)
    assert isinstance(learner, Learner)
    with progress_bar() as tell:
        learner.fit([data.instance(int(index), hops=model.hops) for index in data.explainable], progress=tell)
    return f"{dataset}: {info.title} → {written(learner.save, learnt_path(info.name, dataset, gnn), out)}"


def _train_student(
    dataset: str,
    device: str = "auto",
    gnn: str = gnn_name(DEFAULT_KIND, plain=True),
    seed: int = 0,
    out: Path | None = None,
) -> str:
    """Train the student that explains a GNN which never saw fragments.

    Args:
        dataset: the data set, or all
        device: auto, cpu or cuda
        gnn: the GNN to explain, such as sum-plain
        seed: of weights and fragments
        out: another folder than assets/students
    """
    from gfx_core.explanation.fragments import STUDENTS
    from gfx_core.explanation.subject import GNNSubject
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.user_models.student import StudentConfig, save_taught, teach

    subject = GNNSubject(load_model(dataset, gnn), load_dataset(dataset), device)
    config = replace(StudentConfig.of(subject.task), seed=seed)
    with progress_bar() as tell:
        student = teach(subject.teacher(), config, job=JobContext(progress=tell), device=device)
    path = STUDENTS / f"{dataset}-{gnn}-{subject.digest}.safetensors"
    path = written(partial(save_taught, student), path, out)
    return (
        f"{dataset} ({gnn}): agrees on {student.agreement:.3f}, divergence on fragments "
        f"{student.divergence:.3f} (the GNN {student.as_is:.3f}, a constant {student.constant:.3f})  → {path}"
    )


def _train_hidden_gnn(names: Sequence[str] = (), seed: int = 0, out: Path | None = None, device: str = "auto") -> None:
    """Train the hidden GNNs of the lesson “Guess the rule”.

    Args:
        names: their letters; by default all
        seed: of the weights
        out: another folder than assets/hidden_gnns
        device: auto, cpu or cuda
    """
    from gfx_core.gnn.checkpoint import save_model
    from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS, hidden_gnn_path, train_hidden_gnn

    for name in names or HIDDEN_GNNS:
        if name not in HIDDEN_GNNS:
            raise UserError(f"There is no hidden GNN “{name}”: choose from {', '.join(HIDDEN_GNNS)}.")
        model, header = train_hidden_gnn(name, choose_device(device), seed)
        path = written(partial(save_model, model, header), hidden_gnn_path(name), out)
        print(f"{name}: agrees with its rule for {header.accuracy['all']:.1%} of all graphs → {path}")


def _train_record(stories: Sequence[str] = (), out: Path | None = None, **texts: str) -> None:
    """Record the trainings that the Train page opens with.

    Args:
        stories: their names; by default all
        out: another folder than assets/trainings
        texts: Knobs of the configuration.
    """
    from gfx_core.training.live import record_stories

    for path in record_stories(stories, read_knobs(knobs(GFNConfig), texts), out):
        print(f"→ {path} ({path.stat().st_size / 1000:.0f} kB)")
