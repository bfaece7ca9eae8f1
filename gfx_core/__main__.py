"""The command line: ``python -m gfx_core train | explain | bench``."""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING

from gfx_core.bench.studies import STUDIES, add_study, run_study
from gfx_core.config import GNNKind
from gfx_core.datasets.registry import DATASETS, dataset_info, load_dataset
from gfx_core.device import choose_device
from gfx_core.errors import UserError

if TYPE_CHECKING:
    from gfx_core.gfn.trainer import EpochReport


def _train_gnn(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from gfx_core.gnn.checkpoint import model_path, save_model
    from gfx_core.gnn.training import Progress, default_config, train

    device = choose_device(options.device)
    names = list(DATASETS) if options.dataset == "all" else [dataset_info(options.dataset).name]
    for name in names:
        given = {key: getattr(options, key) for key in ("hidden", "epochs", "patience", "lr", "weight_decay", "seed")}
        config = replace(
            default_config(name),
            kind=GNNKind(options.kind),
            **{key: value for key, value in given.items() if value is not None},
        )
        dataset = load_dataset(name)
        with tqdm(total=config.epochs, desc=name, unit="epoch", disable=None) as bar:

            def show(progress: Progress, bar: tqdm = bar) -> None:
                bar.set_postfix(
                    loss=f"{progress.loss:.4f}",
                    validation=f"{progress.validation_loss:.4f}",
                    accuracy=f"{progress.validation_accuracy:.3f}",
                    refresh=False,
                )
                bar.update()

            model, header = train(dataset, config, device, show)
        path = (options.out or model_path(name, config.kind).parent) / model_path(name, config.kind).name
        save_model(model, header, path)
        accuracy = "  ".join(f"{part} {value:.4f}" for part, value in header.accuracy.items())
        print(f"{name} ({config.kind}): {accuracy}  → {path}")


def _train_policy(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from gfx_core.explainers.gflow import GFlowExplainer
    from gfx_core.gfn.checkpoint import Checkpoint
    from gfx_core.gfn.config import Loss, Parents, Stop
    from gfx_core.gfn.paths import policy_path
    from gfx_core.gfn.presets import policy_config
    from gfx_core.gfn.trainer import EpochReport
    from gfx_core.gnn.checkpoint import load_model

    device = choose_device(options.device)
    names = list(DATASETS) if options.dataset == "all" else [dataset_info(options.dataset).name]
    for name in names:
        config = policy_config(name, options.preset)
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
        default = policy_path(name, options.gnn, "" if options.preset == "sharp" else options.preset)
        path = (options.out or default.parent) / default.name
        explainer = GFlowExplainer(config, device=device)
        with tqdm(total=config.epochs, desc=name, unit="epoch", disable=None) as bar:

            def show(report: EpochReport, bar: tqdm = bar) -> None:
                values = {"loss": report.loss, "residual": report.residual, "log R": report.log_reward}
                bar.set_postfix({key: f"{value:.3f}" for key, value in values.items()}, refresh=False)
                bar.update(report.epoch - bar.n)

            try:
                explainer.fit(
                    load_model(name, options.gnn),
                    load_dataset(name),
                    on_epoch=show,
                    checkpoint=Checkpoint(path.with_suffix(".training"), every=100, resume=options.resume),
                )
            finally:  # a training that went wrong leaves its last good weights
                if explainer.trained is not None and explainer.trained.curve:
                    explainer.save(path)
        path.with_suffix(".training").unlink(missing_ok=True)
        assert explainer.trained is not None
        last = explainer.trained.curve[-1]
        print(f"{name}: residual {last.residual:.3f}  log R {last.log_reward:.2f}  nodes {last.size:.1f}  → {path}")


def _train_explainer(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from gfx_core.explainers.method import Learner
    from gfx_core.explainers.registry import learnt_path, make_method, method_info
    from gfx_core.gnn.checkpoint import load_model

    info = method_info(options.method)
    if not info.learns:
        raise UserError(f"{info.title} learns nothing beforehand: use it as it is.")
    if info.name == "gflowexplainer":
        raise UserError("GFlowExplainer learns a policy: use `train policy`, which has its settings.")
    names = list(DATASETS) if options.dataset == "all" else [dataset_info(options.dataset).name]
    for name in names:
        data, model = load_dataset(name), load_model(name, options.gnn)
        device = choose_device(options.device)
        method = make_method(info.name, model, seed=options.seed, device=device, epochs=options.epochs)
        assert isinstance(method, Learner)
        default = learnt_path(info.name, name, options.gnn)
        path = (options.out or default.parent) / default.name
        with tqdm(total=100, desc=f"{info.title}, {name}", unit="%", disable=None) as bar:

            def show(share: float, what: str, bar: tqdm = bar) -> None:
                bar.set_postfix_str(what, refresh=False)
                bar.update(100 * share - bar.n)

            method.fit([data.instance(int(index)) for index in data.explainable], progress=show)
        method.save(path)
        print(f"{name}: {info.title} → {path}")


def _explain(options: argparse.Namespace) -> None:
    from gfx_core.explainers.gflow import GFlowExplainer
    from gfx_core.gfn.paths import policy_path
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.trace import io

    device = choose_device(options.device)
    if (options.index is None) == (options.smiles is None):
        raise UserError("Say what to explain: either --index, or --smiles with --dataset mutagenicity.")
    if options.smiles is not None and dataset_info(options.dataset).name != "mutagenicity":
        raise UserError("--smiles goes with --dataset mutagenicity: the other GNNs know no atoms.")
    path = options.policy or policy_path(options.dataset, options.gnn)
    explainer = GFlowExplainer.load(path, samples=options.samples, seed=options.seed, device=device)
    model = load_model(options.dataset, options.gnn)
    if options.smiles is not None:
        from gfx_core.datasets.smiles import molecule

        instance = molecule(options.smiles)
    else:
        instance = load_dataset(options.dataset).instance(options.index)
    if options.tune:
        explainer = explainer.tune(model, instance, on_epoch=_tell_epoch)
    trace = explainer.explain(model, instance, choice=options.choice)
    final = trace.final
    print(f"{trace.dataset_title} {trace.index}: {trace.classes[trace.prediction.predicted]}")
    print(f"subgraph: {', '.join(trace.nodes[node].label for node in final.nodes)}  log R {final.log_reward:.3f}")
    print(f"motif edges found {len(trace.hits)}, missed {len(trace.missed)}, extra {len(trace.extra)}")
    if options.out is not None:
        io.save(trace, options.out)
        print(f"→ {options.out}")


def _tell_epoch(report: "EpochReport") -> None:
    if report.epoch % 25 == 0:
        _tell(report.epoch / report.epochs, f"training on this one, residual {report.residual:.3f}")


def _traces(options: argparse.Namespace) -> None:
    from gfx_core.explainers.shipped_traces import record_shipped

    for path in record_shipped(options.out, choose_device(options.device)):
        print(f"→ {path}")


def _tell(share: float, what: str) -> None:
    print(f"{share:4.0%}  {what}", file=sys.stderr, flush=True)


def _bench(options: argparse.Namespace) -> None:
    from importlib import import_module

    from gfx_core.bench.record import save_result

    module = import_module(f"gfx_core.bench.{BENCHMARKS[options.benchmark][0]}")
    device = choose_device(options.device)
    if "progress" in signature(module.run).parameters:
        record = module.run(device=device, progress=_tell)
    else:
        record = module.run(device=device)
    print(module.table(record))
    name = f"speed-{device}" if options.benchmark == "speed" else options.benchmark  # times of several devices are kept
    print(f"→ {save_result(name, record, options.out)}")
    if options.figure is not None:
        if not hasattr(module, "figure"):
            raise UserError(f"The benchmark {options.benchmark} draws no figure.")
        module.figure(record).write_html(options.figure, include_plotlyjs=True)
        print(f"→ {options.figure}")


def _results(options: argparse.Namespace) -> None:
    from gfx_core.bench.results import write_results

    print(f"→ {write_results(options.out)}")


def _study(options: argparse.Namespace) -> int:
    return run_study(options.benchmark, options)


BENCHMARKS = {
    "instances": ("instances", "time to cut an instance out of graphs of 10k, 100k and 1M nodes"),
    "predict": ("predict", "predictions of 4,096 subgraphs at once against one by one"),
    "cut_vertices": ("cut_vertices", "time to know the cut vertices of growing subgraphs, against Tarjan's search"),
    "exact": ("exact", "how far the sampled distribution is from R/Z: tabular, network, amortised, ablations"),
    "speed": ("speed", "what batching and incremental parents buy, epoch and explanation times, large graphs"),
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gfx_core", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    device = argparse.ArgumentParser(add_help=False)
    device.add_argument("--device", default="auto", help="auto, cpu or cuda (default: %(default)s)")

    train = commands.add_parser("train", help="train a GNN or a policy").add_subparsers(required=True, metavar="WHAT")
    gnn = train.add_parser("gnn", parents=[device], help="train the GNN of a data set and write it to assets/models")
    gnn.add_argument("--dataset", required=True, metavar="NAME", help=f"all, or one of: {', '.join(DATASETS)}")
    gnn.add_argument("--kind", default=GNNKind.SUM, choices=list(GNNKind), help="convolution (default: %(default)s)")
    gnn.add_argument("--seed", type=int, help="of the split, the weights and the batches (default: 0)")
    gnn.add_argument("--epochs", type=int, help="at most this many (default: by data set)")
    gnn.add_argument("--patience", type=int, help="stop after this many epochs without a better validation loss")
    gnn.add_argument("--lr", type=float, help="Adam's learning rate")
    gnn.add_argument("--weight-decay", type=float, help="L2 penalty")
    gnn.add_argument("--hidden", type=int, help="width of each convolution")
    gnn.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/models)")
    gnn.set_defaults(run=_train_gnn)

    policy = train.add_parser("policy", parents=[device], help="train the policy that explains a data set's GNN")
    policy.add_argument("--dataset", required=True, metavar="NAME", help=f"all, or one of: {', '.join(DATASETS)}")
    policy.add_argument("--gnn", default=GNNKind.SUM, choices=list(GNNKind), help="GNN to explain")
    policy.add_argument("--preset", default="sharp", help="reward preset: sharp or paper (default: %(default)s)")
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
    policy.add_argument("--epochs", type=int, help="passes over the instances (default: 1000)")
    policy.add_argument("--batch-size", type=int, help="trajectories sampled in lockstep (default: by task)")
    policy.add_argument("--lr", type=float, help="Adam's learning rate (default: 0.01)")
    policy.add_argument("--seed", type=int, help="of weights, batches and actions (default: 0)")
    policy.add_argument("--resume", action="store_true", help="go on with a training that was stopped")
    policy.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/policies)")
    policy.set_defaults(run=_train_policy)

    others = train.add_parser("explainer", parents=[device], help="train another explainer that learns, and keep it")
    others.add_argument("--method", required=True, metavar="NAME", help="pgexplainer, rgexplainer or rgexplainer_plain")
    others.add_argument("--dataset", required=True, metavar="NAME", help=f"all, or one of: {', '.join(DATASETS)}")
    others.add_argument("--gnn", default=GNNKind.SUM, choices=list(GNNKind), help="GNN to explain")
    others.add_argument("--epochs", type=int, help="passes over the instances (default: by method)")
    others.add_argument("--seed", type=int, default=0, help="of weights, batches and actions (default: %(default)s)")
    others.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/explainers)")
    others.set_defaults(run=_train_explainer)

    explain = commands.add_parser("explain", parents=[device], help="explain one prediction and record a trace")
    explain.add_argument("--dataset", required=True, metavar="NAME", help=f"one of: {', '.join(DATASETS)}")
    explain.add_argument("--index", type=int, metavar="I", help="the node or graph")
    explain.add_argument("--smiles", help="a molecule instead (with --dataset mutagenicity)")
    explain.add_argument("--gnn", default=GNNKind.SUM, choices=list(GNNKind), help="GNN to explain")
    explain.add_argument("--policy", type=Path, metavar="FILE", help="another policy than the shipped one")
    explain.add_argument("--tune", action="store_true", help="first train the policy further on this one alone")
    explain.add_argument("--samples", type=int, default=64, help="subgraphs to draw (default: %(default)s)")
    explain.add_argument("--choice", default="sample", help="shown in full: sample (default), greedy or best")
    explain.add_argument("--seed", type=int, default=0, metavar="S", help="of what is drawn (default: %(default)s)")
    explain.add_argument("--out", type=Path, metavar="FILE", help="where to write the trace, as JSON")
    explain.set_defaults(run=_explain)

    traces = commands.add_parser("traces", parents=[device], help="record the shipped traces of telling instances")
    traces.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/traces)")
    traces.set_defaults(run=_traces)

    bench = commands.add_parser("bench", help="measure, print a table, keep the record in assets/results")
    names = bench.add_subparsers(required=True, metavar="BENCHMARK", dest="benchmark")
    for name, (_, about) in BENCHMARKS.items():
        command = names.add_parser(name, parents=[device], help=about)
        command.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/results)")
        command.add_argument(
            "--figure", type=Path, metavar="FILE", help="draw the record into an HTML file, if it can be"
        )
        command.set_defaults(run=_bench)
    results = names.add_parser("results", help="write RESULTS.md from the records of all studies")
    results.add_argument("--out", type=Path, metavar="FOLDER", help="where the records are (default: assets/results)")
    results.set_defaults(run=_results)
    for name, (_, about) in STUDIES.items():
        command = names.add_parser(name, parents=[device], help=about)
        add_study(command)
        command.set_defaults(run=_study)
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
