"""What is this GNN's rule, on the page of data sets: shipped or computed, its cards and what they open."""

import re
from pathlib import Path

import pytest

from gfx_core.drawing.pictures import form_svg
from gfx_core.explanation import rules as module
from gfx_core.explanation.many import NamedQuestions
from gfx_core.explanation.rules import Form, find_rules, shipped_rules
from gfx_core.jobs import requests
from pages.ui.explorer import rule_views as view
from tests.pages.page_reading import Open, component, has, looked_until, read, texts, url


def cards(at: object, key: str = "rule-cards") -> list[dict[str, object]]:
    return component(at, key)["cards"]  # type: ignore[arg-type, no-any-return]


def test_shipped_rules_open_at_once(open_page: Open) -> None:
    shipped = shipped_rules("ba_shapes", "sum")
    assert shipped is not None
    at = open_page(dataset="ba_shapes", rules="1", predicted="3")
    found = shipped["house top"]
    assert found.sentence in read(texts(at))
    assert [card["title"] for card in cards(at)] == [rule.name or view.NOTHING for rule in found.rules]
    assert all('class="network"' in str(card["svg"]) for card in cards(at) if card["title"] != view.NOTHING)
    assert [card["facts"][0] for card in cards(at, "mistake-cards")] == [  # type: ignore[index]
        ["true class", true] for true, _, _ in found.confusions
    ]
    assert "python -m gfx_core rules --dataset ba_shapes" in texts(at)
    assert not has(at, "neighbourhood")
    assert at.button_group(key="predicted").value == 3


@pytest.mark.parametrize("dataset", ["ba_shapes", "ba_community", "tree_grid", "mutagenicity"])
def test_the_sentence_and_the_cards_tell_the_same_shares(dataset: str) -> None:
    shipped = shipped_rules(dataset, "sum")
    assert shipped is not None
    for found in shipped.classes:
        shares = {rule.name: view._rule_entry(rule, found).card.facts[0][0] for rule in found.rules}
        told = re.findall(
            r"((?:over |under )?\d+ %) (?:are explained )?by (?!\d+ other)([^,;]+?)(?=[,;]|\.$)", found.sentence
        )
        assert [(share, name) for share, name in told if shares[name] != share] == []
        if "" in shares and len(shares) > 1:
            assert f"for {shares['']} we found no small part" in found.sentence


def test_a_card_opens_its_instances(open_page: Open) -> None:
    found = shipped_rules("tree_cycles", "sum")
    assert found is not None
    at = open_page(dataset="tree_cycles", rules="1", rule="0")
    cycles = found["cycle"].rules[0].instances
    assert cards(at)[0]["selected"]
    links = [link.proto for link in at.get("page_link")]
    shown = [link for link in links if link.label.startswith("node ")]
    assert [link.label for link in shown] == [f"node {index}" for index in cycles[:24]]
    assert f"index={cycles[0]}" in shown[0].query_string
    at.toggle(key="rule-all").set_value(True).run()
    assert sum(link.proto.label.startswith("node ") for link in at.get("page_link")) == len(cycles)
    at.button_group(key="predicted").set_value(0).run()  # another class has other cards
    assert (url(at, "predicted"), url(at, "rule")) == ("0", None)
    assert [card["title"] for card in cards(at)] == [rule.name for rule in found["tree"].rules]
    at.button_group(key="rules").set_value(False).run()
    assert url(at, "rules") is None
    assert has(at, "neighbourhood")


def test_a_worker_finds_what_is_not_shipped(open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "RULES", tmp_path)
    at = open_page(dataset="tree_cycles", rules="1", predicted="1", gnn="sum")
    at.button(key="cancel-rules").click().run()
    looked_until(at, lambda: any("cancelled" in info.value for info in at.info))
    assert not has(at, "rule-cards")
    at.button(key="again-rules").click().run()
    looked_until(at, lambda: has(at, "rule-cards"))
    assert "Of 200 nodes predicted cycle (a random sample of 360)" in texts(at)


def test_the_request_is_the_librarys_call(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = NamedQuestions("tree_cycles", "sum", {})
    monkeypatch.setattr(requests, "find_rules", lambda *given, **named: find_rules(*given, **{**named, "limit": 3}))
    request = requests.FindRules(requests.Question("tree_cycles", "0"), 1)
    assert request.answer(requests.JobContext()).classes == find_rules(questions, 1, limit=3).classes


@pytest.mark.parametrize("link", [{"predicted": "99"}, {"predicted": "x"}, {"rule": "77"}, {"rule": "-1"}])
def test_a_senseless_link_shows_the_rules_all_the_same(link: dict[str, str], open_page: Open) -> None:
    assert cards(open_page(dataset="tree_cycles", rules="1", **link))


def test_without_its_data_the_rules_of_mutagenicity_are_shown(open_page: Open, no_mutagenicity: Path) -> None:
    at = open_page(dataset="mutagenicity", rules="1", rule="0")
    assert len(cards(at)) == 10  # the most frequent, and those that nothing explains
    assert cards(at)[-1]["title"] == view.NOTHING
    at.toggle(key="rule-cards-all").set_value(True).run()
    shipped = shipped_rules("mutagenicity", "sum")
    assert shipped is not None
    assert len(cards(at)) == len(shipped["mutagen"].rules) > 20
    assert "Load the data set to open them" in texts(at)
    at = open_page(dataset="mutagenicity", rules="1", gnn="gcn")
    assert "not on this computer yet" in texts(at)


@pytest.mark.parametrize(
    ("form", "parts"),
    [
        (Form((), (), (), (3,), (1,)), ['class="node start"']),
        (Form((), ((0, 1), (1, 2)), (), (3, 4), (0, 2, 0)), ['class="node start" data-node="1"']),
        (Form((), ((0, 1), (1, 2)), (), (3, 4, 5), (1, 2, 0)), [">1</text>", ">2</text>"]),
        (Form(("N", "O"), ((0, 1),), (2,), (3,)), ['class="node N"', 'class="node O"', ">N</text>"]),
        (Form(("not", "funny"), ((0, 1),), (), (3,)), ["underline", ">not</text>"]),
    ],
)
def test_forms_are_drawn_with_their_features(form: Form, parts: list[str]) -> None:
    svg = form_svg(form, "a <b>")
    assert "a &lt;b&gt;" in svg
    assert [part for part in parts if part not in svg] == []
