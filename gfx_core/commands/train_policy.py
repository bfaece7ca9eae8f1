"""``train policy``: train the policy that explains a GNN."""

import argparse
import math
from dataclasses import replace

from gfx_core.arrays import spread
from gfx_core.commands.options import Commands, add_dataset, add_gnn, add_out, datasets, on_device, written
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import choose_device
from gfx_core.gfn.settings import DEFAULT_PRESET, REWARD_PRESETS


def add_train_policy(commands: Commands) -> None:
    """The command and its options."""
    policy = commands.add_parser(
        "policy", parents=[on_device()], help="train the policy that explains a data set's GNN"
    )
    add_dataset(policy)
    add_gnn(policy)
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
    add_out(policy, "assets/policies")
    policy.set_defaults(run=_train_policy)


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
    for name in datasets(options.dataset):
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
                    saved = written(explainer.save, path)
        path.with_suffix(".training").unlink(missing_ok=True)
        assert explainer.trained is not None
        last = explainer.trained.curve[-1]
        print(f"{name}: residual {last.residual:.3f}  log R {last.log_reward:.2f}  nodes {last.size:.1f}  → {saved}")
