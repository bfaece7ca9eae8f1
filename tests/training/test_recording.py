"""Recordings as files, and put together from events."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.training import recording
from gfx_core.training.recording import Assembler
from gfx_core.training.setting import LessonGraph, defaults_for

SETTING = defaults_for(LessonGraph("toy"))


def scene(first: int = 0, listed: bool = True) -> dict[str, Any]:
    """Two states of a graph of two nodes; one of them if not all are listed."""
    node = {"x": 0.0, "y": 0.0, "label": "a", "element": None, "motif": False}
    return {
        "from": first,
        "nodes": [node, node | {"x": 1.0, "label": "b"}],
        "edges": [[0, 1, 1, False]],
        "start": 0,
        "classes": ["no", "yes"],
        "predicted": 1,
        "probability": 0.75,
        "has_truth": False,
        "listed": listed,
        "states": [[0], [0, 1]] if listed else [[0]],
        "log_reward": [0.0, 1.0] if listed else [0.0],
        "links": [[0, 1, 1]] if listed else [],
        "target": recording.encode_probabilities([0.25, 0.75]) if listed else None,
        "exact": recording.encode_probabilities([0.75]) if listed else None,
        "log_z": 1.25 if listed else None,
        "target_marginals": [0.75] if listed else None,
    }


def frame(step: int, number: int = 0, listed: bool = True, **more: Any) -> dict[str, Any]:
    return {
        "step": step,
        "seconds": step / 100,
        "scene": number,
        "loss": 1.5,
        "residual": 0.5,
        "log_reward": -1.0,
        "size": 1.5,
        "total_variation": 0.25 if listed else None,
        "log_z": 1.0,
        "auc": None,
        "stop": recording.encode_probabilities([0.5, 0.5]) if listed else None,
        "flow": recording.encode_probabilities([0.5]),
        "residuals": recording.encode_residuals([0.0, -1.0]),
        "visits": recording.encode_probabilities([1.0, 0.5]),
        "marginals": [0.5],
        **more,
    }


def events() -> list[dict[str, Any]]:
    return [
        {"is": "made", "made": {"device": "cpu"}},
        {"is": "scene", "lane": 0, "scene": scene()},
        {"is": "frame", "lane": 0, "frame": frame(0)},
        {"is": "state", "running": True, "step": 0, "words": "step 0"},
        {"is": "frame", "lane": 0, "frame": frame(10)},
        {"is": "setting", "lane": 0, "setting": SETTING.changed({"beta": 2.0}).as_dict()},
        {"is": "scene", "lane": 0, "scene": scene(2)},
        {"is": "frame", "lane": 0, "frame": frame(12, 1, change={"beta": 2.0})},
        {"is": "end", "lane": 0, "end": "Done."},
    ]


def assembled() -> Assembler:
    assembler = Assembler("A toy", [SETTING])
    assembler.feed(events())
    return assembler


def test_it_is_put_together_from_events() -> None:
    assembler = assembled()
    assert assembler.num_events == len(events())
    assert assembler.state == {"running": True, "step": 0, "words": "step 0"}
    made = assembler.recording()
    assert (made.title, made.made) == ("A toy", {"device": "cpu"})
    (lane,) = made.lanes
    assert [frame.step for frame in lane.frames] == [0, 10, 12]
    assert [scene.first for scene in lane.scenes] == [0, 2]
    assert lane.setting.beta == 2.0
    assert lane.end == "Done."
    assert [each["step"] for each in assembler.as_dict()["lanes"][0]["frames"][1:]] == [10, 12]


def test_a_reset_takes_all_frames_back() -> None:
    assembler = assembled()
    assembler.feed([{"is": "reset", "lane": 0}])
    assert (assembler.generation, assembler.length) == (1, 0)
    assembler.feed([{"is": "scene", "lane": 0, "scene": scene()}, {"is": "frame", "lane": 0, "frame": frame(5)}])
    assembler.lose("The worker was lost.")
    (lane,) = assembler.recording().lanes
    assert [frame.step for frame in lane.frames] == [5]
    assert lane.end == "The worker was lost."


def test_files_come_back(tmp_path: Path) -> None:
    made = assembled().recording()
    path = tmp_path / "deep" / "toy.json"
    recording.write(made, path)
    assert recording.read(path) == made
    assert recording.from_json(recording.to_json(made).encode()) == made
    assert json.loads(path.read_text()) == assembled().as_dict()
    assert not list(tmp_path.glob("**/*.part"))


def test_states_that_come_with_frames() -> None:
    assembler = Assembler("Growing", [SETTING])
    first = frame(0, listed=False, flow=recording.encode_probabilities([]), residuals=recording.encode_residuals([0.0]))
    first["visits"] = recording.encode_probabilities([1.0])
    second = frame(5, listed=False, states=[[0, 1]], log_rewards=[1.0], links=[[0, 1, 1]])
    assembler.feed([{"is": "scene", "lane": 0, "scene": scene(listed=False)}])
    assembler.feed([{"is": "frame", "lane": 0, "frame": each} for each in (first, second)])
    made = assembler.recording()
    assert recording.from_json(recording.to_json(made)) == made


def test_the_curves_as_a_table() -> None:
    head, *rows = recording.csv(assembled().recording()).splitlines()
    assert head.startswith("lane,step,seconds,loss,residual,total_variation,log_z")
    assert len(rows) == 3
    assert rows[0] == '"table, flow matching",0,0.0,1.5,0.5,0.25,1.0,-1.0,1.5,,1.25,'
    assert rows[2].endswith("beta = 2.0")


def _damaged(path: str, value: Any) -> dict[str, Any]:
    values = copy.deepcopy(assembled().as_dict())
    *way, last = path.split(".")
    at: Any = values
    for part in way:
        at = at[int(part)] if part.isdigit() else at[part]
    if value is KeyError:
        del at[last]
    else:
        at[int(last) if last.isdigit() else last] = value
    return values


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", 99),
        ("kind", "trace"),
        ("lanes", []),
        ("lanes", KeyError),
        ("title", 3),
        ("extra", 1),
        ("lanes.0.setting", {}),
        ("lanes.0.scenes.0.nodes.0.x", "left"),
        ("lanes.0.scenes.0.edges.0", [0, 7, 1, False]),
        ("lanes.0.scenes.0.target", recording.encode_probabilities([1.0])),
        ("lanes.0.scenes.0.log_reward", [0.0]),
        ("lanes.0.scenes.0.links.0", [0, 2, 1]),
        ("lanes.0.scenes.0.listed", False),
        ("lanes.0.frames.0.scene", 5),
        ("lanes.0.frames.0.scene", 1),
        ("lanes.0.frames.0.stop", "AAA"),
        ("lanes.0.frames.0.visits", recording.encode_probabilities([1.0])),
        ("lanes.0.frames.0.marginals", [0.5, 0.5]),
        ("lanes.0.frames.0.states", [[0, 1]]),
        ("lanes.0.frames.0.step", KeyError),
        ("lanes.0.frames.0", 3),
        ("lanes.0.frames.0.loss", float("inf")),
        ("lanes.0.frames.0.loss", "-Infinity"),
        ("lanes.0.frames.0.log_reward", "-Infinity"),
        ("lanes.0.frames.0.colour", "red"),
        ("lanes.0.scenes.0.start", 2),
        ("lanes.0.scenes.0.predicted", 2),
        ("lanes.0.scenes.0.states.1", [0, 2]),
        ("lanes.0.scenes.0.nodes.0.label", "x" * 61),
        ("lanes.0.scenes.0.nodes.0.label", "a\nb"),
        ("made", {"deep": [[[[[[[[[[1]]]]]]]]]]}),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(path: str, value: Any) -> None:
    with pytest.raises(UserError) as refused:
        recording.from_json(json.dumps(_damaged(path, value)))
    assert str(refused.value).endswith(".")


def test_a_field_that_stands_twice_is_refused() -> None:
    with pytest.raises(UserError, match="same field twice"):
        recording.from_json(recording.to_json(assembled().recording())[:-1] + ',"title":"b"}')


@pytest.mark.parametrize("path", sorted((ASSETS / "trainings").glob("*.json")), ids=lambda path: path.stem)
def test_shipped_files_come_out_as_they_are(path: Path) -> None:
    assert recording.to_json(recording.read(path)).encode() == path.read_bytes()


def test_fuzz_of_recordings() -> None:
    """Some characters that are others: it is read, or refused in a sentence."""
    data, rng, refused = json.dumps(assembled().as_dict()).encode(), random.Random(1), list[str]()
    for _ in range(1000):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 5))):
            changed[rng.randrange(len(data))] = rng.choice(b'0123456789-.eE"{}[],:nul\x00\xff\\')
        try:
            recording.from_json(bytes(changed))
        except UserError as error:
            refused.append(str(error))
    assert 200 < len(refused) < 1000
    assert not any("\n" in sentence for sentence in refused)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, b"\xff\xfe\x00"])
def test_what_is_no_recording_at_all(text: str | bytes) -> None:
    with pytest.raises(UserError):
        recording.from_json(text)
    with pytest.raises(UserError, match="no recording"):
        recording.read(Path("/nowhere/at/all.json"))


# Numbers as short texts


def test_probabilities_come_back() -> None:
    values = np.concatenate([[0.0, 1.0, 1e-9, 1e-6, 0.5], np.random.RandomState(0).rand(100)])
    back = recording.decode_probabilities(recording.encode_probabilities(values))
    assert np.abs(np.sqrt(back) - np.sqrt(values)).max() <= 0.5 / recording.TOP + 1e-12
    assert (back[0], back[1]) == (0.0, 1.0)
    assert back[3] > 0  # a small chance is not none
    assert recording.decode_probabilities(recording.encode_probabilities([-1.0, 2.0, np.nan])).tolist() == [0, 1, 0]


def test_residuals_come_back() -> None:
    values = np.array([0.0, -3.3, 7.99, -20.0, 20.0, np.nan, np.inf])
    back = recording.decode_residuals(recording.encode_residuals(values))
    assert np.abs(back[:3] - values[:3]).max() < 2e-4
    assert back[3:].round(3).tolist() == [-8.0, 8.0, 0.0, 8.0]


def test_the_bytes_that_a_browser_reads() -> None:
    assert recording.encode_probabilities([0.0, 0.25, 1.0]) == "AAAAgP//"  # 0, 32768, 65535, low bytes first
    assert recording.encode_residuals([-8.0, 8.0]) == "AAD//w=="


@pytest.mark.parametrize("text", ["AAA=x", "AA==", "é"])
def test_a_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="cut off"):
        recording.decode_probabilities(text)
