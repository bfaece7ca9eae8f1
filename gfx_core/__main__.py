"""The command line: ``python -m gfx_core train | explain | bench``."""

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gfx_core.arrays import spread
from gfx_core.bench.command import add_bench
from gfx_core.config import FlowSource
from gfx_core.datasets.registry import DATASETS, dataset_info, load_dataset, sources_of
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.gfn.settings import DEFAULT_PRESET, REWARD_PRESETS
from gfx_core.gnn.kinds import DEFAULT_KIND, KINDS

if TYPE_CHECKING:
    from gfx_core.gfn.reports import EpochReport


def _datasets(asked: str) -> list[str]:
    return list(DATASETS) if asked == "all" else [dataset_info(asked).name]


def _train_gnn(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from gfx_core.gnn.model_file import PLAIN, model_path, save_model
    from gfx_core.gnn.training import Progress, best_of, default_config, train

    device = choose_device(options.device)
    for name in _datasets(options.dataset):
        keys = ("hidden", "num_layers", "epochs", "patience", "lr", "weight_decay", "seed", "fragments")
        given = {key: getattr(options, key) for key in (*keys, "fragment_nodes", "fragment_weight")}
        plain = options.fragments == 0
        config = default_config(name, options.kind, plain=plain)
        config = replace(config, **{key: value for key, value in given.items() if value is not None})
        dataset, trained = load_dataset(name), []
        for seed in range(config.seed, config.seed + (1 if plain and not options.seeds else options.seeds or 3)):
            with tqdm(total=config.epochs, desc=f"{name}, seed {seed}", unit="epoch", disable=None) as bar:

                def show(progress: Progress, bar: tqdm = bar) -> None:
                    bar.set_postfix(
                        loss=f"{progress.loss:.4f}",
                        validation=f"{progress.validation_loss:.4f}",
                        accuracy=f"{progress.validation_accuracy:.3f}",
                        refresh=False,
                    )
                    bar.update()

                trained.append(train(dataset, replace(config, seed=seed), device, show))
        model, header = best_of(trained)
        default = model_path(name, config.kind, PLAIN if plain else "")
        path = (options.out or default.parent) / default.name
        path = _written(partial(save_model, model, header), path)
        for tried in header.training["tried"]:
            accuracy = "  ".join(f"{part} {value:.4f}" for part, value in tried["accuracy"].items())
            print(f"{name} ({config.kind}), seed {tried['seed']}: loss {tried['validation_loss']:.4f}  {accuracy}")
        print(f"{name} ({config.kind}): seed {header.training['config']['seed']}, the lowest validation loss  → {path}")


def _written(write: Callable[[Path], None], path: Path) -> Path:
    """Where something is that took long to make: where it belongs or, if that cannot be, where temporary files are."""
    from gfx_core.files import UnwrittenError

    try:
        write(path)
    except UnwrittenError as error:
        elsewhere = Path(tempfile.gettempdir()) / path.name
        write(elsewhere)
        print(f"{error} It is in {elsewhere} instead.", file=sys.stderr)
        return elsewhere
    return path


def _train_policy(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from gfx_core.explainers.gflow import GFlowExplainer
    from gfx_core.gfn.paths import policy_path
    from gfx_core.gfn.policy_file import Checkpoint
    from gfx_core.gfn.presets import policy_config
    from gfx_core.gfn.reports import EpochReport
    from gfx_core.gfn.settings import Loss, Parents, Stop
    from gfx_core.gnn.model_file import load_model

    device = choose_device(options.device)
    for name in _datasets(options.dataset):
        config = policy_config(name, options.preset, device)
        if options.parents not in (None, "valid") or options.loss not in (None, "fm"):
            config = policy_config(name, options.preset).sampled
        given = ("epochs", "batch_size", "lr", "epsilon", "max_nodes", "seed")
        config = config.with_options(**{key: getattr(options, key) for key in given})
        config = config.with_options(
            loss=options.loss and Loss(options.loss),
            parents=options.parents and Parents(options.parents),
            stop=options.stop and Stop(options.stop),
            reward=options.beta and replace(config.reward, beta=options.beta),
        )
        if options.delta is not None:
            config = replace(config, delta=None if math.isinf(options.delta) else options.delta)
        default = policy_path(name, options.gnn, "" if options.preset == DEFAULT_PRESET else options.preset)
        path = (options.out or default.parent) / default.name
        explainer = GFlowExplainer(config, device=device)
        with tqdm(total=config.epochs, desc=name, unit="epoch", disable=None) as bar:

            def show(report: EpochReport, bar: tqdm = bar) -> None:
                values = {"loss": report.loss, "residual": report.residual, "log R": report.log_reward}
                bar.set_postfix({key: f"{value:.3f}" for key, value in values.items()}, refresh=False)
                bar.update(report.epoch - bar.n)

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
                    saved = _written(explainer.save, path)
        path.with_suffix(".training").unlink(missing_ok=True)
        assert explainer.trained is not None
        last = explainer.trained.curve[-1]
        print(f"{name}: residual {last.residual:.3f}  log R {last.log_reward:.2f}  nodes {last.size:.1f}  → {saved}")


def _train_explainer(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from gfx_core.explainers.method import Learner
    from gfx_core.explainers.registry import chosen_settings, learnt_path, make_method, method_info
    from gfx_core.gnn.model_file import load_model

    info = method_info(options.method)
    if not info.learns:
        raise UserError(f"{info.title} learns nothing beforehand: use it as it is.")
    if info.name == "gflowexplainer":
        raise UserError("GFlowExplainer learns a policy: use `train policy`, which has its settings.")
    for name in _datasets(options.dataset):
        data, model = load_dataset(name), load_model(name, options.gnn)
        device = choose_device(options.device)
        settings = chosen_settings(info.name, name, options.gnn)
        method = make_method(info.name, model, settings, seed=options.seed, device=device, epochs=options.epochs)
        assert isinstance(method, Learner)
        default = learnt_path(info.name, name, options.gnn)
        path = (options.out or default.parent) / default.name
        with tqdm(total=100, desc=f"{info.title}, {name}", unit="%", disable=None) as bar:

            def show(share: float, what: str, bar: tqdm = bar) -> None:
                bar.set_postfix_str(what, refresh=False)
                bar.update(100 * share - bar.n)

            method.fit([data.instance(int(index), hops=model.hops) for index in data.explainable], progress=show)
        path = _written(method.save, path)
        print(f"{name}: {info.title} → {path}")


def _train_settings(options: argparse.Namespace) -> None:
    from gfx_core.explainers.choosing import TRIED, choose_all
    from gfx_core.explainers.kept_settings import keep_settings
    from gfx_core.explainers.registry import method_info, settings_path
    from gfx_core.gnn.model_file import load_model

    methods = [method_info(name).name for name in options.methods or TRIED]
    device = choose_device(options.device)
    for name in _datasets(options.dataset):
        data, model = load_dataset(name), load_model(name, options.gnn)

        def tell(words: str, name: str = name) -> None:
            print(f"{name}: {words}", flush=True)

        chosen = choose_all(data, model, methods, device=device, tell=tell)
        default = settings_path(name, options.gnn)
        path = (options.out or default.parent) / default.name
        keep_settings(path, chosen, device)
        for method, found in chosen.items():
            print(f"{name}: {method} is given {found['chosen'] or 'its usual settings'}  → {path}")


def _train_record(options: argparse.Namespace) -> None:
    from gfx_core.training.record import record_shipped

    for path in record_shipped(options.stories, options.out):
        print(f"→ {path} ({path.stat().st_size / 1000:.0f} kB)")


def _explain(options: argparse.Namespace) -> None:
    from gfx_core.explainers.gflow import GFlowExplainer
    from gfx_core.gfn.paths import policy_path
    from gfx_core.gfn.presets import policy_config
    from gfx_core.gnn.model_file import load_model
    from gfx_core.question import Question
    from gfx_core.trace import io
    from gfx_core.trace.told import told

    device = choose_device(options.device)
    named = {name: getattr(options, name) for name in _ways_to_name() if getattr(options, name) is not None}
    if len(named) != 1:
        ways = " or ".join(f"--{name}" for name in sources_of(options.dataset))
        raise UserError(f"Say what to explain, in one way: {ways}.")
    ((source, name),) = named.items()
    how = {"samples": options.samples, "seed": options.seed}
    question = Question(options.dataset, name, source, options.gnn, flows=options.flows, **how)
    path = options.policy or policy_path(question.dataset, question.gnn)
    if question.flows is FlowSource.EXACT and options.policy is None and not path.is_file():  # none is needed
        explainer = GFlowExplainer.exact(policy_config(question.dataset), device=device, **how)
    else:
        explainer = GFlowExplainer.load(path, device=device, **how)
    model = load_model(question.dataset, question.gnn)
    instance = question.instance(model.hops)
    if options.tune:
        explainer = explainer.tune(model, instance, on_epoch=_tell_epoch)
    trace = explainer.trace(model, instance, choice=options.choice, start=options.start, flows=question.flows)
    for line in told(trace):
        print(line)
    if options.out is not None:
        io.save(trace, options.out)
        print(f"→ {options.out}")


def _ways_to_name() -> dict[str, list[str]]:
    """How an instance can be named, and the data sets that know that way."""
    ways: dict[str, list[str]] = {}
    for dataset in DATASETS:
        for source in sources_of(dataset):
            ways.setdefault(source, []).append(dataset)
    return ways


def _tell_epoch(report: "EpochReport") -> None:
    if report.epoch % 25 == 0:
        _tell(report.epoch / report.epochs, f"training on this one, residual {report.residual:.3f}")


def _traces(options: argparse.Namespace) -> None:
    from gfx_core.explainers.shipped_traces import record_shipped

    for path in record_shipped(options.out, choose_device(options.device)):
        print(f"→ {path}")


def _figure(options: argparse.Namespace) -> None:
    from gfx_core.drawing.qualitative import COLUMNS, qualitative_html, shipped
    from gfx_core.files import write_text
    from gfx_core.trace import io

    traces = [io.load(path) for path in options.traces] if options.traces else shipped()
    write_text(options.out, qualitative_html(traces, options.methods or COLUMNS, options.edges))
    print(f"{len(traces)} predictions → {options.out}")


def _tell(share: float, what: str) -> None:
    print(f"{share:4.0%}  {what}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gfx_core", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    device = argparse.ArgumentParser(add_help=False)
    device.add_argument("--device", default="auto", help="auto, cpu or cuda (default: %(default)s)")

    train = commands.add_parser("train", help="train a GNN or a policy").add_subparsers(required=True, metavar="WHAT")
    gnn = train.add_parser("gnn", parents=[device], help="train the GNN of a data set and write it to assets/models")
    gnn.add_argument("--dataset", required=True, metavar="NAME", help=f"all, or one of: {', '.join(DATASETS)}")
    gnn.add_argument("--kind", default=DEFAULT_KIND, choices=list(KINDS), help="convolution (default: %(default)s)")
    gnn.add_argument(
        "--seed", type=int, help="of the weights, the batches and the fragments; the first one (default: 0)"
    )
    gnn.add_argument(
        "--seeds", type=int, metavar="N", help="try so many and keep the lowest validation loss (default: 3; plain: 1)"
    )
    gnn.add_argument(
        "--fragments",
        type=int,
        metavar="N",
        help="random fragments in a step (default: by data set); 0: whole graphs only",
    )
    gnn.add_argument("--fragment-nodes", type=int, metavar="K", help="the most nodes of a fragment")
    gnn.add_argument(
        "--fragment-weight", type=float, metavar="W", help="of the fragments' loss beside the whole graphs'"
    )
    gnn.add_argument("--epochs", type=int, help="at most this many (default: by data set)")
    gnn.add_argument("--patience", type=int, help="stop after this many epochs without a better validation loss")
    gnn.add_argument("--lr", type=float, help="Adam's learning rate")
    gnn.add_argument("--weight-decay", type=float, help="L2 penalty")
    gnn.add_argument("--hidden", type=int, help="width of each convolution")
    gnn.add_argument("--layers", type=int, dest="num_layers", metavar="N", help="convolutions (default: 3)")
    gnn.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/models)")
    gnn.set_defaults(run=_train_gnn)

    policy = train.add_parser("policy", parents=[device], help="train the policy that explains a data set's GNN")
    policy.add_argument("--dataset", required=True, metavar="NAME", help=f"all, or one of: {', '.join(DATASETS)}")
    policy.add_argument("--gnn", default=DEFAULT_KIND, choices=list(KINDS), help="GNN to explain")
    policy.add_argument(
        "--preset", default=DEFAULT_PRESET, help=f"reward: {', '.join(REWARD_PRESETS)} (default: %(default)s)"
    )
    policy.add_argument("--beta", type=float, help="reward exponent (default: by preset)")
    policy.add_argument("--max-nodes", type=int, metavar="K_M", help="most nodes of a subgraph (default: by preset)")
    policy.add_argument("--loss", choices=["fm", "fm-linear", "tb", "tb-conditional"], help="default: fm")
    policy.add_argument("--parents", choices=["valid", "sequence", "graph"], help="default: valid")
    policy.add_argument("--stop", choices=["reward", "learned"], help="where STOP's flow comes from (default: reward)")
    policy.add_argument("--epsilon", type=float, help="share of actions drawn uniformly (default: 0.1)")
    policy.add_argument(
        "--delta",
        type=float,
        help="flows below exp(-DELTA) times the best reward need not match (default: 30 in node tasks, inf in others)",
    )
    policy.add_argument("--limit", type=int, metavar="N", help="train on so many instances, evenly spread")
    policy.add_argument("--epochs", type=int, help="passes over the instances (default: by preset)")
    policy.add_argument("--batch-size", type=int, help="trajectories sampled in lockstep (default: by task)")
    policy.add_argument("--lr", type=float, help="Adam's learning rate (default: 0.01)")
    policy.add_argument("--seed", type=int, help="of weights, batches and actions (default: 0)")
    policy.add_argument("--resume", action="store_true", help="go on with a training that was stopped")
    policy.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/policies)")
    policy.set_defaults(run=_train_policy)

    others = train.add_parser("explainer", parents=[device], help="train another explainer that learns, and keep it")
    others.add_argument("--method", required=True, metavar="NAME", help="pgexplainer, rgexplainer or rgexplainer_plain")
    others.add_argument("--dataset", required=True, metavar="NAME", help=f"all, or one of: {', '.join(DATASETS)}")
    others.add_argument("--gnn", default=DEFAULT_KIND, choices=list(KINDS), help="GNN to explain")
    others.add_argument("--epochs", type=int, help="passes over the instances (default: by method)")
    others.add_argument("--seed", type=int, default=0, help="of weights, batches and actions (default: %(default)s)")
    others.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/explainers)")
    others.set_defaults(run=_train_explainer)

    settings = train.add_parser(
        "settings",
        parents=[device],
        help="choose the other explainers' settings on the tuning half, by their own losses",
    )
    settings.add_argument("--dataset", required=True, metavar="NAME", help=f"all, or one of: {', '.join(DATASETS)}")
    settings.add_argument("--gnn", default=DEFAULT_KIND, choices=list(KINDS), help="GNN to explain")
    settings.add_argument("--methods", nargs="+", metavar="NAME", help="default: all that have settings to choose")
    settings.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/explainers)")
    settings.set_defaults(run=_train_settings)

    record = train.add_parser("record", help="record the trainings that the Train page shows at once")
    record.add_argument("stories", nargs="*", metavar="STORY", help="default: all that are shipped")
    record.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/trainings)")
    record.set_defaults(run=_train_record)

    explain = commands.add_parser("explain", parents=[device], help="explain one prediction and record a trace")
    explain.add_argument("--dataset", required=True, metavar="NAME", help=f"one of: {', '.join(DATASETS)}")
    for way, having in _ways_to_name().items():
        where = "" if len(having) == len(DATASETS) else f" (of {', '.join(having)})"
        explain.add_argument(f"--{way}", metavar="NAME", help=f"what to explain, by {way}{where}")
    explain.add_argument("--gnn", default=DEFAULT_KIND, choices=list(KINDS), help="GNN to explain")
    explain.add_argument("--policy", type=Path, metavar="FILE", help="another policy than the shipped one")
    explain.add_argument(
        "--flows",
        default=str(FlowSource.LEARNED),
        choices=[str(source) for source in FlowSource],
        help="learned: the policy's; exact: from the list of all connected subgraphs, where there are few enough; "
        "needs no policy (default: %(default)s)",
    )
    explain.add_argument(
        "--start",
        type=int,
        metavar="NODE",
        help="node of the graph to start from, in a graph task (default: by locator)",
    )
    explain.add_argument("--tune", action="store_true", help="first train the policy further on this one alone")
    explain.add_argument("--samples", type=int, default=64, help="subgraphs to draw (default: %(default)s)")
    explain.add_argument(
        "--choice",
        default="answer",
        help="shown in full: answer (a draw that ends in the answer or near to it; default), best, sample or greedy",
    )
    explain.add_argument("--seed", type=int, default=0, metavar="S", help="of what is drawn (default: %(default)s)")
    explain.add_argument("--out", type=Path, metavar="FILE", help="where to write the trace, as JSON")
    explain.set_defaults(run=_explain)

    traces = commands.add_parser("traces", parents=[device], help="record the shipped traces of telling instances")
    traces.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/traces)")
    traces.set_defaults(run=_traces)

    figure = commands.add_parser("figure", help="draw explainers side by side on molecules and sentences, as one page")
    figure.add_argument("traces", nargs="*", type=Path, metavar="TRACE", help="traces with masks (default: shipped)")
    figure.add_argument("--methods", nargs="+", metavar="NAME", help="explainers, one column each")
    figure.add_argument("--edges", type=int, metavar="K", help="edges each keeps (default: as the motif or the answer)")
    figure.add_argument(
        "--out", type=Path, default=Path("explanations.html"), metavar="FILE", help="default: %(default)s"
    )
    figure.set_defaults(run=_figure)

    bench = commands.add_parser("bench", help="measure, print a table, keep the record in assets/results")
    add_bench(bench)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the user's ends in one sentence and exit status 2."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except UserError as error:
        print(f"gfx_core: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
