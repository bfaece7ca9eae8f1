"""A student learns from fragments what a GNN says of the whole, and is chosen where that is measured to be better."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data

from gfx_core import GFNConfig, UserError, explain, load_dataset, load_model
from gfx_core.config import Task
from gfx_core.explanation import fragments
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.gnn.training import FragmentSource
from gfx_core.trace.schema import STUDENT
from gfx_core.user_models import student as students
from gfx_core.user_models.instances import GNNInstances, open_instances
from gfx_core.user_models.student import (
    AGREES,
    Student,
    StudentConfig,
    StudentPredictor,
    TeacherGNN,
    TrainedStudent,
    divergence,
    load_taught,
    needs_no_student,
    save_taught,
    teach,
)
from tests.toys.foreign import Around, GraphNet, NodeNet, made, random_data, some_graphs

NODE = 748  # on a cycle of Tree-Cycles
SHORT = StudentConfig(steps=5, each=4, fragments=64, measured=32)
SMALL = GFNConfig(max_nodes=4, reward=RewardConfig(1.0))  # where it matters who is asked, and not what is found


@pytest.fixture(autouse=True)
def nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    fragments.models.clear()


@pytest.fixture(scope="module")
def plain() -> GNN:
    """It never saw a fragment."""
    return load_model("tree_cycles", "sum-plain")


@pytest.fixture(scope="module")
def teacher(plain: GNN) -> TeacherGNN:
    return GNNInstances(plain, load_dataset("tree_cycles")).teacher()


@pytest.fixture(scope="module")
def taught(teacher: TeacherGNN) -> TrainedStudent:
    return teach(teacher, StudentConfig(steps=60))


def test_it_agrees_and_knows_fragments_better(taught: TrainedStudent) -> None:
    assert taught.agreement > 0.97
    assert taught.divergence < 0.7 * taught.as_is
    assert taught.divergence < taught.constant < taught.as_is
    assert taught.is_better


def test_a_gnn_that_was_trained_on_fragments_stays_as_it_is(taught: TrainedStudent) -> None:
    knows = GNNInstances(load_model("tree_cycles"), load_dataset("tree_cycles")).teacher()
    *_, as_is, _ = students._measured(knows, StudentConfig())
    assert as_is < 1.2 * taught.divergence  # about as well as a student of another GNN of the same task
    assert not needs_no_student(knows)  # nobody knows a cycle from one of its nodes


def test_subgraphs_are_the_students_and_the_whole_is_the_given_gnns(plain: GNN, taught: TrainedStudent) -> None:
    instance = load_dataset("tree_cycles").instance(NODE, plain.hops)
    given = SubgraphPredictor(plain, [instance])
    predictor = StudentPredictor(taught, given, [instance])
    assert torch.equal(predictor.whole.logits, given.whole.logits)
    nodes = np.array([0, *instance.edge_index[1][instance.edge_index[0] == 0]])
    within = np.isin(instance.edge_index, nodes).all(0)
    local = {int(node): number for number, node in enumerate(nodes)}
    edges = np.vectorize(local.__getitem__)(instance.edge_index[:, within])
    x = students.as_student_reads(instance).x[nodes]
    slow = taught.student(torch.from_numpy(x), torch.from_numpy(edges))[0]
    assert torch.allclose(predictor(torch.from_numpy(nodes[None])).logits[0], slow, atol=1e-5)


def test_divergence_is_that_of_kullback_and_leibler() -> None:
    said, answers = torch.tensor([[0.5, 0.5], [0.9, 0.1]]), torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    slow = sum(p * math.log(p / q) for p, q in ((0.25, 0.5), (0.75, 0.5), (1.0, 0.9))) / 2
    assert divergence(said.log(), answers) == pytest.approx(slow, abs=1e-6)


def test_the_same_student_every_time_and_from_disk(teacher: TeacherGNN, tmp_path: Path) -> None:
    one, other = teach(teacher, SHORT), teach(teacher, SHORT)
    save_taught(one, tmp_path / "student.safetensors")
    kept = load_taught(tmp_path / "student.safetensors")
    for each in (other, kept):
        assert (each.agreement, each.divergence, each.as_is) == (one.agreement, one.divergence, one.as_is)
        for name, value in one.student.state_dict().items():
            assert torch.equal(value, each.student.state_dict()[name])
    (tmp_path / "student.safetensors").write_bytes(b"nothing")
    with pytest.raises(UserError):
        load_taught(tmp_path / "student.safetensors")


def test_slow_steps_are_fewer(teacher: TeacherGNN) -> None:
    assert teach(teacher, replace(SHORT, steps=100_000), seconds=1.0).made["steps"] < 1000


def test_a_large_graph_is_learnt_from_some_of_its_nodes(teacher: TeacherGNN, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = students._Lessons(teacher, SHORT, "cpu")
    monkeypatch.setattr(students, "_LARGE", 100)
    some = students._Lessons(teacher, SHORT, "cpu")
    student = Student(Task.NODE, teacher.dataset.x.shape[1], 2, 8, 3)
    nodes = np.array([0, 5, 700])
    assert torch.allclose(some.wholes(student, nodes), everything.wholes(student, nodes), atol=1e-5)
    assert len(some.learnt) <= students._SAMPLED


def test_models_of_others_are_asked_as_they_are() -> None:
    data, model = random_data(60), made(NodeNet)
    teacher = open_instances(model, data).teacher()
    fragments = FragmentSource(teacher.dataset).around(np.arange(60), 6, torch.Generator().manual_seed(0))
    asked = teacher.ask(fragments)
    for row, nodes in enumerate(fragments.nodes):
        held = nodes[nodes >= 0]
        number = {int(node): place for place, node in enumerate(held)}
        inside = torch.isin(data.edge_index, held).all(0)
        edges = data.edge_index[:, inside].clone().apply_(number.__getitem__)
        slow = model(data.x[held], edges)[0].log_softmax(-1)
        assert torch.allclose(asked[row], slow, atol=1e-5)


@pytest.mark.parametrize(
    ("model", "data", "why"),
    [
        (made(NodeNet), random_data(12), "at least 30 nodes"),
        (
            made(Around, after=lambda out: 0 * out + torch.tensor([1.0, 0, 0])),
            random_data(40),
            "always predicts the same",
        ),
        (made(GraphNet), some_graphs()[0], "at least 30 graphs"),
    ],
)
def test_where_nobody_can_learn_it_says_why(model: nn.Module, data: Data, why: str) -> None:
    index = None if isinstance(model, GraphNet) else 3
    found = explain(model, data, index, config=SMALL, progress=False)
    assert why in found.words
    assert "We explain the GNN as it is." in found.words
    with pytest.raises(UserError, match=why):
        explain(model, data, index, fragments="student", progress=False)


def test_a_student_that_disagrees_is_said_and_the_gnn_itself_stands_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    data, model, calls = random_data(40), made(NodeNet), []

    def bad(teacher: TeacherGNN, **_named: object) -> TrainedStudent:
        calls.append(1)
        return replace(teach(teacher, SHORT), agreement=AGREES - 0.3, divergence=0.1, as_is=1.0, constant=0.5)

    monkeypatch.setattr("gfx_core.explanation.fragments.teach", bad)
    found = explain(model, data, 3, config=SMALL, progress=False)
    assert STUDENT in found.trace.made
    assert "agrees with it on only 60 % of the nodes" in found.words
    as_is = explain(model, data, 3, config=SMALL, fragments="as is", progress=False)
    assert f"Without the student: {as_is.sentence}" in found.words
    assert len(calls) == 1  # once for a model and its data


def test_a_student_that_has_learnt_nothing_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def bad(teacher: TeacherGNN, **_named: object) -> TrainedStudent:
        return replace(teach(teacher, SHORT), agreement=0.5, divergence=0.5, as_is=1.0, constant=0.5)

    monkeypatch.setattr("gfx_core.explanation.fragments.teach", bad)
    found = explain(made(NodeNet), random_data(40), 3, config=SMALL, progress=False)
    assert STUDENT not in found.trace.made
    assert "did not learn what it predicts for their fragments" in found.words
    forced = explain(made(NodeNet), random_data(40), 3, config=SMALL, fragments="student", progress=False)
    assert STUDENT in forced.trace.made


def test_a_student_of_a_large_graph_says_how_much_of_it_it_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(students, "_LARGE", 50)
    monkeypatch.setattr(students, "_SAMPLED", 20)
    monkeypatch.setattr(StudentConfig, "of", classmethod(lambda _cls, _task: SHORT))
    found = explain(made(NodeNet), random_data(60), 3, config=SMALL, fragments="student", progress=False)
    assert "learned from 20 of its 60 nodes" in found.words
    small = explain(made(NodeNet), random_data(40), 3, config=SMALL, fragments="student", progress=False)
    assert "learned from" not in small.words
