"""A data set is found in the room of its own visit or nowhere, and is gone when that ends."""

import stat

import numpy as np
import pytest

from gfx_core import limits
from gfx_core.baselines.registry import learnt_path
from gfx_core.datasets import uploads
from gfx_core.datasets.registry import dataset_info, load_dataset, same_dataset, source_of
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.own_policies import policy_file
from gfx_core.gnn.checkpoint import model_path
from gfx_core.user_data import store
from gfx_core.user_data.build import preview
from gfx_core.user_data.draft import DataFile


def bring(visit: str, text: bytes = b"a b\nb c\n") -> str:
    name = preview([DataFile("e.txt", text)], visit).name
    store.accept(name)
    return name


def test_names_tell_content_and_visit(visit: str) -> None:
    name = bring(visit)
    assert name == bring(visit)
    assert uploads.is_own(name)
    assert uploads.visit_of(name) == visit
    other = store.new_visit()
    theirs = bring(other)
    assert theirs != name
    assert same_dataset(theirs, name)
    assert store.held(other) == [theirs]
    assert store.held(visit) == [name]
    store.forget_visit(other)
    with pytest.raises(UserError, match="another visitor"):
        load_dataset(theirs)
    store.describe(name, classes=("one", "two"))  # of a GNN, where none are known
    assert (load_dataset(name).num_nodes, load_dataset(name).num_classes) == (3, 2)
    assert dataset_info(name).classes == ("one", "two")


def test_it_is_a_data_set_like_the_others(visit: str) -> None:
    name = bring(visit)
    assert dataset_info(name).title == "e"
    assert Question(name, "1").instance().num_nodes == 3
    assert source_of(name, "index").first == "0"
    data = load_dataset(name)
    assert data is load_dataset(name)
    assert np.array_equal(data.edge_index, [[0, 1, 1, 2], [1, 0, 2, 1]])
    home, folder = uploads.home_of(name), store.open_store()
    assert home is not None
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / visit)] == [0o700, 0o700]
    learnt = learnt_path("pgexplainer", name, "sum")
    for path in (model_path(name), policy_file(name, "0" * 24), learnt):
        assert path.is_relative_to(home)  # all that is made for it goes with it


@pytest.mark.parametrize("name", ["own-", "own-0/../../x", "own-" + "0" * 16])
def test_no_name_leads_elsewhere(name: str) -> None:
    assert not uploads.is_own(name)
    assert uploads.home_of(name) is None
    with pytest.raises(UserError, match="There is no data set"):
        dataset_info(name)


def test_the_oldest_go(visit: str) -> None:
    names = [bring(visit, b"a b\n" * 1 + b"b c%d\n" % number) for number in range(limits.MAX_HELD + 2)]
    assert len(store.held(visit)) == limits.MAX_HELD
    assert names[0] not in store.held(visit)
    assert names[-1] == store.held(visit)[0]


def test_what_was_only_looked_at_or_is_forgotten_is_not_held(visit: str) -> None:
    looked = preview([DataFile("e.txt", b"x y\n")], visit).name
    assert store.held(visit) == []
    taken = bring(visit)
    assert store.held(visit) == [taken]
    load_dataset(taken)
    store.forget(taken)
    assert store.held(visit) == []
    for name in (looked, taken):
        with pytest.raises(UserError, match="Upload the same file"):
            load_dataset(name)


def test_titles_are_taken_once(visit: str) -> None:
    names = [bring(visit, b"a b\nb c%d\n" % number) for number in range(3)]
    assert [dataset_info(name).title for name in names] == ["e", "e 2", "e 3"]
    assert bring(visit, b"a b\nb c1\n") == names[1]  # the same file is the same data set, and keeps its title
    assert (dataset_info(names[1]).title, load_dataset(names[1]).info.title) == ("e 2", "e 2")
    for title, free in (("BA-Shapes", "BA-Shapes 2"), ("x" * limits.MAX_TEXT, "x" * limits.MAX_TEXT)):
        name = preview([DataFile("e.txt", b"a b\n")], visit, title=title).name
        store.accept(name, ["BA-Shapes"])
        assert dataset_info(name).title == free
    again = preview([DataFile("e.txt", b"a c\n")], visit, title="x" * limits.MAX_TEXT).name
    store.accept(again)
    assert dataset_info(again).title == f"{'x' * (limits.MAX_TEXT - 2)} 2"
    other = store.new_visit()
    assert dataset_info(bring(other)).title == "e"
    store.forget_visit(other)


def test_all_visitors_together_have_so_much(visit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ALL_BYTES", 10)
    assert "uploads of all visitors" in preview([DataFile("e.txt", b"a b\n")], visit).problem
