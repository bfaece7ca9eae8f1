"""``explain``, ``figure`` and ``traces``: one prediction explained, several as a page, and the shipped traces."""

import argparse
from pathlib import Path

from gfx_core.cli import Commands, add_dataset, add_gnn, add_out, on_device
from gfx_core.datasets.registry import DATASETS, sources_of
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.explanation.question import options as question_options
from gfx_core.job_context import JobContext, progress_bar


def add_explain(commands: Commands) -> None:
    """The command and its options."""
    explain = commands.add_parser("explain", parents=[on_device()], help="explain one prediction and record a trace")
    add_dataset(explain, every=False)
    for way, having in _ways_to_name().items():
        where = "" if len(having) == len(DATASETS) else f" (of {', '.join(having)})"
        explain.add_argument(f"--{way}", metavar="NAME", help=f"what to explain, by {way}{where}")
    add_gnn(explain)
    explain.add_argument("--policy", type=Path, metavar="FILE", help="another policy than the shipped one")
    for name, option in question_options().items():
        if name == "own":  # named by its file
            continue
        if option.kind is bool:
            explain.add_argument(f"--{option.link}", dest=name, action="store_const", const="1", help=option.about)
        else:
            explain.add_argument(f"--{option.link}", dest=name, metavar=option.link.upper(), help=option.about)
    explain.add_argument("--out", type=Path, metavar="FILE", help="where to write the trace, as JSON")
    explain.set_defaults(run=_explain)


def _explain(options: argparse.Namespace) -> None:
    from gfx_core.explanation.run import explain
    from gfx_core.gfn.own_policies import keep_policy
    from gfx_core.text.answers import summary
    from gfx_core.trace import serialize

    named = {name: getattr(options, name) for name in _ways_to_name() if getattr(options, name) is not None}
    if len(named) != 1:
        ways = " or ".join(f"--{name}" for name in sources_of(options.dataset))
        raise UserError(f"Say what to explain, in one way: {ways}.")
    ((source, name),) = named.items()
    texts = {name: getattr(options, name, None) for name in question_options()}
    how = {name: question_options()[name].read(text) for name, text in texts.items() if text is not None}
    if options.policy is not None:
        try:
            how["own"] = keep_policy(options.policy.read_bytes(), options.dataset).name
        except OSError as error:
            raise UserError(f"There is no file {options.policy} that can be read ({error.strerror}).") from error
    question = Question(options.dataset, name, source, options.gnn, **how)
    with progress_bar() as tell:
        trace = explain(question, JobContext(choose_device(options.device), tell))
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
    from gfx_core.explanation.masks import record_shipped

    for path in record_shipped(options.out, choose_device(options.device)):
        print(f"→ {path}")
