"""The page of data sets: what the URL picks, molecules, sentences and rules, and what is said of mistakes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.config import Task
from gfx_core.datasets import sentences
from gfx_core.datasets.molecules import COMPOUNDS, Compounds, molecule
from gfx_core.datasets.registry import DATASETS, listed, load_dataset
from gfx_core.datasets.sentences import OwnSentences
from gfx_core.explanation import rules
from gfx_core.explanation.question import Question
from gfx_core.explanation.rules import shipped_rules
from gfx_core.explanation.run import ask, ask_about_all
from gfx_core.gnn.checkpoint import ModelHeader, model_path, save_model
from gfx_core.user_data.draft import files_of
from pages.ui.explorer import dataset_views
from pages.ui.sessions import Visit
from tests.pages.page_reading import (
    Open,
    answered,
    bars_of,
    component,
    has,
    looked_until,
    opened_with,
    read,
    texts,
    url,
)
from tests.pages.test_own import accepted


def nodes_drawn(at: AppTest) -> int:
    return str(component(at, "neighbourhood")["svg"]).count("data-node")


@pytest.mark.parametrize("name", [name for name in listed() if name not in ("mutagenicity", "graph_sst2")])
def test_every_data_set_opens_with_an_example_and_a_shipped_answer(name: str, open_page: Open) -> None:
    at = open_page(dataset=name)
    assert at.title[0].value == DATASETS[name].title
    index = at.number_input(key="index").value
    assert index in load_dataset(name).explainable
    assert "motif" in component(at, "neighbourhood")["svg"]
    bars = bars_of(at)
    assert [bar["name"] for bar in bars] == list(DATASETS[name].classes)
    answer = ask(Question(name, str(index)))
    assert [bar["share"] for bar in bars] == pytest.approx(list(answer), abs=2e-3)
    assert not at.warning


def test_the_url_picks_the_instance_and_the_gnn(open_page: Open) -> None:
    at = answered(open_page(dataset="Tree-Grid", index="512", gnn="gcn"))  # a title works like a name
    assert (at.selectbox(key="dataset").value, at.number_input(key="index").value) == ("tree_grid", 512)
    assert 'class="node motif start" data-node="512"' in component(at, "neighbourhood")["svg"]
    truth = DATASETS["tree_grid"].classes[int(load_dataset("tree_grid").y[512])]
    predicted = next(bar["name"] for bar in bars_of(at) if bar["predicted"])
    assert ("Right:" if predicted == truth else "Wrong:") in texts(at)


def test_picking_by_number_and_at_random_changes_the_url(open_page: Open) -> None:
    at = open_page(dataset="ba_2motifs")
    at.number_input(key="index").set_value(7).run()
    assert url(at, "index") == "7"
    at.selectbox(key="dataset").set_value("tree_grid").run()
    assert (url(at, "dataset"), url(at, "index")) == ("tree_grid", None)
    data, shares = load_dataset("tree_grid"), ask_about_all("tree_grid", "sum")
    wrong = np.flatnonzero(shares.argmax(1) != data.y)
    drawn = {int(url(at.button(key="random").click().run(), "index")) for _ in range(4)}
    assert drawn <= set(data.explainable.tolist())
    assert len(drawn) > 1
    at.toggle(key="mistakes").set_value(True).run()
    assert component(answered(at), "overview")["svg"].count('class="cross"') == len(wrong)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"dataset": "ba_shape"}, "Did you mean ba_shapes?"),
        ({"dataset": "ba_2motifs", "index": "1000"}, "no graph 1000"),
        ({"dataset": "ba_shapes", "gnn": "gat"}, "sum, gcn"),
        ({"dataset": "mutagenicity", "compound": "Unobtainium"}, f"Showing {Compounds.first}"),
    ],
)
def test_a_bad_url_costs_one_sentence(
    parameters: dict[str, str], words: str, open_page: Open, no_mutagenicity: Path
) -> None:
    at = open_page(**parameters)
    (warning,) = at.warning
    assert words in read(warning.value)
    assert nodes_drawn(at)


def test_checkpoints_that_are_missing_cut_off_or_of_another_kind(
    open_page: Open, model_folder: Path, visit: Visit
) -> None:
    """They cost one sentence; what is put in their place is read again."""
    from gfx_core.gnn.models import GNN

    assert "train gnn --dataset tree_cycles" in open_page(dataset="tree_cycles", index="600").info[0].value
    name = accepted(visit, *files_of("rings"))  # workers see its files, and no other model folder
    path, index = model_path(name), load_dataset(name).example
    path.write_bytes(b"\x00" * 50)
    at = answered(opened_with({"visit": visit}, "datasets", dataset=name, index=str(index)))
    assert [read(error.value).split(" is ")[0] for error in at.error] == [path.name]
    assert nodes_drawn(at)
    header = ModelHeader(name, Task.NODE, "sum", 10, 2, hidden=4, num_layers=4)  # a deeper one sees farther
    save_model(GNN(Task.NODE, "sum", 10, 2, 4, 4), header, path)
    assert not answered(at.run()).error
    assert f"{load_dataset(name).instance(index, hops=4).num_nodes} nodes and " in texts(at)


def test_nothing_is_downloaded_unasked_and_compounds_need_nothing(
    open_page: Open, no_mutagenicity: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = open_page(dataset="mutagenicity")
    assert at.selectbox(key="compound").value == Compounds.first
    assert nodes_drawn(at) == molecule(COMPOUNDS[Compounds.first]).num_nodes
    assert [bar["name"] for bar in bars_of(at)] == ["mutagen", "non-mutagen"]
    assert not list(no_mutagenicity.iterdir())
    at = open_page(dataset="mutagenicity", index="17")
    assert not at.error
    at.button(key="load").click().run()  # without internet
    assert len(at.error) == 1


def test_own_smiles(open_page: Open, no_mutagenicity: Path) -> None:
    at = open_page(dataset="mutagenicity", compound="TNT")
    assert "NO₂ or NH₂ groups (6 bonds, drawn thick)" in texts(at)
    at.button_group(key="source").set_value("smiles").run()
    assert at.text_input(key="smiles").value == COMPOUNDS[Compounds.first]
    at.text_input(key="smiles").set_value("CCO").run()
    assert (url(at, "smiles"), nodes_drawn(at)) == ("CCO", 9)
    at.text_input(key="smiles").set_value("<b>C").run()
    assert ["SMILES" in error.value for error in at.error] == [True]
    assert at.text_input(key="smiles").value == "<b>C"  # what is refused is kept


def test_a_sentence_opens_without_any_data(
    open_page: Open, no_mutagenicity: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentences, "_installed", lambda: None)  # no parser either
    sentences._reader.cache_clear()
    at = open_page(dataset="graph_sst2")
    assert at.selectbox(key="example").value == OwnSentences.first
    svg = component(at, "neighbourhood")["svg"]
    assert all(f">{word}</text>" in svg for word in OwnSentences.first.strip(".").split())
    assert [bar["name"] for bar in bars_of(at)] == ["negative", "positive"]
    assert len(open_page(dataset="graph_sst2", index="0").error) == 1
    at = open_page(dataset="graph_sst2", sentence="Not <b>bad</b> at all")
    assert not at.error
    assert "&lt;</text>" in component(at, "neighbourhood")["svg"]
    at = open_page(dataset="graph_sst2", sentence="so " * 200)
    assert "at most 400" in read(" ".join(each.value for each in (*at.warning, *at.error)))


def cards(at: AppTest, key: str = "rule-cards") -> list[dict[str, Any]]:
    return list(component(at, key)["cards"])


def test_shipped_rules_open_at_once_and_a_card_opens_its_instances(open_page: Open) -> None:
    shipped = shipped_rules("ba_shapes", "sum")
    assert shipped is not None
    at, tops = open_page(dataset="ba_shapes", rules="1", predicted="3"), shipped["house top"]
    assert tops.sentence in read(texts(at))
    assert [card["title"] for card in cards(at)] == [rule.name or dataset_views.NOTHING for rule in tops.rules]
    shipped = shipped_rules("tree_cycles", "sum")
    assert shipped is not None
    at, indices = open_page(dataset="tree_cycles", rules="1", rule="0"), shipped["cycle"].rules[0].instances

    def links() -> list[Any]:
        return [link.proto for link in at.get("page_link") if link.proto.label.startswith("node ")]

    assert cards(at)[0]["selected"]
    assert [link.label for link in links()] == [f"node {index}" for index in indices[:24]]
    assert f"index={indices[0]}" in links()[0].query_string
    at.button_group(key="predicted").set_value(0).run()  # another class has other cards
    assert (url(at, "predicted"), url(at, "rule")) == ("0", None)
    assert [card["title"] for card in cards(at)] == [rule.name for rule in shipped["tree"].rules]


def test_a_worker_finds_what_is_not_shipped(open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rules, "RULES", tmp_path)
    at = open_page(dataset="tree_cycles", rules="1", predicted="1", gnn="sum")
    functions = [job._work.request.function for job in at.session_state["jobs"].values()]
    assert "gfx_core.explanation.rules:find_rules" in functions
    at.button(key="cancel-rules").click().run()
    looked_until(at, lambda: at.info)
    assert not has(at, "rule-cards")
