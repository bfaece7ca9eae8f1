"""The command line: ``python -m gfx_core train | bench``."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gfx_core.config import GNNKind
from gfx_core.datasets.registry import DATASETS, dataset_info, load_dataset
from gfx_core.device import choose_device
from gfx_core.errors import UserError


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


def _bench(options: argparse.Namespace) -> None:
    from importlib import import_module

    from gfx_core.bench.record import save_result

    module = import_module(f"gfx_core.bench.{BENCHMARKS[options.benchmark][0]}")
    record = module.run(device=choose_device(options.device))
    print(module.table(record))
    print(f"→ {save_result(options.benchmark, record, options.out)}")


BENCHMARKS = {
    "instances": ("instances", "time to cut an instance out of graphs of 10k, 100k and 1M nodes"),
    "predict": ("predict", "predictions of 4,096 subgraphs at once against one by one"),
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gfx_core", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    device = argparse.ArgumentParser(add_help=False)
    device.add_argument("--device", default="auto", help="auto, cpu or cuda (default: %(default)s)")

    train = commands.add_parser("train", help="train a GNN").add_subparsers(required=True, metavar="WHAT")
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

    bench = commands.add_parser("bench", help="measure, print a table, keep the record in assets/results")
    names = bench.add_subparsers(required=True, metavar="BENCHMARK", dest="benchmark")
    for name, (_, about) in BENCHMARKS.items():
        command = names.add_parser(name, parents=[device], help=about)
        command.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/results)")
        command.set_defaults(run=_bench)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the user's ends in one sentence and exit status 2."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except UserError as error:
        print(f"gfx_core: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
