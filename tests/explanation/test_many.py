"""Many predictions at once: each row says what the prediction's own explanation says, wherever it was made."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from distributed.protocol import deserialize, serialize
from torch_geometric.data import Data

from gfx_core import GFNConfig, UserError, explain, explain_many
from gfx_core.explanation import fragments, many, run
from gfx_core.explanation.many import NamedQuestions, Row, explain_all
from gfx_core.explanation.question import Question
from gfx_core.gfn.settings import RewardConfig
from gfx_core.job_context import JobContext, StoppedError
from gfx_core.parallel import Workers
from gfx_core.trace.schema import STUDENT
from tests.toys.foreign import GraphNet, made, some_graphs

SMALL = GFNConfig(max_nodes=4, reward=RewardConfig(1.0))


def rows_of(table: pd.DataFrame) -> list[Row]:
    """As they are but for what it took, and for the kind of the answer, which a trace does not tell."""
    return [replace(Row(**values), seconds=0.0, kind="", made_by="") for values in table.to_dict("records")]  # type: ignore[arg-type]


class Asked(list[Question]):
    """What was explained in this process, and what is raised instead."""

    instead: dict[str, Exception]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    questions, explained = Asked(), run.explained
    questions.instead = {}

    def counted(question: Question, *rest: Any, **named: Any) -> Any:
        if error := questions.instead.get(question.name):
            raise error
        questions.append(question)
        return explained(question, *rest, **named)

    monkeypatch.setattr(run, "explained", counted)
    return questions


def test_a_row_is_the_explanation_of_that_graph_alone() -> None:
    model, graphs = made(GraphNet), some_graphs(40)
    table = explain_many(model, graphs, [3, 39, 3, 0], config=SMALL, fragments="student", progress=False)
    assert table["index"].tolist() == [3, 39, 0]
    for found in rows_of(table):
        trace = explain(model, graphs, found.index, config=SMALL, fragments="student", progress=False).trace
        assert found == Row.of(trace)
        assert found.given_alone == trace.made[STUDENT]["given_alone"][trace.prediction.predicted]
        assert set(found.nodes) >= {node for edge in found.edges for node in edge}
        assert "student" in found.note
    assert (table["seconds"] > 0).all()


def test_by_name_as_pages_and_commands_ask() -> None:
    questions = NamedQuestions("tree_cycles", "sum", options={"beta": 30.0})
    (found,) = explain_all(questions, [600])
    assert replace(found, seconds=0.0, kind="", made_by="") == Row.of(
        run.explain(Question("tree_cycles", "600", beta=30.0))
    )
    assert found.kind == "a ring of six"


def test_one_that_cannot_be_explained_is_a_row_that_says_why(asked: Asked) -> None:
    """Because of its data, or of an error of the model's own."""
    graphs = some_graphs(6)
    graphs[2].x[0, 0] = torch.nan
    graphs[5].edge_index = graphs[5].edge_index + 99
    asked.instead["1"] = RuntimeError("of its\nown")
    table = explain_many(made(GraphNet), graphs, [0, 1, 2, 5], config=SMALL, progress=False)
    assert table["error"].tolist()[:2] == ["", "RuntimeError: of its own"]
    assert "NaN" in table["error"][2]
    assert "outside" in table["error"][3]
    assert table["sentence"].tolist()[1:] == ["", "", ""]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"indices": [3]}, "no prediction 3"),
        ({"indices": "some"}, "whole number"),
        ({"device": "tpu"}, "no device “tpu”"),
        ({"beta": -1}, "from 1e-09"),
        ({"colour": "red"}, "no option “colour”"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        explain_many(made(GraphNet), some_graphs(3), **{"progress": False, **options})


def test_what_is_finished_is_not_computed_again(tmp_path: Path, asked: Asked) -> None:
    model, graphs, out = made(GraphNet), some_graphs(5), tmp_path / "new" / "table.jsonl"

    def table(indices: Any, out: Path = out, data: list[Data] = graphs, **options: Any) -> pd.DataFrame:
        asked.clear()
        return explain_many(model, data, indices, config=SMALL, out=str(out), progress=False, **options)

    first = table([0, 2])
    assert len(asked) == 2
    again = table([2, 0, 4])
    assert [question.name for question in asked] == ["4"]
    pd.testing.assert_frame_equal(again.iloc[[1, 0]].reset_index(drop=True), first)
    saved = pd.read_json(out, lines=True)
    assert saved["index"].tolist() == [0, 2, 4]
    assert saved["nodes"][0] == list(first["nodes"][0])
    for changed in ({"seed": 1}, {"data": [*graphs[:2], some_graphs(9)[8], *graphs[3:]]}, {"classes": list("abc")}):
        table([0, 2], **changed)
        assert len(asked) == 2
    assert [path.name for path in out.parent.iterdir()] == ["table.jsonl"]


def test_a_run_that_was_stopped_goes_on_and_what_failed_is_tried_again(tmp_path: Path, asked: Asked) -> None:
    questions, out, told = NamedQuestions("tree_cycles", "sum"), tmp_path / "table.jsonl", list[tuple[float, str]]()
    job = JobContext(progress=lambda *each: told.append(each), cancelled=lambda: len(asked) == 2)
    with pytest.raises(StoppedError):
        explain_all(questions, [600, 601, 602], out=out, job=job)
    assert told[-1] == (1 / 3, "1 of 3 explained")
    assert pd.read_json(out, lines=True)["index"].tolist() == [600, 601]
    out.write_text(out.read_text()[:-9])  # as if it had been killed while it wrote
    asked.instead["602"] = UserError("Not now.")
    assert [row.error for row in explain_all(questions, [600, 601, 602], out=out)] == ["", "", "Not now."]
    asked.instead.clear()
    assert [question.name for question in asked] == ["600", "601", "601"]
    assert explain_all(questions, [602, 601], out=out)[0].error == ""
    assert [question.name for question in asked] == ["600", "601", "601", "602"]


def test_a_file_of_somebody_else_is_not_written_over(tmp_path: Path) -> None:
    for number, text in enumerate(("a,b\n1,2\n", b"\xff\xfe", "index\n" * 3, "{}")):
        out = tmp_path / f"{number}.jsonl"
        out.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(UserError, match="not a table"):
            explain_all(NamedQuestions("tree_cycles", "sum"), [600], out=out)


def test_a_row_whose_worker_dies_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(compute: Any, batch: Any, tasks: Any, where: Workers) -> Any:
        yield from ((task, None if task == 2 else compute(batch, task)) for task in tasks)

    monkeypatch.setattr(many, "computed", dying)
    table = explain_many(made(GraphNet), some_graphs(4), config=SMALL, progress=False)
    assert table["index"].tolist() == [0, 1, 2, 3]
    assert table["error"].tolist() == ["", "", "Its worker died twice (out of memory?).", ""]


def test_another_computer_makes_the_same_rows_through_the_student_that_was_trained_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, graphs = made(GraphNet), some_graphs(40)
    options: dict[str, Any] = {"config": SMALL, "fragments": "student", "samples": 8, "progress": False}
    here = explain_many(model, graphs, range(4), **options)

    def elsewhere(compute: Any, batch: Any, tasks: Any, where: Workers) -> Any:
        """Where nobody finds the student; what goes there is as dask sends it."""
        monkeypatch.setenv("GFX_DATA", str(tmp_path / "elsewhere"))
        monkeypatch.setattr(fragments, "teach", None)
        fragments.models.clear()
        there = deserialize(*serialize(batch))
        yield from ((task, compute(there, task)) for task in tasks)

    monkeypatch.setattr(many, "computed", elsewhere)
    assert rows_of(explain_many(model, graphs, range(4), **options)) == rows_of(here)
    assert not (tmp_path / "elsewhere" / "students").exists()
