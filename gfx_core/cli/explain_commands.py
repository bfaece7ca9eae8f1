"""``explain``, ``flip``, ``rules``: predictions explained or changed; ``traces``, ``figure``, ``site``: shown."""

import sys
from argparse import SUPPRESS
from collections.abc import Mapping, Sequence
from pathlib import Path

from gfx_core.cli import Commands, add_command, add_knobs, read_knobs
from gfx_core.datasets.registry import DATASETS, dataset_info, load_dataset, sources_of
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.explanation.many import NamedQuestions, explain_all
from gfx_core.explanation.question import Question
from gfx_core.explanation.question import options as question_options
from gfx_core.explanation.rules import LIMIT, find_rules, rules_path
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.job_context import JobContext, progress_bar
from gfx_core.parallel import Workers
from gfx_core.text.numbers import counted


def add_explaining(commands: Commands) -> None:
    """The commands of this file."""
    knobs = {name: option for name, option in question_options().items() if name != "own"}  # that is ``policy``
    explain, flip = add_command(commands, "explain", _explain), add_command(commands, "flip", _flip)
    for parser, chosen in (explain, knobs), (flip, {"edits": knobs["edits"]}):
        for source in dict.fromkeys(source for dataset in DATASETS for source in sources_of(dataset)):
            parser.add_argument(f"--{source}", default=SUPPRESS, metavar="NAME", help=f"what to explain, by {source}")
        add_knobs(parser, chosen)
    add_command(commands, "rules", _rules)
    add_command(commands, "traces", _traces)
    add_command(commands, "figure", _figure)
    add_command(commands, "site", _site)


def _instance(dataset: str, texts: Mapping[str, str], every: bool | None = None) -> tuple[str, str]:
    """The name of the instance and its source; two empty texts where all are meant."""
    names = [(text, name) for name, text in texts.items() if name not in question_options()]
    if len(names) + bool(every) != 1:
        ways = [*sources_of(dataset), *([] if every is None else ["all"])]
        raise UserError(f"Choose what to explain, in one way: {' or '.join(f'--{way}' for way in ways)}.")
    return names[0] if names else ("", "")


def _explain(
    dataset: str,
    gnn: str = DEFAULT_KIND,
    all_: bool = False,
    limit: int | None = None,
    workers: int = 1,
    dask: str | None = None,
    policy: Path | None = None,
    out: Path | None = None,
    device: str = "auto",
    **texts: str,
) -> int:
    """Explain one prediction, or all in a table.

    Args:
        dataset: the data set
        gnn: the GNN to explain
        all_: explain all predictions, one row of a table each
        limit: only the first so many
        workers: number of processes
        dask: compute on the cluster of the dask scheduler at this address
        policy: the file of another policy than the shipped one
        out: where to write: the trace as JSON, a table as CSV
        device: auto, cpu or cuda
        texts: How the instance is named, and the options of the question.
    """
    name, source = _instance(dataset, texts, all_)
    how = read_knobs(question_options(), texts)
    if policy is not None:
        from gfx_core.gfn.own_policies import keep_policy

        try:
            how["own"] = keep_policy(policy.read_bytes(), dataset).name
        except OSError as error:
            raise UserError(f"There is no file {policy} that can be read ({error.strerror}).") from error
    if not all_ and (limit is not None or workers != 1 or dask is not None):
        raise UserError("--limit, --workers and --dask need --all.")
    if all_:
        if limit is not None and limit < 1:
            raise UserError(f"--limit must be at least 1 (got {limit}).")
        questions = NamedQuestions(dataset_info(dataset).name, gnn, how)
        return _explain_all(questions, limit, Workers(workers, dask), out, device)
    from gfx_core.explanation.run import explain
    from gfx_core.text.answers import summary
    from gfx_core.trace import serialize

    with progress_bar() as tell:
        trace = explain(Question(dataset, name, source, gnn, **how), JobContext(choose_device(device), tell))
    print("\n".join(summary(trace)))
    if out is not None:
        serialize.save(trace, out)
        print(f"→ {out}")
    return 0


def _explain_all(questions: NamedQuestions, limit: int | None, where: Workers, out: Path | None, device: str) -> int:
    """Explain all predictions of a data set; 1 if one cannot be."""
    indices = range(load_dataset(questions.dataset).num_instances)[:limit]
    try:
        with progress_bar() as tell:
            rows = explain_all(questions, indices, where=where, out=out, job=JobContext(device, tell))
    except KeyboardInterrupt:
        if out is not None:
            print("Finished rows are kept: run the same command to continue.", file=sys.stderr)
        raise
    failed = [row for row in rows if row.error]
    for row in rows if out is None else failed:
        print(f"{row.index}: {row.error or row.sentence}")
    if out is not None:
        print(f"{len(rows) - len(failed)} of {counted(len(rows), 'prediction')} explained → {out}")
    return 1 if failed else 0


def _flip(dataset: str, gnn: str = DEFAULT_KIND, seconds: float | None = None, **texts: str) -> int:
    """Find a smallest change of a graph that changes the prediction.

    The edits are printed as links and `explain --edits` take them; the exit status is 1 if nothing was found.

    Args:
        dataset: the data set
        gnn: the GNN to explain
        seconds: the longest time to search
        texts: How the instance is named, and edits that come first.
    """
    from gfx_core.datasets.edits import read_edits
    from gfx_core.explanation.counterfactual import FLIP_SECONDS, flip
    from gfx_core.explanation.loading import load
    from gfx_core.text.instance_words import flip_sentence, what_if_sentence

    question = Question(dataset, *_instance(dataset, texts), gnn, edits=texts.get("edits", ""))
    with progress_bar() as tell:
        change = flip(question, JobContext(progress=tell), FLIP_SECONDS if seconds is None else seconds)
    instance, old = load(question).instance, change.probabilities[0]
    if change.edits:
        edits, classes = read_edits(".".join(change.edits)), instance.info.class_names(len(old))
        print(what_if_sentence(instance, edits, classes, old, change.probabilities[-1]))
    print(flip_sentence(instance, change))
    if change.edits:
        print(f"--edits {'.'.join((*filter(None, [question.edits]), *change.edits))}")
    return 0 if change.edits else 1


def _rules(
    dataset: str,
    class_: str | None = None,
    gnn: str = DEFAULT_KIND,
    limit: int = LIMIT,
    workers: int = 1,
    dask: str | None = None,
    out: Path | None = None,
    device: str = "auto",
) -> None:
    """Count by which kinds of subgraph a GNN predicts its classes.

    Args:
        dataset: the data set
        class_: of this class; else of each
        gnn: the GNN to explain
        limit: predictions of a class
        workers: number of processes
        dask: compute on the cluster of the dask scheduler at this address
        out: the folder where to keep them as JSON; those that are shipped are in assets/rules
        device: auto, cpu or cuda
    """
    questions = NamedQuestions(dataset_info(dataset).name, gnn, {})
    with progress_bar() as tell:
        job = JobContext(device, tell)
        rules = find_rules(questions, class_, limit=limit, where=Workers(workers, dask), job=job)
    print("\n".join(rules.sentences))
    if out is not None:
        path = out / rules_path(questions.dataset, questions.gnn).name
        rules.save(path)
        print(f"→ {path}")


def _traces(choose: bool = False, out: Path | None = None, device: str = "auto") -> None:
    """Record the shipped traces of all examples.

    Args:
        choose: only choose, by the rule, which instances these are
        out: the folder where to write them, instead of assets/traces
        device: auto, cpu or cuda
    """
    from gfx_core.explanation.choose_examples import choose_all
    from gfx_core.explanation.method_masks import record_shipped

    device = choose_device(device)
    for line in choose_all(device=device) if choose else (f"→ {path}" for path in record_shipped(out, device)):
        print(line)


def _figure(traces: Sequence[Path] = (), out: Path = Path("explanations.html")) -> None:
    """Draw explainers side by side on molecules and sentences, as one page.

    Args:
        traces: files of traces with masks; by default those that are shipped
        out: the file to write
    """
    from gfx_core.drawing.export import page_title
    from gfx_core.drawing.qualitative import qualitative_html, shipped
    from gfx_core.files import write_text
    from gfx_core.trace import serialize

    examples = [(page_title(trace), trace) for trace in map(serialize.load, traces)] or shipped()
    write_text(out, qualitative_html(examples))
    print(f"{counted(len(examples), 'prediction')} → {out}")


def _site(out: Path) -> None:
    """Make a static site, which opens from any file server or from disk.

    Args:
        out: the folder where to write it
    """
    from gfx_core.site.build import write_site  # only here: it reads all that is shipped

    files = write_site(out)
    size = sum(file.stat().st_size for file in files)
    print(f"→ {out / 'index.html'} and {len(files) - 1} more files, {size / 1e6:.1f} MB")
