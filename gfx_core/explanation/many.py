"""Many predictions explained, a row of a table for each: here, in several processes or on a cluster.

A row has the numbers of an explanation of that prediction alone, made in the same way; only the trajectory that a
player shows is left out. A model and its data are opened once by each process, and a student is trained once, before
the work is spread. Needs no torch to be imported.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from gfx_core.datasets.registry import load_dataset
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.files import write_text
from gfx_core.job_context import JobContext, progress_bar
from gfx_core.parallel import Workers, computed
from gfx_core.storage import digest_of
from gfx_core.trace.schema import STUDENT, Trace, Verdict

if TYPE_CHECKING:
    import pandas as pd
    from torch import nn

    from gfx_core.explanation.explainer import GFlowExplainer
    from gfx_core.explanation.subject import Subject
    from gfx_core.gfn.settings import GFNConfig
    from gfx_core.user_models.instances import Instances
    from gfx_core.user_models.model_data import AnyData

ALL = "all"
"""All predictions of a data set."""


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
        given_alone: What the given GNN itself predicts from the first reason, where a student explained.
        share: Share of the samples that overlap the first reason.
        verdict: On them, see `gfx_core.trace.schema.Verdict`.
        seconds: What it took.
        note: What is to be read before it is believed.
        error: Why there is no explanation.
        true: The true class by its name, empty if unknown.
        kind: What the answer has in common with others of its kind: "a ring of six".
        labels: The atom or, in small letters, the word of each of its nodes; empty where nodes are all alike.
        orders: The bond order of each of its edges, in a molecule.
        made_by: Names model, data and options.
    """

    index: int
    prediction: str = ""
    probability: float | None = None
    sentence: str = ""
    nodes: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    alone: float | None = None
    without: float | None = None
    given_alone: float | None = None
    share: float | None = None
    verdict: str = ""
    seconds: float = 0.0
    note: str = ""
    error: str = ""
    true: str = ""
    kind: str = ""
    labels: tuple[str, ...] = ()
    orders: tuple[int, ...] = ()
    made_by: str = ""

    @property
    def explains(self) -> bool:
        """Whether the answer counts as an explanation."""
        return self.verdict not in ("", Verdict.NONE)

    @classmethod
    def of(cls, trace: Trace, kind: str = "") -> "Row":
        """What a trace comes to; its answer is of that kind."""
        answer, classes, prediction = trace.answer, trace.classes, trace.prediction
        explained, true = prediction.predicted, prediction.true
        assert answer is not None
        reason, student = answer.first, trace.made.get(STUDENT)
        nodes, edges = [trace.nodes[node] for node in reason.nodes], [trace.edges[edge] for edge in reason.edges]
        has_atoms = all(node.element for node in trace.nodes)
        has_labels = has_atoms or trace.is_sentence
        return cls(
            index=trace.index,
            prediction=classes[explained],
            probability=prediction.probability,
            sentence=answer.sentence,
            nodes=tuple(node.id for node in nodes),
            edges=tuple((trace.nodes[edge.source].id, trace.nodes[edge.target].id) for edge in edges),
            alone=reason.alone[explained],
            without=reason.without[explained],
            given_alone=student and student["given_alone"][explained],
            share=reason.share,
            verdict=str(answer.verdict),
            note=" ".join(trace.notes),
            true="" if true is None else classes[true],
            kind=kind,
            labels=tuple(node.element or node.label.lower() for node in nodes) if has_labels else (),
            orders=tuple(edge.order for edge in edges) if has_atoms else (),
        )


# The questions


@dataclass
class Questions(ABC):
    """One question about each prediction of a model and its data.

    Attributes:
        options: Of all questions, and what is to be known of model and data as objects.
        device: Where to compute: ``auto``, ``cpu`` or ``cuda``, as it is chosen where the work is done.
        students: What is known of models and their data, see `gfx_core.explanation.fragments.models`.
    """

    options: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    device: str = field(default="auto", kw_only=True)
    students: Mapping[Any, Any] = field(default_factory=dict, kw_only=True)

    @abstractmethod
    def open(self, device: str) -> "Instances":
        """The GNN with its data."""

    @abstractmethod
    def question(self, opened: "Instances", index: int) -> Question:
        """The question about one of them."""

    @cached_property
    def here(self) -> tuple[str, "Instances"]:
        """Where this process computes; model and data, ready there."""
        from gfx_core.explanation.fragments import models

        device = choose_device(self.device)
        models.update(self.students)
        return device, self.open(device)

    def row(self, index: int) -> Row:
        """The row of one prediction, in any process."""
        from gfx_core.explanation.run import explained
        from gfx_core.text.names import subgraph_name

        device, opened = self.here
        began = perf_counter()
        try:
            trace, flows = explained(self.question(opened, index), JobContext(device), plays=False)
            assert trace.answer is not None
            row = Row.of(trace, subgraph_name(flows.instance, trace.answer.first.nodes, kind=True).text)
        except UserError as error:
            row = Row(index, error=str(error))
        except Exception as error:  # whatever it is, it keeps no other from being explained
            row = Row(index, error=f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
        return replace(row, seconds=round(perf_counter() - began, 3))


@dataclass
class NamedQuestions(Questions):
    """About the predictions of a GNN and a data set that have names, for pages and commands."""

    dataset: str
    gnn: str

    def open(self, device: str) -> "Instances":
        from gfx_core.explanation.subject import kept_model
        from gfx_core.user_models.instances import GNNInstances

        return GNNInstances(kept_model(self.dataset, self.gnn), load_dataset(self.dataset))

    def question(self, opened: "Instances", index: int) -> Question:
        return Question(self.dataset, str(index), "index", self.gnn, **self.options)


@dataclass
class ModelQuestions(Questions):
    """About the predictions of a model and data as objects: any PyG model on any PyG data.

    Attributes:
        config: K_M and the reward, or an explainer that has a policy.
    """

    model: "nn.Module"
    data: "AnyData"
    config: "GFNConfig | GFlowExplainer | None" = None

    def __post_init__(self) -> None:
        from gfx_core.explanation.explainer import GFlowExplainer

        self.explainer = self.config if isinstance(self.config, GFlowExplainer) else GFlowExplainer(self.config)
        self.options = {**self.explainer.options, **self.options}

    def open(self, device: str) -> "Instances":
        return self.explainer.instances(self.model, self.data, device, **self.options)

    def question(self, opened: "Instances", index: int) -> Question:
        return self.explainer.question(self.model, opened, index, **self.options)


# The rows


def explain_many(
    model: "nn.Module",
    data: "AnyData",
    indices: Any = ALL,
    *,
    config: "GFNConfig | GFlowExplainer | None" = None,
    workers: int = 1,
    dask: str | None = None,
    out: str | Path | None = None,
    device: str = "auto",
    progress: bool | None = None,
    **options: Any,
) -> "pd.DataFrame":
    """Explain many predictions of any PyG model on any PyG data: a table of pandas with a row for each.

    A row has the numbers of `explain` for that prediction, see `Row`. One that cannot be explained has the reason in
    its column ``error``.

    Args:
        model: See `explain`.
        data: See `explain`.
        indices: ``"all"``, or which nodes or graphs, as numbers or as a mask.
        config: See `explain`; or a `GFlowExplainer` with a policy.
        workers: Compute in so many processes.
        dask: Compute on the cluster of the scheduler at this address.
        out: A file for the table, a JSON object in each line: what is finished is not computed again for the same
            model, data and options.
        device: ``auto``, ``cpu`` or ``cuda``, chosen where the work is done.
        progress: See `explain`.
        options: See `explain`.
    """
    import pandas as pd

    questions, path = ModelQuestions(model, data, config, options=options), None if out is None else Path(out)
    with progress_bar(progress) as report:
        rows = explain_all(questions, indices, where=Workers(workers, dask), out=path, job=JobContext(device, report))
    return pd.DataFrame([asdict(row) for row in rows], columns=[column.name for column in fields(Row)])


def explain_all(
    questions: Questions,
    indices: Any = ALL,
    *,
    where: Workers | None = None,
    out: Path | None = None,
    job: JobContext | None = None,
    opened: "Instances | None" = None,
) -> list[Row]:
    """A row for each of some predictions, in their order; where one cannot be explained, with the reason.

    Args:
        questions: The questions.
        indices: About which predictions: ``"all"``, numbers or a mask.
        where: Where to compute; here by default.
        out: A file for the table. What it holds for the same model, data and options is not computed again, also where
            a run was stopped; a table of others is replaced.
        job: Receives progress; its device is ``auto``, ``cpu`` or ``cuda``, as each worker finds it where it is.
        opened: Model and data, where they are opened already.
    """
    from gfx_core.explanation.fragments import models, through_student
    from gfx_core.user_models.inputs import some_indices

    where, job = where or Workers(), job or JobContext("auto")
    job.take_long()
    here = choose_device("auto" if where.dask is not None and job.device == "cuda" else job.device)
    opened = opened or questions.open(here)
    if isinstance(indices, str) and indices == ALL:
        indices = range(opened.num_instances)
    wanted = list(dict.fromkeys(some_indices(indices, opened.num_instances, "prediction").tolist()))
    subject = _first(questions, opened, wanted)
    digest = _digest(questions, opened, subject)
    rows = {} if out is None else _read(out, digest)
    if out is not None:
        write_text(out, "".join(map(_line, rows.values())))
    todo = [index for index in wanted if index not in rows]
    if todo and subject is not None:
        with suppress(UserError):  # all rows will say so
            through_student(subject, JobContext(here, job.report))
    ready = replace(questions, device=job.device, students=dict(models))
    with closing(computed(Questions.row, ready, todo, where)) as results:
        for count, (index, row) in enumerate(results, 1):
            rows[index] = replace(row or Row(index, error="Its worker died twice (out of memory?)."), made_by=digest)
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(_line(rows[index]))
            done = len(wanted) - len(todo) + count
            job.report(count / len(todo), f"{done:,} of {len(wanted):,} explained")
    return [rows[index] for index in wanted]


def _first(questions: Questions, opened: "Instances", indices: Sequence[int]) -> "Subject | None":
    """The first prediction that can be read."""
    from gfx_core.explanation.subject import load

    for index in indices:
        with suppress(UserError):  # a row will say so
            return load(questions.question(opened, index))
    return None


def _digest(questions: Questions, opened: "Instances", subject: "Subject | None") -> str:
    """Names all that the rows depend on."""
    from gfx_core.user_models.predictor import weights_of

    settings, modules = [opened.digest, dict(questions.options)], []
    if subject is not None:
        settings.append(subject.config.as_dict())
        modules = [] if subject.policy is None else [subject.policy.policy, subject.policy.locator]
    return digest_of(settings, weights_of(*modules))


# The table on disk


def _line(row: Row) -> str:
    return msgspec.json.encode(row).decode() + "\n"


def _read(path: Path, digest: str) -> dict[int, Row]:
    """The finished rows of a table that were made in this way, by their index; what went wrong is computed again."""
    lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
    if len(lines) > 1 and not lines[-1].endswith(b"\n"):  # the process died while it wrote this one
        lines.pop()
    try:
        rows = [msgspec.json.decode(line, type=Row) for line in lines]
    except msgspec.DecodeError as error:
        sentence = f"{path} already exists and is not a table of explanations: choose another name (out)."
        raise UserError(sentence) from error
    return {row.index: row for row in rows if row.made_by == digest and not row.error}
