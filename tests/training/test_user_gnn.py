"""A GNN for a data set of somebody's own, and the explanations that follow from it without any shipped policy."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.config import FlowSource, FragmentModel, Task
from gfx_core.datasets import uploads
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.explanation import run, subject
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gfn.own_policies import dataset_of, keep_policy, own_policy, policy_file
from gfx_core.gnn.checkpoint import ModelHeader, load_model, model_path, read_header, save_model
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext, TakesLongError
from gfx_core.training import user_gnn
from gfx_core.training.user_gnn_setting import GnnReport, GnnSetting
from gfx_core.user_data import store
from gfx_core.user_data.build import ColumnRoles, preview
from gfx_core.user_data.draft import DataFile, files_of
from tests.gnn.damaged_files import damaged, with_header


@pytest.fixture(scope="module")
def visit() -> Iterator[str]:
    name = store.new_visit()
    yield name
    store.forget_visit(name)


def upload(visit: str, *files: DataFile) -> str:
    """A data set that the visit has."""
    name = preview(files, visit).name
    store.accept(name)
    return name


def with_classes(graph: "nx.Graph[int]", classes: Sequence[str]) -> tuple[DataFile, DataFile]:
    """A graph whose nodes have these classes, as files."""
    nodes = "id,class\n" + "\n".join(f"{n},{name}" for n, name in zip(graph, classes, strict=True))
    edges = "source,target\n" + "\n".join(f"{a},{b}" for a, b in graph.edges)
    return DataFile("e.csv", edges.encode()), DataFile("nodes.csv", nodes.encode())


@pytest.fixture(scope="module")
def rings(visit: str) -> str:
    """The example with marked rings, and a GNN that was trained for two seconds."""
    name = upload(visit, *files_of("rings"))
    user_gnn.train_gnn(GnnSetting(name, hidden=16, seconds=2.0), JobContext())
    return name


def test_training_keeps_and_measures_a_gnn(rings: str) -> None:
    header = read_header(model_path(rings))
    report = GnnReport.from_dict(header.training["report"])
    assert header.dataset == rings
    assert header.knows_fragments
    assert report.accuracy == header.accuracy
    assert header.training["seconds"] < 10
    assert report.unseen == 48  # a fifth of 240 nodes
    assert (report.tested, report.right) == (24, f"{round(24 * report.accuracy['test'])} of 24")
    assert 0.4 < (report.commonest or 0) < 0.8
    assert sum(count for count, _, _ in report.bins) == report.unseen
    assert 0 < report.calibration_error < 1
    assert 0 < report.fragment_error < 1
    assert load_model(rings).hidden == 16


@pytest.mark.parametrize("counts", [(11, 109), (10, 10), (30, 11, 12, 57)])
def test_each_part_has_every_class_of_enough_members(visit: str, counts: tuple[int, ...]) -> None:
    classes = [f"c{label}" for label, count in enumerate(counts) for _ in range(count)]
    dataset = user_gnn.parted(load_dataset(preview(with_classes(nx.cycle_graph(len(classes)), classes), visit).name))
    assert sorted(np.concatenate(list(dataset.parts.values()))) == list(range(len(classes)))
    assert len(dataset.parts["train"]) == int(0.8 * len(classes))
    for part in dataset.parts.values():
        assert set(dataset.y[part]) == set(range(len(counts)))


def test_what_cannot_be_learnt_is_said(visit: str) -> None:
    few = upload(visit, DataFile("few.txt", b"a b\nb c\n"))
    with pytest.raises(UserError, match="at least 10 nodes"):
        user_gnn.train_gnn(GnnSetting(few), JobContext())
    same = preview(with_classes(nx.path_graph(12), "x" * 12), visit, ColumnRoles(label="class")).name
    with pytest.raises(UserError, match="the same class"):
        user_gnn.train_gnn(GnnSetting(same), JobContext())
    with pytest.raises(UserError, match="your own"):
        GnnSetting("ba_shapes")


def test_a_gnn_is_brought_or_lent(visit: str) -> None:
    name = upload(visit, DataFile("c.txt", b"0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n0 6\n6 7\n7 8\n"))
    report = user_gnn.bring_gnn(name, model_path("tree_cycles"))
    assert report.accuracy == {}
    assert load_dataset(name).info.classes == ("tree", "cycle")
    question = Question(name, "2")
    probabilities = run.ask(question)
    assert len(probabilities) == 2
    trace = explain(replace(question, flows=FlowSource.EXACT))
    assert trace.prediction.probabilities == pytest.approx(probabilities, abs=1e-5)
    assert not trace.has_truth


def test_a_gnn_that_does_not_fit_is_refused(visit: str, rings: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="classifies a graph"):
        user_gnn.bring_gnn(rings, model_path("ba_2motifs"))
    with pytest.raises(UserError, match="4 classes"):
        user_gnn.bring_gnn(rings, model_path("ba_shapes"))
    karate = upload(visit, *files_of("karate"))
    with pytest.raises(UserError, match="10 features"):
        user_gnn.bring_gnn(karate, model_path("tree_cycles"))
    (tmp_path / "x.safetensors").write_bytes(b"\x80\x04pickle")
    with pytest.raises(UserError, match="safetensors"):
        user_gnn.bring_gnn(rings, tmp_path / "x.safetensors")
    with pytest.raises(UserError, match="your own"):
        user_gnn.bring_gnn("ba_shapes", model_path("ba_shapes"))
    assert read_header(model_path(rings)).hidden == 16  # the one that was there stays


@pytest.fixture
def nameless(visit: str) -> str:
    """A data set without classes: those of the GNN that is brought first are written into it."""
    return upload(visit, DataFile("c.txt", b"a b\nb c\nc d\nd a\nd e\n"))


def contents(dataset: str) -> dict[str, bytes]:
    """All that is kept of a data set."""
    home = uploads.home_of(dataset)
    assert home is not None
    return {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}


def test_a_gnn_that_is_too_large_or_answers_with_no_numbers_leaves_nothing(nameless: str, tmp_path: Path) -> None:
    before, path = contents(nameless), tmp_path / "x.safetensors"
    for sizes, word in (((21, 8, 1), "21 classes"), ((2, 8, 17), "17 layers"), ((2, 513, 1), "513 numbers")):
        model = GNN(Task.NODE, "sum", 10, *sizes)
        save_model(model, ModelHeader("x", Task.NODE, "sum", 10, *sizes), path)
        with pytest.raises(UserError, match=word):
            user_gnn.bring_gnn(nameless, path)
    model = GNN(Task.NODE, "gcn", 10, 2, 8, 1)
    for weights in model.parameters():
        torch.nn.init.constant_(weights, 3e38)
    save_model(model, ModelHeader("x", Task.NODE, "gcn", 10, 2, 8, 1), path)
    with pytest.raises(UserError, match="NaN or infinity"):
        user_gnn.bring_gnn(nameless, path)
    assert contents(nameless) == before


def test_fuzz_of_brought_gnns(nameless: str, tmp_path: Path) -> None:
    """Whatever is wrong with a file, it is taken or refused in one sentence; what is refused leaves nothing."""
    rng, good, path = random.Random(0), model_path("tree_cycles").read_bytes(), tmp_path / "x.safetensors"
    before, refused = contents(nameless), 0
    for number in range(100):
        path.write_bytes(damaged(good, rng))
        sentence = ""
        try:
            user_gnn.bring_gnn(nameless, path)
        except UserError as error:
            sentence = str(error)
        if sentence:
            refused += 1
            assert len(sentence) < 300, number
            assert "\n" not in sentence, number
            assert contents(nameless) == before, number
        else:
            header = read_header(model_path(nameless))  # as pages do
            GnnReport.from_dict(header.training["report"])
            before = contents(nameless)
    assert refused > 50


def test_a_policy_that_is_trained_on_this_one_is_kept_with_the_data_set(
    visit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_gnn, "EPOCHS", 10)  # whatever the GNN has learnt will do
    monkeypatch.setattr(subject, "SCRATCH_EPOCHS", 2)
    name = upload(visit, *with_classes(nx.star_graph(30), ["hub", *"ab" * 15]))
    user_gnn.train_gnn(GnnSetting(name, hidden=8, num_layers=4, fragments=False, seconds=2.0), JobContext())
    question = Question(name, "0", tuned=True, max_nodes=2, fragments=FragmentModel.AS_IS, samples=16)
    reports: list[str] = []
    with pytest.raises(TakesLongError):  # it is put back among the long ones
        explain(question, JobContext(short=True))
    trace = explain(question, JobContext(progress=lambda _, words: reports.append(words)))
    assert trace.flows is FlowSource.LEARNED
    assert any("training on this one" in words for words in reports)
    home = uploads.home_of(name)
    assert home is not None
    assert len(list((home / "tuned").glob("*.safetensors"))) == 1
    reports.clear()
    run._remembered.clear()
    again = explain(question, JobContext(progress=lambda _, words: reports.append(words), short=True))
    assert not any("training on this one" in words for words in reports)  # it is kept with the data set
    assert again.samples == trace.samples

    policy = next((home / "tuned").glob("*.safetensors")).read_bytes()
    assert dataset_of(policy) == name
    kept = keep_policy(policy, name)
    assert policy_file(name, own=kept.name).is_relative_to(home)
    assert own_policy(kept.name, name) == kept
    elsewhere = with_header(policy, dataset=f"own-{name.split('-')[1]}-{'0' * 16}")
    assert keep_policy(elsewhere, name).dataset == name  # the same data set, brought by somebody else
    with pytest.raises(UserError, match="another visitor"):
        keep_policy(elsewhere)
    own = explain(replace(question, flows=FlowSource.LEARNED, own=kept.name))
    assert own.flows is FlowSource.LEARNED
    assert dataset_of(b"nothing") == ""
