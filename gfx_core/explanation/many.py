"""Many predictions explained, a row of a table for each: here, in several processes or on a cluster.

A row says what an explanation of that prediction alone says, and is made in the same way; only the trajectory that a
player shows is left out. A model and its data are opened once by each process, and a student is trained once, before
the work is spread. Needs no torch to be imported.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from gfx_core.datasets.registry import load_dataset
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.explanation.question import MOST_SECONDS, Question
from gfx_core.files import fingerprint, write_text
from gfx_core.gfn.own_policies import policy_file
from gfx_core.job_context import JobContext
from gfx_core.parallel import Workers, computed, device_here
from gfx_core.storage import digest_of
from gfx_core.text.numbers import duration
from gfx_core.trace.schema import STUDENT, Trace, Verdict

if TYPE_CHECKING:
    import pandas as pd
    from torch import nn

    from gfx_core.explanation.fragments import Known
    from gfx_core.explanation.instances import Instances

ALL = "all"
"""All predictions of a data set."""
TABLE = "table.csv"
"""What a table is called in a folder."""
_MADE_BY = "made_by"  # the column, behind those of `Row`, that names model, data and options
_TOGETHER, _MANY = 8, 200  # rows that a process makes at a time, where there are at least so many
_LEARNING = 0.1  # share of the time that a student takes, as a bar shows it
_WRITTEN_EVERY_S = 5.0  # seconds between two writings of a table that grows
_PATIENCE = 10  # times as long as for one prediction may a student learn for at least as many


@dataclass(frozen=True)
class Row:
    """One prediction and its explanation.

    Attributes:
        index: The node or graph.
        prediction: The class that is explained, by its name.
        probability: What the GNN gives it.
        sentence: The answer in a sentence or two.
        nodes: Those of the first reason, by the numbers that were given.
        edges: Its edges, by the numbers of their two ends.
        alone: The probability of that class for the first reason and nothing else; a student's, where one explained.
        without: The GNN's for all but its edges.
        without_all: The GNN's for all but the edges of all told reasons.
        given_alone: What the given GNN itself predicts from the first reason, where a student explained.
        share: Share of the samples that overlap the first reason.
        reasons: How many are told.
        verdict: What can be said of them, see `gfx_core.trace.schema.Verdict`.
        states: Subgraphs that were listed around the start node; ``None`` where they were too many.
        seconds: What it took.
        note: What is to be read before it is believed.
        error: Why there is no explanation.
        true: The true class by its name, empty if unknown.
        kind: What the answer has in common with others of its kind: "a ring of six".
        labels: The atom or, in small letters, the word of each of its nodes; empty where nodes are all alike.
        orders: The bond order of each of its edges, in a molecule.
    """

    index: int
    prediction: str = ""
    probability: float | None = None
    sentence: str = ""
    nodes: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    alone: float | None = None
    without: float | None = None
    without_all: float | None = None
    given_alone: float | None = None
    share: float | None = None
    reasons: int | None = None
    verdict: str = ""
    states: int | None = None
    seconds: float = 0.0
    note: str = ""
    error: str = ""
    true: str = ""
    kind: str = ""
    labels: tuple[str, ...] = ()
    orders: tuple[int, ...] = ()

    @property
    def explains(self) -> bool:
        """Whether the answer is told as an explanation."""
        return self.verdict not in ("", Verdict.NONE)

    @classmethod
    def of(cls, trace: Trace, seconds: float = 0.0, kind: str = "") -> "Row":
        """What a trace comes to; its answer is of that kind."""
        answer, explained, true = trace.answer, trace.prediction.predicted, trace.prediction.true
        assert answer is not None
        held = [trace.nodes[node] for node in answer.first.nodes]
        atoms = all(node.element for node in trace.nodes)
        ids = [node.id for node in trace.nodes]
        reason = answer.first
        ends = [trace.edges[edge] for edge in reason.edges]
        given = trace.made.get(STUDENT)
        return cls(
            index=trace.index,
            prediction=trace.classes[explained],
            probability=trace.prediction.probabilities[explained],
            sentence=answer.sentence,
            nodes=tuple(ids[node] for node in reason.nodes),
            edges=tuple((ids[edge.source], ids[edge.target]) for edge in ends),
            alone=reason.alone[explained],
            without=reason.without[explained],
            without_all=answer.without_all[explained],
            given_alone=given and given["given_alone"][explained],
            share=reason.share,
            reasons=len(answer.reasons),
            verdict=str(answer.verdict),
            states=trace.num_states_exact,
            seconds=round(seconds, 3),
            note=" ".join(trace.notes),
            true="" if true is None else trace.classes[true],
            kind=kind,
            labels=tuple((node.element or node.label.lower()) for node in held) if atoms or trace.is_sentence else (),
            orders=tuple(edge.order for edge in ends) if atoms else (),
        )


_COLUMNS = tuple(each.name for each in fields(Row))

# The questions


class _Opened:
    """Model and data, checked; each process opens them for itself, where it computes."""

    opened: "Instances"
    _device = ""  # where that is

    def open(self, device: str) -> None:
        """Have all ready that every question needs."""
        if self._device != device:
            self.opened, self._device = self._open(device), device

    def _open(self, device: str) -> "Instances":
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("opened", "_device")}


@dataclass(eq=False)
class NamedQuestions(_Opened):
    """The same question about each prediction of a data set that has a name, as pages and commands ask it.

    Attributes:
        dataset: The data set.
        gnn: The GNN's kind.
        options: Of all questions.
    """

    dataset: str
    gnn: str
    options: Mapping[str, Any]

    def _open(self, device: str) -> "Instances":
        from gfx_core.explanation.instances import GNNInstances
        from gfx_core.explanation.subject import kept_model

        return GNNInstances(kept_model(self.dataset, self.gnn), load_dataset(self.dataset))

    @property
    def digest(self) -> str:
        """Names all that the rows depend on."""
        policy = policy_file(self.dataset, self.gnn, self.options.get("own", ""))
        return digest_of([self.opened.digest, self.dataset, dict(self.options), fingerprint(policy)], [])

    def question(self, index: int) -> Question:
        """The question about one of them."""
        return Question(self.dataset, str(index), "index", self.gnn, **self.options)


@dataclass(eq=False)
class ModelQuestions(_Opened):
    """The same about a model and data as objects: any PyG model on any PyG data.

    Attributes:
        explainer: What explains them, a `GFlowExplainer`.
        model: The GNN.
        data: Its data.
        options: Of all questions, and what is to be known of model and data.
    """

    explainer: Any
    model: "nn.Module"
    data: Any
    options: Mapping[str, Any]

    def _open(self, device: str) -> "Instances":
        found: Instances = self.explainer.instances(self.model, self.data, device, **self.options)
        return found

    @property
    def digest(self) -> str:
        from gfx_core.user_models.predictor import weights_of

        trained, config = self.explainer.trained, self.explainer.config_for(self.opened.task)
        settings = [self.opened.digest, config.as_dict(), self.explainer.options, dict(self.options)]
        return digest_of(settings, weights_of(*(() if trained is None else (trained.policy, trained.locator))))

    def question(self, index: int) -> Question:
        return self.explainer.question(self.model, self.opened, index, **self.options)


Questions = NamedQuestions | ModelQuestions

# The rows


def explain_all(
    questions: Questions,
    indices: Any = ALL,
    *,
    where: Workers | None = None,
    out: Path | None = None,
    job: JobContext | None = None,
) -> list[Row]:
    """A row for each of some predictions, in their order; where one cannot be explained, it says why.

    Args:
        questions: What is asked.
        indices: About which of them: ``"all"``, numbers or a mask.
        where: Where to compute; here by default.
        out: A file for the table, or a folder for it. What it holds for the same model, data and options is not
            computed again, also where a run was stopped; a table of others is replaced.
        job: Told how far it is; its device is ``auto``, ``cpu`` or ``cuda``, as each worker finds it where it is.
    """
    where, job = where or Workers(), job or JobContext("auto")
    here = choose_device("auto" if where.dask is not None and job.device == "cuda" else job.device)
    questions.open(here)
    wanted = _chosen(indices, questions.opened.num_instances)
    table = None if out is None else _Table(out, questions.digest)
    found = {} if table is None else table.read()
    todo = [index for index in wanted if index not in found]
    learning = JobContext(here, lambda share, words: job.report(_LEARNING * share, words))
    batch = _QuestionBatch(questions, job.device, _learnt(questions, todo, learning))
    began, done, written = monotonic(), 0, monotonic()
    try:
        for rows in _rows(batch, todo, where):
            found |= {row.index: row for row in rows}
            done += len(rows)
            if table is not None and monotonic() - written > _WRITTEN_EVERY_S:
                table.write(found.values())
                written = monotonic()
            left = (monotonic() - began) / done * (len(todo) - done)
            words = f"{len(wanted) - len(todo) + done:,} of {len(wanted):,} explained"
            share = _LEARNING + (1 - _LEARNING) * done / len(todo)
            job.report(share, f"{words}, about {duration(left)} left" if done < len(todo) else words)
    finally:  # what is finished counts, however it ends
        if table is not None:
            table.write(found.values())
    return [found[index] for index in wanted]


def as_frame(rows: Iterable[Row]) -> "pd.DataFrame":
    """Rows as a table of pandas."""
    import pandas as pd

    return pd.DataFrame([asdict(row) for row in rows], columns=_COLUMNS)


def _chosen(indices: Any, count: int) -> list[int]:
    from gfx_core.user_models.inputs import some_indices

    if isinstance(indices, str) and indices == ALL:
        return list(range(count))
    return list(dict.fromkeys(some_indices(indices, count, "prediction").tolist()))


def _learnt(questions: Questions, indices: Sequence[int], job: JobContext) -> "tuple[int, Known] | None":
    """What is known of model and data, and by which question: a student is trained before the first one, if it is."""
    from gfx_core.explanation.fragments import known_of, through_student
    from gfx_core.explanation.subject import load

    for index in indices:
        with suppress(UserError):  # a row will say so
            loaded = load(questions.question(index))
            if loaded.data is None:
                return None
            seconds = loaded.question.seconds
            if seconds is not None:  # what serves many may take longer
                seconds = max(seconds, min(MOST_SECONDS, seconds * min(_PATIENCE, len(indices))))
                loaded = replace(loaded, question=replace(loaded.question, seconds=seconds))
            with suppress(UserError):  # all rows will say so
                through_student(loaded, job)
            return index, known_of(loaded)
    return None


def _rows(batch: "_QuestionBatch", indices: Sequence[int], where: Workers) -> Iterator[list[Row]]:
    """Rows as they come; where a worker died of several, each of them is tried by itself."""
    size = _TOGETHER if len(indices) >= _MANY else 1
    tasks = [tuple(indices[at : at + size]) for at in range(0, len(indices), size)]
    while tasks:
        again: list[tuple[int, ...]] = []
        with closing(computed(_QuestionBatch.rows, batch, tasks, where)) as every:
            for task, rows in every:
                if rows is None and len(task) > 1:
                    again += [(index,) for index in task]
                else:
                    yield rows or [Row(task[0], error="Its worker died twice (out of memory?).")]
        tasks = again


@dataclass
class _QuestionBatch:
    """What each process needs.

    Attributes:
        questions: What is asked.
        device: Where to compute, as it is chosen there.
        known: What is known of model and data, and by which of the questions.
    """

    questions: Questions
    device: str
    known: "tuple[int, Known] | None"

    @cached_property
    def place(self) -> str:
        """Where this process computes; all is ready there."""
        from gfx_core.explanation.fragments import known_of
        from gfx_core.explanation.subject import load

        place = device_here(self.device)
        self.questions.open(place)
        if self.known is not None:
            known_of(load(self.questions.question(self.known[0])), self.known[1])
        return place

    def rows(self, indices: tuple[int, ...]) -> list[Row]:
        """The rows of some predictions, in whatever process."""
        place = self.place  # first of all, all is made ready there
        return [self._row(index, place) for index in indices]

    def _row(self, index: int, place: str) -> Row:
        from gfx_core.explanation.run import explained
        from gfx_core.text.names import subgraph_name

        began = perf_counter()
        try:
            trace, flows = explained(self.questions.question(index), JobContext(place), plays=False)
            assert trace.answer is not None
            kind = subgraph_name(flows.instance, trace.answer.first.nodes, kind=True).text
            return Row.of(trace, perf_counter() - began, kind)
        except UserError as error:
            sentence = str(error)
        except Exception as error:  # whatever it is, it keeps no other from being explained
            sentence = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        return Row(index, seconds=round(perf_counter() - began, 3), error=sentence)


# On disk


class _Table:
    """A table in a file; a run that was stopped leaves what is finished.

    Args:
        out: The file, or a folder for it.
        made_by: Names all that its rows depend on; rows of another name do not count.
    """

    def __init__(self, out: Path, made_by: str) -> None:
        self._path, self._made_by = out if out.suffix.lower() == ".csv" else out / TABLE, made_by

    def read(self) -> dict[int, Row]:
        """Finished rows, by their index."""
        import msgspec

        if not self._path.is_file():
            return {}
        texts = {each.name for each in fields(Row) if each.type is str} | {_MADE_BY}
        try:
            with self._path.open(encoding="utf-8", newline="") as file:
                reader = csv.DictReader(file)
                if reader.fieldnames != [*_COLUMNS, _MADE_BY]:
                    raise ValueError
                found = [
                    {name: text if name in texts else json.loads(text or "null") for name, text in row.items()}
                    for row in reader
                ]
            rows = msgspec.convert(
                [row for row in found if row.pop(_MADE_BY) == self._made_by], list[Row], strict=False
            )
        except (OSError, ValueError) as error:  # msgspec's is one
            raise UserError(
                f"{self._path} already exists and is not a table of explanations: choose another name (out)."
            ) from error
        return {row.index: row for row in rows if not row.error}  # what went wrong is tried again

    def write(self, rows: Iterable[Row]) -> None:
        """Write the file."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow([*_COLUMNS, _MADE_BY])
        for row in sorted(rows, key=lambda row: row.index):
            values = asdict(row).values()
            cells = [
                value if isinstance(value, str) else "" if value is None else json.dumps(value) for value in values
            ]
            table.writerow([*cells, self._made_by])
        write_text(self._path, text.getvalue())
