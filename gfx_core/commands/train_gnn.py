"""``train gnn``: train the GNN of a data set, from several seeds, and keep the best."""

import argparse
from dataclasses import replace
from functools import partial

from gfx_core.commands.options import Commands, add_dataset, add_out, datasets, on_device, written
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import choose_device
from gfx_core.gnn.kinds import DEFAULT_KIND, KINDS


def add_train_gnn(commands: Commands) -> None:
    """The command and its options."""
    gnn = commands.add_parser(
        "gnn", parents=[on_device()], help="train the GNN of a data set and write it to assets/models"
    )
    add_dataset(gnn)
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
    add_out(gnn, "assets/models")
    gnn.set_defaults(run=_train_gnn)


def _train_gnn(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from gfx_core.gnn.model_file import PLAIN, model_path, save_model
    from gfx_core.gnn.training import Progress, best_of, default_config, train

    device = choose_device(options.device)
    for name in datasets(options.dataset):
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
        path = written(partial(save_model, model, header), path)
        for tried in header.training["tried"]:
            accuracy = "  ".join(f"{part} {value:.4f}" for part, value in tried["accuracy"].items())
            print(f"{name} ({config.kind}), seed {tried['seed']}: loss {tried['validation_loss']:.4f}  {accuracy}")
        print(f"{name} ({config.kind}): seed {header.training['config']['seed']}, the lowest validation loss  → {path}")
