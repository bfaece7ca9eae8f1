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

_MOST = 0.5  # a student that learnt from a smaller share of all nodes has a note


@dataclass(frozen=True)
class Known:
    """What was found out about a model and its data.

    Attributes:
        taught: The student; none where none can learn, or where it could not do much better than the GNN itself.
        refusal: Why none can learn.
    """

    taught: TrainedStudent | None = None
    refusal: str = ""


models: Recent[tuple[str, bool], Known] = Recent(4)
"""By model and data, and whether a student is trained only if it could do much better than the GNN itself."""


def through_student(subject: Subject, job: JobContext) -> tuple[Subject, tuple[str, ...]]:
    """The question with the student that it is answered through, if it is, and what was decided, in words.

    Args:
        subject: What is explained.
        job: Receives progress, and has the device.
    """
    question, auto = subject.question, subject.question.fragments is FragmentModel.AUTO
    if question.fragments is FragmentModel.AS_IS or subject.taught is not None:
        return subject, ()
    single = subject.data is None and question.user is not None
    if auto and (single or subject.policy is not None or subject.knows_fragments):
        return subject, ()
    known = known_of(subject, job)
    taught, refusal = known.taught, known.refusal
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
    count, total = taught.made.get("learnt_from", (0, 0))
    if count < _MOST * total:
        notes.append(note("learned_from_some", count=count, total=total, things=things))
    return replace(subject, taught=taught, policy=None), tuple(notes)


def known_of(subject: Subject, job: JobContext) -> Known:
    """The student of the model and the data that a question is about: it is kept, or trained now."""
    data, seconds = subject.data, subject.question.seconds
    if data is None:
        return Known(refusal="A student learns from a data set, but this is a single graph: give its data set too.")
    auto = subject.question.fragments is FragmentModel.AUTO
    file = subject.folder.parent / "students" / f"{data.digest}.safetensors"

    def find_out() -> Known:
        for kept in (*STUDENTS.glob(f"*-{file.name}"), file):
            if (taught := read_kept(kept, load_taught)) is not None:
                return Known(taught)
        try:
            teacher = data.teacher()
            if auto and needs_no_student(teacher):
                return Known()
            job.take_long()
            taught = teach(teacher, job=job, seconds=inf if seconds is None else seconds, device=job.device)
        except UserError as error:
            return Known(refusal=str(error))
        keep(file, partial(save_taught, taught))
        return Known(taught)

    return models.find((data.digest, auto), find_out)
