"""``explain``, ``flip``, ``rules``: predictions explained or changed; ``traces``, ``site``: shown."""

from pathlib import Path
from typing import Any

from gfx_core.cli import Commands, add_command
from gfx_core.datasets.registry import DATASETS, load_dataset, sources_of
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.explanation.many import NamedQuestions, explain_all
from gfx_core.explanation.question import Question
from gfx_core.explanation.question import options as question_options
from gfx_core.explanation.rules import LIMIT, find_rules, rules_path
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.job_context import JobContext, progress_bar
from gfx_core.parallel import Workers


def add_explaining(commands: Commands) -> None:
    """The commands of this file."""
    knobs = {name: option for name, option in question_options().items() if name != "own"}  # that is ``policy``
    explain, flip = (
        add_command(commands, "explain", _explain, knobs=knobs, links=True),
        add_command(commands, "flip", _flip),
    )
    for source in dict.fromkeys(source for dataset in DATASETS for source in sources_of(dataset)):
        for command in (explain, flip):
            command.add_argument(f"--{source}", metavar="NAME", help=f"what to explain, by {source}")
    for function in (_rules, _traces, _site):
        add_command(commands, function.__name__.strip("_"), function)


def _question(dataset: str, gnn: str, texts: dict[str, str], *others: str, **options: Any) -> Question:
    """About the instance that is named in one way."""
    if len(texts) != 1:
        ways = " or ".join(f"--{way}" for way in (*sources_of(dataset), *others))
        raise UserError(f"Choose what to explain, in one way: {ways}.")
    ((source, name),) = texts.items()
    return Question(dataset, name, source, gnn, **options)


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
    **texts: Any,
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
        out: where to write: the trace as JSON, a table as JSON lines
        device: auto, cpu or cuda
        texts: How the instance is named, and the options of the question.
    """
    how = {option: texts.pop(option) for option in question_options() if option in texts}
    if policy is not None:
        from gfx_core.gfn.own_policies import keep_policy

        try:
            how["own"] = keep_policy(policy.read_bytes(), dataset).name
        except OSError as error:
            raise UserError(f"There is no file {policy} that can be read ({error.strerror}).") from error
    if not all_ and (limit is not None or workers != 1 or dask is not None):
        raise UserError("--limit, --workers and --dask need --all.")
    if all_ and not texts:
        if limit is not None and limit < 1:
            raise UserError(f"--limit must be at least 1 (got {limit}).")
        indices, where = range(load_dataset(dataset).num_instances)[:limit], Workers(workers, dask)
        with progress_bar() as tell:
            job = JobContext(device, tell)
            rows = explain_all(NamedQuestions(dataset, gnn, options=how), indices, where=where, out=out, job=job)
        for row in rows:
            if row.error or out is None:
                print(f"{row.index}: {row.error or row.sentence}")
        failed = sum(bool(row.error) for row in rows)
        print(f"{len(rows) - failed} of {len(rows)} predictions explained")
        return min(failed, 1)
    from gfx_core.explanation.run import explain
    from gfx_core.text.answers import summary
    from gfx_core.trace import serialize

    question = _question(dataset, gnn, {} if all_ else texts, "all", **how)
    with progress_bar() as tell:
        trace = explain(question, JobContext(choose_device(device), tell))
    print("\n".join(summary(trace)))
    if out is not None:
        serialize.save(trace, out)
        print(f"→ {out}")
    return 0


def _flip(dataset: str, gnn: str = DEFAULT_KIND, **texts: str) -> int:
    """Find a smallest change of a graph that changes the prediction.

    The edits are printed as links and `explain --edits` take them; the exit status is 1 if nothing was found.

    Args:
        dataset: the data set
        gnn: the GNN to explain
        texts: How the instance is named.
    """
    from gfx_core.datasets.edits import read_edits
    from gfx_core.explanation.counterfactual import flip
    from gfx_core.explanation.subject import load
    from gfx_core.text.instance_words import flip_sentence, what_if_sentence

    question = _question(dataset, gnn, texts)
    with progress_bar() as tell:
        change = flip(question, JobContext(progress=tell))
    instance, old, new = load(question).instance, change.probabilities[0], change.probabilities[-1]
    print(flip_sentence(instance, change))
    if not change.edits:
        return 1
    edits = ".".join(change.edits)
    print(what_if_sentence(instance, read_edits(edits), instance.info.class_names(len(old)), old, new))
    print(f"--edits {edits}")
    return 0


def _rules(
    dataset: str,
    class_: str | None = None,
    gnn: str = DEFAULT_KIND,
    limit: int = LIMIT,
    workers: int = 1,
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
        out: the folder where to keep them as JSON; those that are shipped are in assets/rules
        device: auto, cpu or cuda
    """
    with progress_bar() as tell:
        job = JobContext(device, tell)
        rules = find_rules(NamedQuestions(dataset, gnn), class_, limit=limit, where=Workers(workers), job=job)
    print("\n".join(rules.sentences))
    if out is not None:
        path = out / rules_path(dataset, gnn).name
        rules.save(path)
        print(f"→ {path}")


def _traces(choose: bool = False, device: str = "auto") -> None:
    """Record the shipped traces of all examples.

    Args:
        choose: only choose, by the rule, which instances these are
        device: auto, cpu or cuda
    """
    from gfx_core.baselines.masks import record_shipped
    from gfx_core.bench.examples import choose_all

    device = choose_device(device)
    for line in choose_all(device=device) if choose else (f"→ {path}" for path in record_shipped(device=device)):
        print(line)


def _site(out: Path) -> None:
    """Make a static site, which opens from any file server or from disk.

    Args:
        out: the folder where to write it
    """
    from gfx_core.site.build import write_site  # only here: it reads all that is shipped

    write_site(out)
    print(f"→ {out}/index.html")
