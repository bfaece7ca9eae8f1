"""GNNs of ours that never saw a fragment: which student explains them, when it is trained, and what is said of it."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from gfx_core import UserError, load_dataset, load_model
from gfx_core.baselines.masks import score_edges
from gfx_core.datasets import source
from gfx_core.datasets.registry import source_of
from gfx_core.explanation import fragments
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.kinds import PLAIN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.job_context import JobContext, StoppedError, TakesLongError
from gfx_core.trace.schema import STUDENT
from gfx_core.user_models.instances import GNNInstances
from gfx_core.user_models.student import StudentConfig, TeacherGNN, TrainedStudent, load_taught, teach

PLAIN_GNN = Question("tree_cycles", "612", gnn="sum-plain")
NOTE = "This GNN was never trained on fragments."
SHORT = StudentConfig(steps=20, each=4, fragments=64, measured=32)


@pytest.fixture
def trainings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[TrainedStudent]:
    """No student is shipped, and those that are trained learn little; each is said to be better."""
    made: list[TrainedStudent] = []

    def teach_little(teacher: TeacherGNN, *, job: JobContext, **_named: object) -> TrainedStudent:
        made.append(replace(teach(teacher, SHORT, job=job), agreement=0.99, divergence=0.0))
        return made[-1]

    monkeypatch.setattr(fragments, "STUDENTS", tmp_path)
    monkeypatch.setattr(fragments, "teach", teach_little)
    return made


def test_a_shipped_student_is_found_by_its_gnn_and_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "teach", None)  # nothing is trained
    found = explain(PLAIN_GNN, JobContext(short=True))
    assert found.model == "sum-plain"
    assert found.notes[0].startswith(NOTE)
    first, model = found.answer.first, load_model("tree_cycles", "sum-plain")
    assert {found.nodes[each].id for each in first.nodes} == set(range(607, 613))
    given = SubgraphPredictor(model, [load_dataset("tree_cycles").instance(612, model.hops)])
    alone = given(torch.tensor([first.nodes])).probabilities[0].tolist()
    assert found.made[STUDENT]["given_alone"] == pytest.approx(alone, abs=1e-5)
    assert found.prediction.probabilities == pytest.approx(given.whole.probabilities[0].tolist(), abs=1e-5)
    as_is = explain(replace(PLAIN_GNN, fragments="as is"))
    assert not as_is.notes
    assert STUDENT not in as_is.made
    assert as_is.prediction == found.prediction  # what is explained is the same


@pytest.mark.parametrize("path", sorted(fragments.STUDENTS.iterdir()), ids=lambda path: path.name.split("-")[0])
def test_the_shipped_students_are_of_the_shipped_gnns(path: Path) -> None:
    dataset, kind, plain, digest = path.stem.split("-")
    assert plain == PLAIN
    gnn = f"{kind}-{plain}"
    if source_of(dataset, "index").ready:  # Mutagenicity is not here everywhere
        assert GNNInstances(load_model(dataset, gnn), load_dataset(dataset)).digest == digest
    assert model_path(dataset, gnn).is_file()
    taught = load_taught(path)
    assert taught.is_better
    assert taught.made["config"]["seed"] == 0
    assert {"versions", "date", "seconds", "device"} <= taught.made.keys()


def test_a_student_is_trained_once_among_the_long_jobs(trainings: list[TrainedStudent]) -> None:
    with pytest.raises(TakesLongError):
        explain(PLAIN_GNN, JobContext(short=True))
    before = dict(fragments.models)  # as in the worker that put it back
    fragments.models.clear()
    words: list[str] = []
    assert explain(PLAIN_GNN, JobContext(progress=lambda _, said: words.append(said))).notes[0].startswith(NOTE)
    assert "training a student of the GNN: step 20 of 20" in words
    assert len(trainings) == 1
    fragments.models.clear()
    fragments.models.update(before)
    assert explain(replace(PLAIN_GNN, name="613"), JobContext(short=True)).notes[0].startswith(NOTE)
    assert score_edges(PLAIN_GNN, "gflowexplainer", JobContext(short=True)).scores
    assert len(trainings) == 1


def test_a_cancelled_training_keeps_nothing(trainings: list[TrainedStudent], tmp_path: Path) -> None:
    words: list[str] = []
    job = JobContext(
        progress=lambda _, said: words.append(said), cancelled=lambda: any("student" in said for said in words)
    )
    with pytest.raises(StoppedError):
        explain(PLAIN_GNN, job)
    with pytest.raises(StoppedError):  # nor does another method begin it in secret
        score_edges(PLAIN_GNN, "gflowexplainer", JobContext(cancelled=partial(bool, True)))
    assert not trainings
    assert not list(tmp_path.rglob("*.safetensors"))


def test_nothing_is_downloaded_for_a_student(trainings: list[TrainedStudent]) -> None:
    source._kept.cache_clear()
    nitrobenzene = Question("mutagenicity", "Nitrobenzene", "compound", "sum-plain")
    found = explain(nitrobenzene)
    assert found.notes[0].endswith("GNN as it is.")
    with pytest.raises(UserError, match="from a data set"):
        explain(replace(nitrobenzene, fragments="student"))
    assert not trainings
