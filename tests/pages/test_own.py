"""Own data: from pasted text, a file or an example to an answer, and whose they are."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.config import Task
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.job_context import JobContext
from gfx_core.jobs.job import Request
from gfx_core.jobs.requests import explain
from gfx_core.trace import serialize
from gfx_core.training.user_gnn import train_gnn
from gfx_core.training.user_gnn_setting import GnnSetting
from gfx_core.user_data import store
from gfx_core.user_data.build import preview
from gfx_core.user_data.draft import ColumnRoles, DataFile, files_of
from pages.ui import own, sessions
from pages.ui.components.graph_editor import read_sketch
from pages.ui.sessions import Visit
from tests.pages.hostile import ALL, HOSTILE, check_that_nothing_is_markdown
from tests.pages.page_reading import Open, answered, component, keys, opened, opened_with, read, texts, url


def accepted(visit: Visit, *files: DataFile) -> str:
    """The name of a data set that a visit has."""
    name = preview(files, visit.name).name
    store.accept(name)
    return name


def seen_by(visit: Visit, page: str, **link: str) -> AppTest:
    """A page as it is in a visit."""
    return opened_with({"visit": visit}, page, **link)


def widget(widgets: Any, label: str) -> Any:
    return next(each for each in widgets if each.label == label)


def paste(at: AppTest, text: str) -> AppTest:
    at.text_area(key="own-pasted").set_value(text)
    at.button(key="own-read").click().run()
    return answered(at)


def test_pasted_text_and_what_is_wrong_with_it(open_page: Open) -> None:
    at = paste(open_page("own", **{"from": "paste"}), "a b\nb")
    assert "2 nodes, 1 edge" in texts(at)
    paste(at, '{"nodes": [')
    assert len(at.error) == 1
    assert at.text_area(key="own-pasted").value == '{"nodes": ['  # nothing is lost
    paste(at, f'source,target,"{HOSTILE[0]}"\n"{ALL}","{HOSTILE[1]}",1\n"{HOSTILE[2]}",b,2')
    check_that_nothing_is_markdown(at)
    assert HOSTILE[0] in read(texts(at))  # the column that is not used
    at.button(key="own-leave").click().run()
    assert "own-take" not in keys(at.button)


def test_what_is_learned_without_classes(open_page: Open) -> None:
    at = open_page("own", **{"from": "example"})
    at.button(key="own-try-novel").click().run()
    structure = widget(answered(at).selectbox, "What should the GNN predict?")
    assert structure.value == "communities"
    structure.set_value("").run()
    assert not answered(at).error
    assert at.info
    at.button(key="own-take").click().run()
    assert "Les Misérables" in [read(heading.value) for heading in at.subheader]
    assert "no classes" in texts(at)
    assert "own-gnn-train" not in keys(at.button)


def test_columns_get_other_roles(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [{"id": n, "class": "ab"[n % 2], "kind": "xy"[n % 2], "age": n % 5} for n in range(12)]
    links = [{"source": n, "target": (n + 1) % 12} for n in range(12)]
    tables = []

    def editor(table: Any, *, key: str, **_: Any) -> None:
        tables.append(dict(zip(table["Column"], table["Used as"], strict=True)))

    monkeypatch.setattr(own.st, "data_editor", editor)
    at = paste(open_page("own", **{"from": "paste"}), json.dumps({"nodes": nodes, "links": links}))
    assert tables[-1] == {"class": "class to predict", "kind": "feature", "age": "feature"}
    assert ["kind" in warning.value for warning in at.warning] == [True]  # it gives the class away
    current = at.session_state["own:upload"]
    roles = {"class": "label", "kind": "unused", "age": "category"}
    meaning = own.with_roles(ColumnRoles(), roles)
    at.session_state["own:upload"] = replace(current, meaning=meaning)
    answered(at.run())
    assert not at.warning
    assert tables[-1] == {"class": "class to predict", "kind": "not used", "age": "feature: numbers are names"}


def test_a_column_has_one_role_and_a_role_of_one_column_one_column() -> None:
    columns = {"class": 2, "kind": 3, "age": 9, "title": 12}
    roles = {"class": "label", "kind": "label", "age": "category", "title": "name"}
    meaning = own.with_roles(ColumnRoles(structure="roles"), roles)
    assert meaning == ColumnRoles("kind", "", "title", features=("age",), categories=("age",))
    assert own.roles_of(meaning, columns) == roles | {"class": "unused"}
    assert own.with_roles(ColumnRoles(structure="roles"), {}).structure == "roles"


@pytest.mark.usefixtures("students_learn_little")
def test_the_lines_for_a_model_are_run_and_their_file_opens_here(
    open_page: Open, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torch_geometric.nn import GIN

    at = open_page("own", **{"from": "model"})
    assert [code.value for code in at.code] == [own.TEXTS["lines"].strip()]
    monkeypatch.chdir(tmp_path)
    data = load_dataset("tree_cycles").to_pyg()
    exec(own.TEXTS["lines"], {"model": GIN(data.x.shape[1], 8, 2, out_channels=2), "data": data})
    trace = serialize.load(tmp_path / "why.json")
    assert (trace.index, trace.task) == (9, Task.NODE)


# Whose they are


def test_two_visitors(visit: Visit) -> None:
    name = accepted(visit, *files_of("karate"))
    mine = seen_by(visit, "datasets", dataset=name)
    assert read(mine.title[0].value) == "karate edges"
    assert "karate edges" in mine.selectbox[0].options
    for page in ("datasets", "explain", "compare", "own"):
        at = opened(page, dataset=name)
        assert "another visitor" in read(at.warning[0].value), page
        assert "karate" not in texts(at).lower()
    assert "karate edges" not in opened("datasets").selectbox[0].options
    again = Visit()  # whoever brings the same file can use the link
    accepted(again, *files_of("karate"))
    assert not seen_by(again, "datasets", dataset=name).warning
    store.forget_visit(again.name)


def test_nothing_is_computed_about_others_data(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    name, other = accepted(visit, *files_of("karate")), Visit()
    requests = (explain(Question(name, "0")), Request("a:b", {"setting": GnnSetting(name)}))
    monkeypatch.setattr(sessions, "visit", lambda: visit)
    for request in requests:
        sessions.check_owner(request)
    monkeypatch.setattr(sessions, "visit", lambda: other)
    for request in requests:
        with pytest.raises(UserError, match="another visitor"):
            sessions.check_owner(request)
    sessions.check_owner(explain(Question("ba_shapes", "301")))


def test_a_visit_is_a_browser_and_outlives_its_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    def entered(session: dict[str, object], text: str) -> Visit:
        context = SimpleNamespace(cookies={sessions.COOKIE: text})
        monkeypatch.setattr(sessions, "st", SimpleNamespace(session_state=session, context=context))
        return sessions.visit()

    one = entered({}, "a token")
    assert entered({}, "a token") is one  # a reload
    assert entered({}, "another") is not one
    assert entered({}, "") is not entered({}, "")
    name = accepted(one, DataFile("e.txt", b"a b\n"))
    one.pages |= {"first": 0.0, "second": 0.0}
    connected = {"second"}
    monkeypatch.setattr(sessions, "is_connected", connected.__contains__)
    sessions.end_what_is_left(1000.0)
    connected.clear()
    sessions.end_what_is_left(1000.0 + sessions.LEFT_S)
    assert store.held(one.name) == [name]
    assert entered({}, "a token") is one  # a page that comes back finds it
    sessions.end_what_is_left(1001.0 + sessions.LEFT_S)
    assert not store.held(one.name)
    assert entered({}, "a token") is not one


# On the other pages


def test_hostile_names(visit: Visit) -> None:
    cells = [f'"{name}"' for name in HOSTILE]
    nodes = ['id,class,"[x](http://evil.example)"']
    nodes += [f"{cell},{cells[number % 2]},{number}" for number, cell in enumerate(cells)]
    edges = ["source,target", *(f"{cells[number - 1]},{cells[number]}" for number in range(1, len(cells)))]
    files = (
        DataFile(f"{HOSTILE[2]} {HOSTILE[7]}.csv", "\n".join(edges).encode()),
        DataFile("nodes.csv", "\n".join(nodes).encode()),
    )
    name = accepted(visit, *files)
    train_gnn(GnnSetting(name, hidden=8, num_layers=1, fragments=False, seconds=1.0), JobContext())
    assert "through a student" in texts(seen_by(visit, "own", dataset=name))  # it never saw a fragment
    for page in ("own", "datasets", "explain", "compare", "train"):
        at = answered(seen_by(visit, page, dataset=name, index="3", methods="gflowexplainer,most_links,degree"))
        check_that_nothing_is_markdown(answered(at))
        assert not at.error, page
        if page == "explain":
            assert json.loads(component(at, "player")["trace"])["flows"] == "exact"
            assert url(at, "flows") is None
    assert any(HOSTILE[2] in read(heading.value) for heading in seen_by(visit, "own").subheader)


def test_a_drawing_of_a_browser_is_checked() -> None:
    drawing: dict[str, Any] = {"points": [[0.1, 0.2], [0.5, 0.5]], "classes": [0, 1], "edges": [[0, 1]]}
    assert read_sketch(drawing, 40, 3) is not None
    assert read_sketch(drawing, 1, 3) is None
    changes: tuple[dict[str, Any], ...] = (
        {"edges": [[0, 2]]},
        {"edges": [[0, -1]]},
        {"classes": [0, 3]},
        {"classes": [0]},
    )
    for values in (
        *(drawing | change for change in changes),
        drawing | {"points": [["x", 0], [1, 1]]},
        None,
        {"points": 5},
    ):
        assert read_sketch(values, 40, 3) is None
