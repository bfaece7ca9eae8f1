"""``train explainer | settings``: what other explainers learn, and the settings that suit them."""

import argparse

from gfx_core.commands.options import Commands, add_dataset, add_gnn, add_out, datasets, on_device, written
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import choose_device
from gfx_core.errors import UserError


def add_train_others(commands: Commands) -> None:
    """Both commands and their options."""
    others = commands.add_parser(
        "explainer", parents=[on_device()], help="train another explainer that learns, and keep it"
    )
    others.add_argument("--method", required=True, metavar="NAME", help="pgexplainer, rgexplainer or rgexplainer_plain")
    add_dataset(others)
    add_gnn(others)
    others.add_argument("--epochs", type=int, help="passes over the instances (default: by method)")
    others.add_argument("--seed", type=int, default=0, help="of weights, batches and actions (default: %(default)s)")
    add_out(others, "assets/explainers")
    others.set_defaults(run=_train_explainer)

    settings = commands.add_parser(
        "settings",
        parents=[on_device()],
        help="choose the other explainers' settings on the tuning half, by their own losses",
    )
    add_dataset(settings)
    add_gnn(settings)
    settings.add_argument("--methods", nargs="+", metavar="NAME", help="default: all that have settings to choose")
    add_out(settings, "assets/explainers")
    settings.set_defaults(run=_train_settings)


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
    for name in datasets(options.dataset):
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
        path = written(method.save, path)
        print(f"{name}: {info.title} → {path}")


def _train_settings(options: argparse.Namespace) -> None:
    from gfx_core.explainers.choosing import TRIED, choose_all
    from gfx_core.explainers.kept_settings import keep_settings
    from gfx_core.explainers.registry import method_info, settings_path
    from gfx_core.gnn.model_file import load_model

    methods = [method_info(name).name for name in options.methods or TRIED]
    device = choose_device(options.device)
    for name in datasets(options.dataset):
        data, model = load_dataset(name), load_model(name, options.gnn)

        def tell(words: str, name: str = name) -> None:
            print(f"{name}: {words}", flush=True)

        chosen = choose_all(data, model, methods, device=device, tell=tell)
        default = settings_path(name, options.gnn)
        path = (options.out or default.parent) / default.name
        keep_settings(path, chosen, device)
        for method, found in chosen.items():
            print(f"{name}: {method} is given {found['chosen'] or 'its usual settings'}  → {path}")
