"""Who is asked about fragments: the GNN as it is, or a student that learnt them from it.

The student is trained once for a model and its data, and kept; what was decided is said. No ground truth decides: on
nodes or graphs that the student did not learn from, it is measured how far each of the two is, on fragments, from what
the GNN says of the whole.
"""

from dataclasses import replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from gfx_core.config import ASSETS, FragmentModel, Task
from gfx_core.errors import UserError
from gfx_core.explanation.instances import Instances
from gfx_core.explanation.subject import Subject
from gfx_core.job_context import JobContext
from gfx_core.storage import Cache, Recent
from gfx_core.text.answers import note
from gfx_core.text.numbers import about_percent
from gfx_core.user_models.student import (
    AGREES,
    LEARNT,
    TeacherGNN,
    TrainedStudent,
    load_taught,
    needs_no_student,
    save_taught,
    teach,
)

STUDENTS = ASSETS / "students"
"""Those that are shipped, see ``python -m gfx_core train student``."""
SHARE = 1.0
"""A student may take so many times the seconds of a question, once for a model and its data, before they begin."""

_MOST = 0.5  # a student that learnt from a smaller share of all nodes says so

_cache: Cache[TrainedStudent] = Cache(load_taught, save_taught)


def through_student(subject: Subject, job: JobContext) -> tuple[Subject, tuple[str, ...]]:
    """The question with the student that it is answered through, if it is, and what was decided, in words.

    Args:
        subject: What is explained.
        job: Told how far it is; it also says where to compute.
    """
    wanted = subject.question.fragments
    if wanted is FragmentModel.AS_IS or subject.taught is not None:
        return subject, ()
    if wanted is FragmentModel.AUTO and (subject.policy is not None or subject.knows_fragments):
        return subject, ()
    if subject.data is None:
        why = "A student learns from a data set, but this is a single graph: give its data set too."
        if wanted is FragmentModel.STUDENT:
            raise UserError(why)
        return subject, () if subject.question.user is not None else (note("as_is", why=why),)
    auto, known = wanted is FragmentModel.AUTO, known_of(subject)
    try:
        taught = None if auto and known.needs_none else known.student(job)
    except UserError as error:
        if not auto:
            raise
        return subject, (note("as_is", why=error),)
    if taught is None:
        return subject, (note("knows_fragments"),)
    things = "nodes" if subject.instance.task is Task.NODE else "graphs"
    about = {"share": about_percent(taught.agreement), "things": things}
    if auto and not taught.is_better:
        learnt = taught.divergence < LEARNT * taught.constant
        return subject, (note("knows_fragments" if learnt else "student_failed", **about),)
    notes = [note("student" if taught.agreement >= AGREES else "poor_student", **about)]
    learnt, total = taught.made.get("learnt_from", (0, 0))
    if learnt < _MOST * total:
        notes.append(note("learned_from_some", count=learnt, total=total, things=things))
    return replace(subject, taught=taught, policy=None), tuple(notes)


class Known:
    """What is known of a model and its data, found out when it is first asked for.

    What was found out can be sent to other processes, see `remember`.
    """

    def __init__(self, data: Instances, folder: Path, seconds: float) -> None:
        self._data, self._seconds, self.digest = data, seconds, data.digest
        self._path = folder / f"{self.digest}.safetensors"
        self._taught: TrainedStudent | None = None
        self._refusal = ""  # why a student cannot learn from it

    def __getstate__(self) -> dict[str, Any]:
        """Without model and data."""
        return {name: value for name, value in vars(self).items() if name not in ("_data", "_teacher")}

    def _find(self) -> TrainedStudent | None:
        """One that is shipped, or was trained before, be it by another process since this one looked last."""
        for path in (*STUDENTS.glob(f"*-{self._path.name}"), self._path):
            self._taught = self._taught or _cache.find(path)
        return self._taught

    @cached_property
    def _teacher(self) -> TeacherGNN:
        try:
            if self._refusal:
                raise UserError(self._refusal)
            return self._data.teacher()
        except UserError as error:
            self._refusal = str(error)
            raise

    @cached_property
    def needs_none(self) -> bool:
        """Whether no student could do much better than the GNN itself."""
        return self._find() is None and needs_no_student(self._teacher)

    def student(self, job: JobContext) -> TrainedStudent:
        """The student: kept from before, or trained now, with progress."""
        if (found := self._find()) is not None:
            return found
        job.take_long()
        taught = teach(self._teacher, job=job, seconds=self._seconds, device=job.device)
        self._taught = _cache.keep(self._path, taught)
        return taught


_models: Recent[str, Known] = Recent(4)  # models with their data, by their digest


def known_of(subject: Subject) -> Known:
    """What is known of the model and the data that a question is about."""
    data, seconds = subject.data, subject.question.seconds
    assert data is not None
    known = Known(data, subject.folder.parent / "students", inf if seconds is None else SHARE * seconds)
    return _models.find(data.digest, lambda: known)


def remember(known: Known) -> None:
    """Take over what another process has found out."""
    _models[known.digest] = known
