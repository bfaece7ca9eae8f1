"""``explain``, ``flip``, ``rules``: predictions explained or changed; ``traces``, ``figure``, ``site``: shown."""

import argparse
import sys
from pathlib import Path
from typing import Any

from gfx_core.cli import Commands, add_dataset, add_gnn, add_out, add_workers, on_device
from gfx_core.datasets.registry import DATASETS, dataset_info, load_dataset, sources_of
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.explanation.many import NamedQuestions, explain_all
from gfx_core.explanation.question import Question
from gfx_core.explanation.question import options as question_options
from gfx_core.explanation.rules import LIMIT, find_rules, rules_path
from gfx_core.job_context import JobContext, progress_bar
from gfx_core.parallel import Workers
from gfx_core.text.numbers import counted


def add_explaining(commands: Commands) -> None:
    """The commands of this file."""
    explain = commands.add_parser("explain", parents=[on_device()], help="explain one prediction, or all in a table")
    _add_names(explain)
    explain.add_argument("--all", action="store_true", help="explain all predictions, one row of a table each")
    explain.add_argument("--limit", type=int, metavar="N", help="only the first N")
    add_workers(explain)
    explain.add_argument("--policy", type=Path, metavar="FILE", help="another policy than the shipped one")
    for name, option in question_options().items():
        if name == "own":  # named by its file
            continue
        if option.kind is bool:
            explain.add_argument(f"--{option.link}", dest=name, action="store_const", const="1", help=option.help)
        else:
            explain.add_argument(f"--{option.link}", dest=name, metavar=option.link.upper(), help=option.help)
    explain.add_argument("--out", type=Path, metavar="FILE", help="where to write: the trace as JSON, a table as CSV")
    explain.set_defaults(run=_explain)

    flip = commands.add_parser("flip", help="find a smallest change of a graph that changes the prediction")
    _add_names(flip)
    edits = question_options()["edits"]
    flip.add_argument(f"--{edits.link}", default="", metavar=edits.link.upper(), help=f"first, {edits.help}")
    flip.add_argument("--seconds", type=float, metavar="SECONDS", help="the longest time to search")
    flip.set_defaults(run=_flip)

    about = "count by which kinds of subgraph a GNN predicts its classes"
    rules = commands.add_parser("rules", parents=[on_device()], help=about)
    add_dataset(rules, every=False)
    rules.add_argument("--class", dest="of", metavar="NAME", help="of this class (default: of each)")
    about = "predictions of a class (default: %(default)s)"
    rules.add_argument("--limit", type=int, default=LIMIT, metavar="N", help=about)
    add_workers(rules)
    add_gnn(rules)
    rules.add_argument("--out", type=Path, metavar="FOLDER", help="where to keep them as JSON (shipped: assets/rules)")
    rules.set_defaults(run=_rules)

    traces = commands.add_parser("traces", parents=[on_device()], help="record the shipped traces of all examples")
    add_out(traces, "assets/traces")
    traces.add_argument("--choose", action="store_true", help="only choose, by the rule, which instances these are")
    traces.set_defaults(run=_traces)

    figure = commands.add_parser("figure", help="draw explainers side by side on molecules and sentences, as one page")
    figure.add_argument("traces", nargs="*", type=Path, metavar="TRACE", help="traces with masks (default: shipped)")
    out = Path("explanations.html")
    figure.add_argument("--out", type=Path, default=out, metavar="FILE", help="default: %(default)s")
    figure.set_defaults(run=_figure)

    site = commands.add_parser("site", help="make a static site, which opens from any file server or from disk")
    site.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write it")
    site.set_defaults(run=_site)


def _add_names(command: argparse.ArgumentParser) -> None:
    """Which data set, which of its instances, and which GNN."""
    add_dataset(command, every=False)
    add_gnn(command)
    for way, having in _ways_to_name().items():
        where = "" if len(having) == len(DATASETS) else f" (of {', '.join(having)})"
        command.add_argument(f"--{way}", metavar="NAME", help=f"what to explain, by {way}{where}")


def _named(options: argparse.Namespace, every: bool = False) -> dict[str, str]:
    """How the instance is named, by its source; nothing where all are meant."""
    named = {name: getattr(options, name) for name in _ways_to_name() if getattr(options, name) is not None}
    if len(named) + every != 1:
        ways = (*sources_of(options.dataset), *(["all"] if hasattr(options, "all") else []))
        raise UserError(f"Choose what to explain, in one way: {' or '.join(f'--{name}' for name in ways)}.")
    return named


def _explain(options: argparse.Namespace) -> int:
    named = _named(options, options.all)
    if options.all:
        return _explain_all(options)
    if options.limit is not None or options.workers is not None or options.dask is not None:
        raise UserError("--limit, --workers and --dask need --all.")
    from gfx_core.explanation.run import explain
    from gfx_core.text.answers import summary
    from gfx_core.trace import serialize

    ((source, name),) = named.items()
    question = Question(options.dataset, name, source, options.gnn, **_how(options))
    with progress_bar() as tell:
        trace = explain(question, JobContext(choose_device(options.device), tell))
    for line in summary(trace):
        print(line)
    if options.out is not None:
        serialize.save(trace, options.out)
        print(f"→ {options.out}")
    return 0


def _flip(options: argparse.Namespace) -> int:
    """Print it, with the edits as links and `explain --edits` take them; 1 if nothing was found."""
    from gfx_core.datasets.edits import read_edits
    from gfx_core.explanation.counterfactual import FLIP_SECONDS, flip
    from gfx_core.explanation.loading import load
    from gfx_core.text.instance_words import flip_sentence, what_if_sentence

    ((source, name),) = _named(options).items()
    question = Question(options.dataset, name, source, options.gnn, edits=options.edits)
    with progress_bar() as tell:
        found = flip(question, JobContext(progress=tell), FLIP_SECONDS if options.seconds is None else options.seconds)
    instance, (old, *_, new) = load(question).instance, (*found.probabilities, found.probabilities[-1])
    if found.edits:
        classes = instance.info.class_names(len(old))
        print(what_if_sentence(instance, read_edits(".".join(found.edits)), classes, old, new))
    print(flip_sentence(instance, found))
    if found.edits:
        print(f"--edits {'.'.join((*filter(None, [question.edits]), *found.edits))}")
    return 0 if found.edits else 1


def _explain_all(options: argparse.Namespace) -> int:
    """Explain all predictions of a data set; 1 if one cannot be."""
    questions = NamedQuestions(dataset_info(options.dataset).name, options.gnn, _how(options))
    where = Workers(1 if options.workers is None else options.workers, options.dask)
    if options.limit is not None and options.limit < 1:
        raise UserError(f"--limit must be at least 1 (got {options.limit}).")
    indices = range(load_dataset(questions.dataset).num_instances)[: options.limit]
    try:
        with progress_bar() as tell:
            job = JobContext(options.device, tell)
            rows = explain_all(questions, indices, where=where, out=options.out, job=job)
    except KeyboardInterrupt:
        if options.out is not None:
            print("Finished rows are kept: run the same command to continue.", file=sys.stderr)
        raise
    failed = [row for row in rows if row.error]
    for row in rows if options.out is None else failed:
        print(f"{row.index}: {row.error or row.sentence}")
    if options.out is not None:
        print(f"{len(rows) - len(failed)} of {counted(len(rows), 'prediction')} explained → {options.out}")
    return 1 if failed else 0


def _rules(options: argparse.Namespace) -> None:
    questions = NamedQuestions(dataset_info(options.dataset).name, options.gnn, {})
    where = Workers(1 if options.workers is None else options.workers, options.dask)
    with progress_bar() as tell:
        job = JobContext(options.device, tell)
        found = find_rules(questions, options.of, limit=options.limit, where=where, job=job)
    for sentence in found.sentences:
        print(sentence)
    if options.out is not None:
        path = options.out / rules_path(questions.dataset, questions.gnn).name
        found.save(path)
        print(f"→ {path}")


def _how(options: argparse.Namespace) -> dict[str, Any]:
    """The options of a question that were given."""
    from gfx_core.gfn.own_policies import keep_policy

    texts = {name: getattr(options, name, None) for name in question_options()}
    how = {name: question_options()[name].read(text) for name, text in texts.items() if text is not None}
    if options.policy is not None:
        try:
            how["own"] = keep_policy(options.policy.read_bytes(), options.dataset).name
        except OSError as error:
            raise UserError(f"There is no file {options.policy} that can be read ({error.strerror}).") from error
    return how


def _ways_to_name() -> dict[str, list[str]]:
    """How an instance can be named, and the data sets that know that way."""
    ways: dict[str, list[str]] = {}
    for dataset in DATASETS:
        for source in sources_of(dataset):
            ways.setdefault(source, []).append(dataset)
    return ways


def _figure(options: argparse.Namespace) -> None:
    from gfx_core.drawing.export import page_title
    from gfx_core.drawing.qualitative import qualitative_html, shipped
    from gfx_core.files import write_text
    from gfx_core.trace import serialize

    named = [(page_title(trace), trace) for trace in map(serialize.load, options.traces)] or shipped()
    write_text(options.out, qualitative_html(named))
    print(f"{counted(len(named), 'prediction')} → {options.out}")


def _traces(options: argparse.Namespace) -> None:
    if options.choose:
        from gfx_core.explanation.choose_examples import choose_all

        for sentence in choose_all(device=choose_device(options.device)):
            print(sentence)
        return
    from gfx_core.explanation.method_masks import record_shipped

    for path in record_shipped(options.out, choose_device(options.device)):
        print(f"→ {path}")


def _site(options: argparse.Namespace) -> None:
    from gfx_core.site.build import write_site  # only here: it reads all that is shipped

    files = write_site(options.out)
    size = sum(file.stat().st_size for file in files)
    print(f"→ {options.out / 'index.html'} and {len(files) - 1} more files, {size / 1e6:.1f} MB")
