"""``explain``, ``figure`` and ``traces``: one prediction explained, several as a page, and the shipped traces."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gfx_core.cli import Commands, add_dataset, add_gnn, add_out, on_device, tell
from gfx_core.config import FlowSource
from gfx_core.datasets.registry import DATASETS, sources_of
from gfx_core.device import choose_device
from gfx_core.errors import UserError

if TYPE_CHECKING:
    from gfx_core.gfn.trainer import EpochReport


def add_explain(commands: Commands) -> None:
    """The command and its options."""
    explain = commands.add_parser("explain", parents=[on_device()], help="explain one prediction and record a trace")
    add_dataset(explain, every=False)
    for way, having in _ways_to_name().items():
        where = "" if len(having) == len(DATASETS) else f" (of {', '.join(having)})"
        explain.add_argument(f"--{way}", metavar="NAME", help=f"what to explain, by {way}{where}")
    add_gnn(explain)
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


def _explain(options: argparse.Namespace) -> None:
    from gfx_core.explanation.explainer import GFlowExplainer
    from gfx_core.explanation.question import Question
    from gfx_core.gfn.own_policies import policy_path
    from gfx_core.gfn.settings import policy_config
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.text.answers import summary
    from gfx_core.trace import serialize

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
    for line in summary(trace):
        print(line)
    if options.out is not None:
        serialize.save(trace, options.out)
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
        tell(report.epoch / report.epochs, f"training on this one, residual {report.residual:.3f}")


def add_figure(commands: Commands) -> None:
    """The command and its options."""
    figure = commands.add_parser("figure", help="draw explainers side by side on molecules and sentences, as one page")
    figure.add_argument("traces", nargs="*", type=Path, metavar="TRACE", help="traces with masks (default: shipped)")
    figure.add_argument(
        "--out", type=Path, default=Path("explanations.html"), metavar="FILE", help="default: %(default)s"
    )
    figure.set_defaults(run=_figure)


def _figure(options: argparse.Namespace) -> None:
    from gfx_core.drawing.qualitative import qualitative_html, shipped
    from gfx_core.files import write_text
    from gfx_core.trace import serialize

    traces = [serialize.load(path) for path in options.traces] if options.traces else shipped()
    write_text(options.out, qualitative_html(traces))
    print(f"{len(traces)} predictions → {options.out}")


def add_traces(commands: Commands) -> None:
    """The command and its options."""
    traces = commands.add_parser("traces", parents=[on_device()], help="record the shipped traces of telling instances")
    add_out(traces, "assets/traces")
    traces.set_defaults(run=_traces)


def _traces(options: argparse.Namespace) -> None:
    from gfx_core.explanation.run import record_shipped

    for path in record_shipped(options.out, choose_device(options.device)):
        print(f"→ {path}")
