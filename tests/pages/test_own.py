"""Own data: from something that somebody brought to an answer, and whose it is."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core import limits
from gfx_core.config import Task
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gnn.checkpoint import model_path
from gfx_core.job_context import JobContext
from gfx_core.jobs.requests import BringGnn, Explain, TrainGnn
from gfx_core.trace import serialize
from gfx_core.trace.schema import STUDENT
from gfx_core.training.user_gnn_setting import GnnReport
from gfx_core.user_data import store
from gfx_core.user_data.build import preview
from gfx_core.user_data.examples import files_of
from gfx_core.user_data.read import DataFile
from pages.ui import sessions as visits
from pages.ui.components.graph_editor import Sketch
from pages.ui.explorer import loaders
from pages.ui.own import gnn as gnn_views
from pages.ui.own.upload import MODEL_LINES
from pages.ui.sessions import Visit
from tests.pages.hostile import ALL, HOSTILE, check_that_nothing_is_markdown
from tests.pages.page_reading import (
    Open,
    answered,
    component,
    has,
    looked_until,
    opened,
    opened_with,
    read,
    texts,
    url,
)


@pytest.fixture
def visit() -> Iterator[Visit]:
    made = Visit()
    yield made
    store.forget_visit(made.name)


def brought(visit: Visit, *files: DataFile) -> str:
    """A data set that a visit has."""
    found = preview(files, visit.name)
    store.accept(found.name)
    return found.name


def seen_by(visit: Visit, page: str, **link: str) -> AppTest:
    """A page as it is in a visit."""
    return opened_with({"visit": visit}, page, **link)


def test_pasted_text_and_what_is_wrong_with_it(open_page: Open) -> None:
    at = open_page("own", **{"from": "paste"})
    assert limits.in_words() in texts(at)
    at.text_area(key="own-pasted").set_value("a b\nb")
    at.button(key="own-read").click().run()
    answered(at)
    assert "2 nodes, 1 edge" in texts(at)
    assert "1 line of “pasted text”" in read(texts(at))
    at.text_area(key="own-pasted").set_value('{"nodes": [')
    at.button(key="own-read").click().run()
    answered(at)
    assert "not whole JSON" in read(at.error[0].value)
    assert at.text_area(key="own-pasted").value == '{"nodes": ['  # nothing is lost
    at.text_area(key="own-pasted").set_value("a b\nb c")
    at.button(key="own-read").click().run()
    answered(at)
    assert not at.error
    at.text_area(key="own-pasted").set_value(
        f'source,target,"{HOSTILE[0]}"\n"{ALL}","{HOSTILE[1]}",1\n"{HOSTILE[2]}",b,2'
    )
    at.button(key="own-read").click().run()
    answered(at)
    check_that_nothing_is_markdown(at)
    assert HOSTILE[0] in read(texts(at))  # the column that is not used
    at.button(key="own-leave").click().run()
    assert "own-take" not in [button.key for button in at.button]


def test_columns_can_be_said_to_mean_something_else(open_page: Open) -> None:
    at = open_page("own", **{"from": "example"})
    at.button(key="own-try-karate").click().run()
    answered(at)
    features = next(box for box in at.multiselect if box.label == "Features that the GNN reads")
    assert features.value == ["friends"]
    features.set_value([]).run()
    answered(at)
    assert "every node looks the same" in texts(at)
    label = next(box for box in at.selectbox if box.label == "What should the GNN predict?")
    assert (label.value, label.options[0]) == (("label", "club"), "club: 2 values")
    label.set_value(("structure", "roles")).run()
    answered(at)
    assert "come from the graph itself, not from your data" in texts(at)
    label = next(box for box in at.selectbox if box.label == "What should the GNN predict?")
    label.set_value(("", "")).run()
    answered(at)
    assert any("Without classes no GNN can be trained" in note.value for note in at.info)
    name = next(box for box in at.text_input if box.label == "Call it")
    name.set_value("People").run()
    answered(at)
    at.button(key="own-take").click().run()
    assert "People" in [heading.value for heading in at.subheader]
    assert "no classes" in texts(at)
    assert any("has no classes, and a GNN learns from at least 10 nodes" in note.value for note in at.info)
    lent = next(box for box in at.selectbox if box.label.startswith("Or use one of the explorer"))
    assert "Tree-Cycles (Sum)" in lent.options


def test_numbers_can_be_said_to_be_categories(open_page: Open) -> None:
    at = open_page("own", **{"from": "example"})
    at.button(key="own-try-karate").click().run()
    answered(at)
    assert "categories" not in texts(at)
    named = next(box for box in at.multiselect if box.label == "Numbers that are names of categories")
    assert (named.options, named.value) == (["friends"], [])
    named.set_value(["friends"]).run()
    answered(at)
    assert "The numbers of “friends” are names of" in texts(at)
    assert "one scale" not in texts(at)


def test_a_plain_edge_list_can_be_learnt(open_page: Open) -> None:
    at = open_page("own", **{"from": "example"})
    at.button(key="own-try-novel").click().run()
    answered(at)
    label = next(box for box in at.selectbox if box.label == "What should the GNN predict?")
    assert label.value == ("structure", "communities")
    assert "come from the graph itself, not from your data" in texts(at)
    next(box for box in at.text_input if box.label == "Call it").set_value("BA-Shapes").run()
    answered(at)
    at.button(key="own-take").click().run()
    assert "BA-Shapes 2" in [read(heading.value) for heading in at.subheader]  # a shipped one has that name
    assert "own-gnn-train" in [button.key for button in at.button]


def test_a_column_that_gives_the_class_away_is_told_and_can_be_left_out(open_page: Open) -> None:
    files = {"nodes": [{"id": n, "class": "ab"[n % 2], "kind": "xy"[n % 2], "age": n % 5} for n in range(12)]}
    text = json.dumps(files | {"links": [{"source": n, "target": (n + 1) % 12} for n in range(12)]})
    at = open_page("own", **{"from": "paste"})
    at.text_area(key="own-pasted").set_value(text)
    at.button(key="own-read").click().run()
    answered(at)
    assert [warning.value for warning in at.warning if "“kind” gives the class away" in warning.value]
    at.button(key="own-leave-out-kind").click().run()
    answered(at)
    assert not at.warning
    features = next(box for box in at.multiselect if box.label == "Features that the GNN reads")
    assert features.value == ["age"]


def test_the_lines_for_a_model_are_run_and_their_file_opens_here(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torch_geometric.nn import GIN

    at = open_page("own", **{"from": "model"})
    assert [code.value for code in at.code] == [MODEL_LINES.strip()]
    monkeypatch.chdir(tmp_path)
    data = load_dataset("tree_cycles").to_pyg()
    exec(MODEL_LINES, {"model": GIN(data.x.shape[1], 8, 2, out_channels=2), "data": data})
    trace = serialize.load(tmp_path / "why.json")
    assert (trace.index, trace.task) == (9, Task.NODE)


def test_two_visitors(visit: Visit) -> None:
    name = brought(visit, *files_of("karate"))
    mine, other = seen_by(visit, "datasets", dataset=name), opened("datasets", dataset=name)
    assert read(mine.title[0].value) == "karate edges"
    assert read(other.title[0].value) == "BA-Shapes"
    assert "another visitor" in read(other.warning[0].value)
    assert name in mine.selectbox[0].options or "karate edges" in mine.selectbox[0].options
    assert "karate edges" not in other.selectbox[0].options
    for page in ("explain", "compare", "own"):
        at = opened(page, dataset=name)
        assert "another visitor" in read(at.warning[0].value), page
        assert "Karate" not in texts(at)
    again = Visit()  # whoever brings the same file can use the link
    brought(again, *files_of("karate"))
    found = seen_by(again, "datasets", dataset=name)
    assert read(found.title[0].value) == "karate edges"
    assert not found.warning
    store.forget_visit(again.name)


def test_two_data_sets_of_one_file_name_are_two(visit: Visit) -> None:
    first, second = (brought(visit, DataFile("karate.csv", text)) for text in (b"a b\nb c\n", b"a b\nb c\nc d\n"))
    at = seen_by(visit, "own", dataset=second)
    at.run()  # what is chosen stays chosen
    assert (url(at, "dataset"), at.button_group(key="own-opened").value) == (second, second)
    assert at.button_group(key="own-opened").options == ["karate 2", "karate"]
    assert "karate 2" in [read(heading.value) for heading in at.subheader]
    at.button_group(key="own-opened").set_value(first).run()
    assert "karate" in [read(heading.value) for heading in at.subheader]


def test_nothing_is_computed_about_others_data(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    name = brought(visit, *files_of("karate"))
    other = Visit()
    monkeypatch.setattr(visits, "visit", lambda: visit)
    visits.check_owner(Explain(Question(name, "0")))
    visits.check_owner(TrainGnn(name))
    monkeypatch.setattr(visits, "visit", lambda: other)
    for request in (Explain(Question(name, "0")), TrainGnn(name), BringGnn(name, "x")):
        with pytest.raises(UserError, match="another visitor"):
            visits.check_owner(request)
    visits.check_owner(Explain(Question("ba_shapes", "301")))


def test_a_visit_is_a_browser_and_outlives_its_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    def cookie(token: bytes, mask: bytes) -> str:
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(token))
        return f"2|{mask.hex()}|{masked.hex()}|1700000000"

    def entered(session: dict[str, object], text: str) -> Visit:
        context = SimpleNamespace(cookies={"_streamlit_xsrf": text})
        monkeypatch.setattr(visits, "st", SimpleNamespace(session_state=session, context=context))
        return visits.visit()

    token, sessions = b"0123456789abcdef", [{}, {}, {}, {}]
    one = entered(sessions[0], cookie(token, b"abcd"))
    assert entered(sessions[1], cookie(token, b"wxyz")) is one  # a reload, under another mask
    assert entered(sessions[2], cookie(b"f" * 16, b"abcd")) is not one
    assert entered(sessions[3], "") is not one
    for none in ("", "2||6162|1", "2|00000000|6162|1", "no cookie", "2|zz|zz|1"):
        assert visits.user_id(none, "10.0.0.1") == visits.user_id("", "10.0.0.1") != visits.user_id("", "10.0.0.2")
    name = one.name
    brought(one, DataFile("e.txt", b"a b\n"))
    sessions[0].clear()
    sessions[1].clear()
    assert entered({}, cookie(token, b"efgh")) is one  # a page that was closed is opened again
    visits.end_visits(lambda _: False, one.last_open + visits.LEFT_S + 1)
    assert not store.held(name)
    assert entered({}, cookie(token, b"abcd")) is not one


def test_a_visit_ends_when_its_pages_are_closed_for_long(visit: Visit) -> None:
    name = brought(visit, *files_of("karate"))
    visit.sessions.update(("one", "two"))
    now = visit.last_open
    visits.end_visits(lambda session: session == "two", now + 1000)
    assert store.held(visit.name) == [name]
    visits.end_visits(lambda _: False, now + 1000 + visits.LEFT_S - 1)
    assert store.held(visit.name) == [name]  # a page that comes back finds it
    visits.end_visits(lambda _: False, now + 1000 + visits.LEFT_S + 1)
    assert store.held(visit.name) == []


def test_hostile_names(visit: Visit) -> None:
    cells = [f'"{name}"' for name in HOSTILE]
    nodes = ['id,"**class**","[x](http://evil.example)"']
    nodes += [f"{cell},{cells[number % 2]},{number}" for number, cell in enumerate(cells)]
    edges = ["source,target", *(f"{cells[number - 1]},{cells[number]}" for number in range(1, len(cells)))]
    files = (
        DataFile(f"{HOSTILE[2]} {HOSTILE[7]}.csv", "\n".join(edges).encode()),
        DataFile("nodes.csv", "\n".join(nodes).replace('"**class**"', "class").encode()),
    )
    name = brought(visit, *files)
    TrainGnn(name, hidden=8, num_layers=1, fragments=False, seconds=2.0).answer(JobContext())
    for page in ("own", "datasets", "explain", "compare", "train"):
        at = seen_by(visit, page, dataset=name, index="3", methods="gflowexplainer,most_links,degree")
        for _ in range(2):
            answered(at)
        check_that_nothing_is_markdown(at)
        assert not at.error, page
        if page != "own":
            assert not at.warning, page
            assert any(box.label == "Data set" and box.value == name for box in at.selectbox), page
        if page == "explain":
            assert json.loads(component(at, "player")["trace"])["flows"] == "exact"
            assert url(at, "flows") is None
    assert any(HOSTILE[2] in read(heading.value) for heading in seen_by(visit, "own").subheader)


def test_a_gnn_that_never_saw_a_fragment_is_explained_through_a_student(visit: Visit) -> None:
    name = brought(visit, *files_of("rings"))
    TrainGnn(name, hidden=16, fragments=False, seconds=2.0).answer(JobContext())
    assert "So we explain it through a student" in texts(seen_by(visit, "own", dataset=name))
    at = seen_by(visit, "explain", dataset=name, index="120", fragments="student", seconds="5")

    def doing() -> str:
        return read(" ".join(bar.proto.text for bar in at.get("progress")))

    looked_until(at, lambda: "training a student of the GNN: step" in doing())
    at.button(key="cancel-explain").click().run()
    assert "cancelled" in read(at.info[0].value)
    at.button(key="again-explain").click().run()
    looked_until(at, lambda: has(at, "player") and not doing())
    assert "student" in read(texts(at))
    assert STUDENT in json.loads(component(at, "player")["trace"])["made"]
    home = store.home_of(name)
    assert home is not None
    assert len(list((home / "students").iterdir())) == 1  # it goes with the data set


@pytest.mark.parametrize(("unseen", "calibrated"), [(29, False), (30, True)])
def test_a_share_is_shown_with_its_count_and_calibration_only_of_enough(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, unseen: int, calibrated: bool
) -> None:
    name = brought(visit, *files_of("karate"))
    report = GnnReport(
        name, "sum", 8, 1, {"test": 0.5}, unseen, 0.018, 0.1, ((unseen, 0.5, 0.5),), commonest=0.5, tested=4
    )
    monkeypatch.setattr(loaders, "trained_gnns", lambda dataset: ["sum"] if dataset == name else [])
    monkeypatch.setattr(gnn_views, "_kept_report", lambda *_: report)
    at = seen_by(visit, "own", dataset=name)
    shown = {metric.label: (metric.value, metric.delta) for metric in at.metric}
    assert shown["Right on unseen ones"] == ("50 %", "2 of 4")
    errors = {"Calibration error", "Calibration error on fragments"}
    assert errors & set(shown) == (errors if calibrated else set())
    assert ("Too few unseen ones for a calibration error" in texts(at)) != calibrated
    assert bool(at.get("plotly_chart")) == calibrated


def test_what_a_browser_tells_of_a_drawing_is_checked() -> None:
    for values in (
        {"nodes": [[0.1, 0.2, 0]], "edges": [[0, 1]]},
        {"nodes": [["x", 0, 0]], "edges": []},
        None,
        {"nodes": 5},
    ):
        assert Sketch.read(values, 40, 3) is None
    assert Sketch.read({"nodes": [[0.1, 0.2, 0], [0.5, 0.5, 1]], "edges": [[0, 1]]}, 40, 3) is not None


def test_a_kept_data_set_is_there_for_all(data_folder: object, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.ALLOW, "1")
    name = brought(visit, *files_of("karate"))
    at = seen_by(visit, "own", dataset=name)
    at.text_input(key="own-keep-name").set_value("Club").run()
    at.button(key="own-keep").click().run()
    assert "kept-club" in read(at.info[-1].value)
    assert read(opened("datasets", dataset="kept-club").title[0].value) == "Club"
    assert not model_path("kept-club").is_file()
