"""What predicts fragments: the GNN as it is, or a student that learnt them from it.

The student is trained once for a model and its data, and kept; notes are about what was decided. No ground truth
decides: on nodes or graphs that the student did not learn from, it is measured how far each of the two is, on
fragments, from what the GNN predicts of the whole.
"""

from dataclasses import dataclass, replace
from functools import partial
from math import inf

from gfx_core.config import ASSETS, FragmentModel, Task
from gfx_core.errors import UserError
from gfx_core.explanation.subject import Subject
from gfx_core.job_context import JobContext
from gfx_core.storage import Recent, keep, read_kept
from gfx_core.text.answers import note
from gfx_core.text.numbers import about_percent
from gfx_core.user_models.student import (
    AGREES,
    LEARNT,
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


def through_student(subject: Subject, job: JobContext) -> tuple[Subject, tuple[str, ...]]:
    """The question with the student that it is answered through, if it is, and what was decided, in words.

    Args:
        subject: What is explained.
        job: Receives progress, and knows where to compute.
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
    auto, findings = wanted is FragmentModel.AUTO, known_of(subject, job)
    taught, refusal = findings.taught, findings.refusal
    if refusal and not auto:
        raise UserError(refusal)
    if taught is None:
        return subject, (note("as_is", why=refusal) if refusal else note("knows_fragments"),)
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


@dataclass(frozen=True)
class Known:
    """What was found out about a model and its data; `remember` takes it over in another process.

    Attributes:
        key: Model and data, and whether a student is trained only if it could do much better than the GNN itself.
        taught: The student; none where it could not.
        refusal: Why none can learn.
    """

    key: tuple[str, bool]
    taught: TrainedStudent | None = None
    refusal: str = ""


_models: Recent[tuple[str, bool], Known] = Recent(4)


def _key(subject: Subject) -> tuple[str, bool]:
    assert subject.data is not None
    return subject.data.digest, subject.question.fragments is FragmentModel.AUTO


def known_of(subject: Subject, job: JobContext) -> Known:
    """What is known of the model and the data that a question is about: a student is kept, or trained now."""
    return _models.find(_key(subject), lambda: _find_out(subject, job))


def _find_out(subject: Subject, job: JobContext) -> Known:
    data, seconds, key = subject.data, subject.question.seconds, _key(subject)
    assert data is not None
    path = subject.folder.parent / "students" / f"{data.digest}.safetensors"
    for kept in (*STUDENTS.glob(f"*-{path.name}"), path):
        if (taught := read_kept(kept, load_taught)) is not None:
            return Known(key, taught)
    try:
        teacher = data.teacher()
        if key[1] and needs_no_student(teacher):
            return Known(key)
        job.take_long()
        taught = teach(teacher, job=job, seconds=inf if seconds is None else SHARE * seconds, device=job.device)
    except UserError as error:
        return Known(key, refusal=str(error))
    keep(path, partial(save_taught, taught))
    return Known(key, taught)


def recall(subject: Subject) -> Known | None:
    """What this process has found out."""
    return _models.get(_key(subject))


def remember(known: Known) -> None:
    """Take over what another process has found out."""
    _models[known.key] = known
