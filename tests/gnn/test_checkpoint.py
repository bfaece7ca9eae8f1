"""Checkpoints: whole ones load, broken ones say so in a sentence."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.files import fingerprint, read_json_header
from gfx_core.gnn.checkpoint import PLAIN, ModelHeader, load_model, model_path, read_header, save_model
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_all
from gfx_core.gnn.training import default_config, split
from tests.gnn.damaged_files import INFINITE, NAN, as_type, put_together, taken_apart, with_header, with_weight

HEADER = ModelHeader("tree_cycles", Task.NODE, "sum", 10, 2, 8, accuracy={"test": 0.5})
GOALS = {"ba_shapes": 0.95, "ba_community": 0.88, "tree_cycles": 0.97, "tree_grid": 0.96, "ba_2motifs": 0.99}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    save_model(GNN(Task.NODE, "sum", 10, 2, 8), HEADER, path)
    return path


def test_there_and_back(saved: Path) -> None:
    model = GNN(Task.NODE, "sum", 10, 2, 8)
    save_model(model, HEADER, saved)
    loaded = load_model("tree_cycles", path=saved)
    assert read_header(saved) == HEADER
    assert not loaded.training
    assert all(
        torch.equal(a, b) for a, b in zip(model.state_dict().values(), loaded.state_dict().values(), strict=True)
    )


def test_the_fingerprint_is_that_of_the_weights(tmp_path: Path) -> None:
    model, files = GNN(Task.NODE, "sum", 10, 2, 8), [tmp_path / name for name in ("a", "b", "c")]
    save_model(model, HEADER, files[0])
    save_model(model, replace(HEADER, training={"date": "2000-01-01", "more": "x" * 100}), files[1])
    with torch.no_grad():
        next(model.parameters()).view(-1)[0] += 1e-3
    save_model(model, HEADER, files[2])
    first, again, other = map(fingerprint, files)
    assert first == again != other
    assert len(first) == len(other) == 32
    assert fingerprint(tmp_path / "nothing") == ""


def test_a_header_that_names_no_depth_is_of_three_layers(saved: Path) -> None:
    plain = model_path("tree_cycles", variant=PLAIN)
    assert "num_layers" not in read_json_header(plain, "")
    assert read_header(plain).num_layers == load_model("tree_cycles", variant=PLAIN).num_layers == 3
    save_model(GNN(Task.NODE, "sum", 10, 2, 8, 2), replace(HEADER, num_layers=2), saved)
    assert len(load_model("tree_cycles", path=saved).convs) == 2


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no file.*train gnn"):
        load_model("tree_cycles", path=tmp_path / "nothing.safetensors")


@pytest.mark.parametrize("keep", [0, 5, 200, -10])
def test_cut_off(saved: Path, keep: int) -> None:
    saved.write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(UserError, match="cut off"):
        load_model("tree_cycles", path=saved)


def test_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    save_file({"weight": torch.zeros(2)}, path)
    with pytest.raises(UserError, match="no valid header"):
        read_header(path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "transformer"}, "does not have"),
        ({"num_layers": 0}, "whole number from 1"),
        ({"num_layers": "four"}, "whole number from 1"),
        ({"schema": 99}, "version 99"),
        ({"wings": 2}, "no valid header"),
    ],
)
def test_header_of_another_program(tmp_path: Path, change: dict[str, object], sentence: str) -> None:
    path = tmp_path / "odd.safetensors"
    values = {"dataset": "tree_cycles", "task": "node", "kind": "sum", "in_channels": 10, "num_classes": 2}
    values |= {"hidden": 8, "schema": 1, **change}
    save_file({"weight": torch.zeros(2)}, path, metadata={"gfx": json.dumps(values)})
    with pytest.raises(UserError, match=sentence):
        read_header(path)


def test_weights_of_another_architecture(tmp_path: Path) -> None:
    path = tmp_path / "wrong.safetensors"
    save_model(GNN(Task.NODE, "gcn", 10, 2, 8), HEADER, path)
    with pytest.raises(UserError, match="do not fit"):
        load_model("tree_cycles", path=path)
    save_model(GNN(Task.NODE, "sum", 10, 2, 9), replace(HEADER, hidden=8), path)
    with pytest.raises(UserError, match="do not fit"):
        load_model("tree_cycles", path=path)


@pytest.mark.parametrize("name", ["in_channels", "num_classes", "hidden", "num_layers"])
@pytest.mark.parametrize("size", [0, -1, 1.5, "8", None, True, [], 10**9, 10**400, NAN])
def test_a_size_that_is_none(saved: Path, name: str, size: object) -> None:
    saved.write_bytes(with_header(saved.read_bytes(), **{name: size}))
    with pytest.raises(UserError, match=f"“{name}” must be a whole number from 1"):
        read_header(saved)


@pytest.mark.parametrize("name", ["in_channels", "num_classes", "hidden", "num_layers"])
def test_a_size_that_the_tensors_do_not_have(saved: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found out before a network of that size is made."""
    made: list[object] = []
    monkeypatch.setattr(GNN, "load_state_dict", lambda *_: made.append(None))
    for size in (1, 7, 50):
        saved.write_bytes(with_header(saved.read_bytes(), **{name: size}))
        with pytest.raises(UserError, match="do not fit"):
            load_model("tree_cycles", path=saved)
    assert not made


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"dataset": None}, "dataset"),
        ({"kind": ["sum"]}, "kind"),
        ({"task": "x" * 1000}, "task"),
        ({"accuracy": []}, "accuracy"),
        ({"accuracy": {"test": "x"}}, "accuracy"),
        ({"accuracy": {"test": NAN}}, "accuracy"),
        ({"statistics": {"nodes": INFINITE}}, "statistics"),
        ({"training": None}, "training"),
        ({"training": []}, "training"),
        ({"training": {"config": "x"}}, "config"),
        ({"training": {"config": {"fragments": "x"}}}, "config"),
        ({"training": {"seconds": "x"}}, "seconds"),
        ({"training": {"seconds": NAN}}, "seconds"),
        ({"training": {"epochs": None}}, "epochs"),
        ({"training": {"date": 5}}, "date"),
        ({"training": {"other": [INFINITE]}}, "infinite"),
        ({"schema": True}, "version True"),
        ({"schema": [[]]}, "version"),
    ],
)
def test_a_field_of_another_type(saved: Path, change: dict[str, object], word: str) -> None:
    saved.write_bytes(with_header(saved.read_bytes(), **change))
    with pytest.raises(UserError, match=word):
        read_header(saved)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"training": ' * 900 + "1" + "}" * 900,
        '{"hidden": ' + "1" * 10_000 + "}",
        '{"x": "' + "y" * 5_000_000 + '"}',
        "1",
        "null",
        "",
    ],
    ids=["brackets", "deep", "digits", "long", "number", "null", "nothing"],
)
def test_a_header_that_is_none(saved: Path, text: str) -> None:
    outer, _, body = taken_apart(saved.read_bytes())
    saved.write_bytes(put_together(outer, text, body))
    with pytest.raises(UserError, match=r"no valid header|too long"):
        read_header(saved)


@pytest.mark.parametrize("value", [NAN, INFINITE, -INFINITE])
def test_weights_that_are_no_numbers(saved: Path, value: float) -> None:
    saved.write_bytes(with_weight(saved.read_bytes(), value))
    with pytest.raises(UserError, match="infinite or no numbers"):
        load_model("tree_cycles", path=saved)


def test_weights_that_are_no_numbers_once_they_are_loaded(tmp_path: Path) -> None:
    path, model = tmp_path / "wide.safetensors", GNN(Task.NODE, "sum", 10, 2, 8).double()
    with torch.no_grad():
        model.head.bias[0] = 1e300
    save_model(model, HEADER, path)
    with pytest.raises(UserError, match="infinite or no numbers"):
        load_model("tree_cycles", path=path)


@pytest.mark.parametrize("kind", ["I32", "U32"])
def test_weights_of_another_type(saved: Path, kind: str) -> None:
    saved.write_bytes(as_type(saved.read_bytes(), kind))
    with pytest.raises(UserError, match=f"type {kind}"):
        read_header(saved)


def test_for_another_data_set(saved: Path) -> None:
    with pytest.raises(UserError, match="for tree_cycles, not a sum GNN for tree_grid"):
        load_model("tree_grid", path=saved)


def test_unknown_kind() -> None:
    with pytest.raises(UserError, match="choose one of sum, gcn"):
        load_model("tree_grid", "gat")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        save_model(GNN(Task.NODE, "sum", 10, 2, 8), HEADER, tmp_path / "file" / "model.safetensors")


@pytest.mark.parametrize("name", DATASETS)
def test_shipped_header_is_complete(name: str) -> None:
    header = read_header(model_path(name))
    assert header.dataset == name
    assert header.task is DATASETS[name].task
    assert header.num_classes == len(DATASETS[name].classes)
    assert set(header.accuracy) == {"train", "validation", "test"}
    assert {"config", "versions", "date", "device"} <= set(header.training)


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_gnn_is_the_seed_that_validation_chose(name: str, kind: str) -> None:
    if not model_path(name, kind).is_file():
        assert (name, kind) in {("ba_2motifs", "gcn"), ("graph_sst2", "gcn")}
        return
    header = read_header(model_path(name, kind))
    training, config = header.training, header.training["config"]
    assert config == asdict(default_config(name, kind)) | {"seed": config["seed"]}
    tried = {each["seed"]: each["validation_loss"] for each in training["tried"]}
    assert set(tried) == {0, 1, 2}
    assert min(tried, key=tried.__getitem__) == config["seed"]
    assert header.knows_fragments


@pytest.mark.parametrize("name", [name for name, info in DATASETS.items() if info.knows_reasons])
def test_the_plain_gnn_is_of_the_first_generation(name: str) -> None:
    header = read_header(model_path(name, variant=PLAIN))
    assert not header.knows_fragments
    now = asdict(default_config(name, plain=True))
    assert header.training["config"].items() <= now.items()


@pytest.mark.parametrize("name", GOALS)
def test_shipped_gnn_is_as_good_as_its_header_says(name: str) -> None:
    dataset, header = load_dataset(name), read_header(model_path(name))
    test = split(len(dataset.y), header.training["config"]["split_seed"])[2]
    right = predict_all(load_model(name), dataset).argmax(1) == dataset.y
    assert right[test].mean() == pytest.approx(header.accuracy["test"], abs=1e-9)
    assert header.accuracy["test"] >= GOALS[name]
    assert header.statistics == dataset.statistics


def test_shipped_mutagenicity_gnn(mutagenicity_root: Path) -> None:
    dataset, header = load_dataset("mutagenicity"), read_header(model_path("mutagenicity"))
    test = split(len(dataset.y), header.training["config"]["split_seed"])[2]
    right = predict_all(load_model("mutagenicity"), dataset).argmax(1) == dataset.y
    assert right[test].mean() == pytest.approx(header.accuracy["test"], abs=5e-3)
    assert header.accuracy["test"] >= 0.80
    assert header.statistics == dataset.statistics
