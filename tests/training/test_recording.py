"""Recordings as files, and put together from events."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.training import codes, recording
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.live import begin_event
from gfx_core.training.recording import Assembler
from gfx_core.training.training import defaults_for
from tests.training.toy_recording import Toy, decode_residuals, toy_recording

TRAINING = defaults_for(LessonGraph("toy"))


def events() -> list[dict[str, Any]]:
    """Of a training whose β was changed before its third frame."""
    (lane,) = toy_recording(Toy(frames=3, changed=2))["lanes"]
    first, second, third = ({"is": "frame", "lane": 0, "frame": each} for each in lane["frames"])
    before, after = ({"is": "scene", "lane": 0, "scene": each} for each in lane["scenes"])
    return [
        begin_event([TRAINING]) | {"made": {"device": "cpu"}},
        before,
        first,
        {"is": "state", "running": True, "step": 0, "words": "step 0"},
        second,
        begin_event([TRAINING.changed({"beta": 2.0})], "changed"),
        after,
        third,
        {"is": "end", "lane": 0, "end": "Done."},
    ]


def assembled() -> Assembler:
    assembler = Assembler("A toy")
    assembler.feed(events())
    return assembler


def test_it_is_put_together_from_events_and_a_reset_takes_all_frames_back() -> None:
    assembler = assembled()
    assert assembler.num_events == len(events())
    assert assembler.state == {"is": "state", "running": True, "step": 0, "words": "step 0"}
    made = assembler.recording()
    assert (made.title, made.made) == ("A toy", {"device": "cpu"})
    (lane,) = made.lanes
    assert [frame.step for frame in lane.frames] == [0, 50, 100]
    assert [scene.first for scene in lane.scenes] == [0, 2]
    assert lane.training.config.reward.beta == 2.0
    assert lane.end == "Done."
    assembler.feed(events()[:1])
    assert (assembler.generation, assembler.length) == (1, 0)
    assembler.feed(events()[1:3])
    assembler.lose("The worker was lost.")
    (lane,) = assembler.recording().lanes
    assert ([frame.step for frame in lane.frames], lane.end) == ([0], "The worker was lost.")


def test_files_come_back(tmp_path: Path) -> None:
    made = assembled().recording()
    path = tmp_path / "deep" / "toy.json"
    recording.write(made, path)
    assert recording.read(path) == made
    assert recording.from_json(recording.to_json(made).encode()) == made
    assert json.loads(path.read_text()) == {"schema": 2, "kind": "training"} | assembled().as_dict()
    assert not list(tmp_path.glob("**/*.part"))


def test_the_curves_as_a_table() -> None:
    made = assembled().recording()
    rows = list(csv.DictReader(recording.csv(made).splitlines()))
    assert [row["change"] for row in rows] == ["", "", "beta = 2.0"]
    for row, frame in zip(rows, made.lanes[0].frames, strict=True):
        assert (row["lane"], int(row["step"])) == ("table, flow matching", frame.step)
        assert all(float(row[name]) == getattr(frame, name) for name in recording.CURVES)
        assert float(row["true_log_z"]) == made.lanes[0].scenes[frame.scene].log_z


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", 99),
        ("lanes", []),
        ("lanes.0.question", {}),
        ("lanes.0.config", {"lr": 0}),
        ("lanes.0.scenes.0.modes", [999]),
        ("lanes.0.scenes.0.edges.0", [0, 77, 1, False]),
        ("lanes.0.scenes.0.target", codes.encode_probabilities([1.0])),
        ("lanes.0.scenes.0.links.0", [0, 999, 1]),
        ("lanes.0.scenes.0.listed", False),
        ("lanes.0.frames.0.scene", 5),
        ("lanes.0.frames.0.stop", "AAA"),
        ("lanes.0.frames.0.marginals", [0.5, 0.5]),
        ("lanes.0.frames.0.loss", float("inf")),
        ("lanes.0.scenes.0.nodes.0.label", "x" * 61),
        ("made", {"x" * 61: 1}),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(path: str, value: Any) -> None:
    values = assembled().as_dict()
    *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
    holder: Any = values
    for part in way:
        holder = holder[part]
    holder[last] = value
    with pytest.raises(UserError, match=r"\.$"):
        recording.from_json(json.dumps(values))


@pytest.mark.parametrize("path", sorted((ASSETS / "trainings").glob("*.json")), ids=lambda path: path.stem)
def test_shipped_files_come_out_as_they_are(path: Path) -> None:
    assert recording.to_json(recording.read(path)).encode() == path.read_bytes()


def test_fuzz_of_recordings() -> None:
    """Some characters that are others: it is read, or refused in a sentence."""
    data, rng, refused = json.dumps(assembled().as_dict()).encode(), random.Random(1), list[str]()
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 5))):
            changed[rng.randrange(len(data))] = rng.choice(b'0123456789-.eE"{}[],:nul\x00\xff\\')
        try:
            recording.from_json(bytes(changed))
        except UserError as error:
            refused.append(str(error))
    assert 50 < len(refused) < 300
    assert not any("\n" in sentence for sentence in refused)

    for text in ("", "{", "[]", "[" * 100_000, b"\xff\xfe\x00"):
        with pytest.raises(UserError):
            recording.from_json(text)


def test_numbers_come_back_from_short_texts() -> None:
    values = np.concatenate([[0.0, 1.0, 1e-9, 1e-6, 0.5], np.random.RandomState(0).rand(100)])
    back = codes.decode_probabilities(codes.encode_probabilities(values))
    assert np.abs(np.sqrt(back) - np.sqrt(values)).max() <= 0.5 / codes.TOP + 1e-12
    assert back[3] > 0  # a small chance is not none
    assert codes.decode_probabilities(codes.encode_probabilities([-1.0, 2.0, np.nan])).tolist() == [0, 1, 0]
    residuals = decode_residuals(codes.encode_residuals(np.array([-3.3, 7.99, -20.0, 20.0, np.nan])))
    assert residuals == pytest.approx([-3.3, 7.99, -8.0, 8.0, 0.0], abs=2e-4)
    # the bytes that a browser reads: 0, 32768, 65535, low bytes first
    assert codes.encode_probabilities([0.0, 0.25, 1.0]) == "AAAAgP//"
