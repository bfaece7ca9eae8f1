"""The glossary: every term is whole, every link in the explorer reaches one, and numbers are those of the settings."""

import re

import pytest

from gfx_core.datasets.registry import DATASETS
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig, policy_config
from gfx_core.metrics.summary import METRICS
from gfx_core.teaching.glossary import entries, find, groups, term, tooltip
from tests.conftest import ROOT

ANCHORS = {entry.anchor for entry in entries()}


def test_every_term_is_whole() -> None:
    assert len(ANCHORS) == len(entries()) > 50
    assert len(groups()) == 6
    for entry in entries():
        assert re.fullmatch(r"[a-z][a-z-]*", entry.anchor)
        assert find(entry.anchor) is entry
        assert entry.name
        assert entry.meaning.endswith(".")
        assert not re.search(r"[{}]|\s\s", entry.meaning)
        assert entry.where or entry.lesson or entry.anchor == "delta"
        assert entry.lesson is None or 1 <= entry.lesson <= 9
        for _, address in entry.where:
            assert (ROOT / "pages" / f"{address.split('?')[0]}.py").is_file()


def test_numbers_are_those_of_the_settings() -> None:
    meanings = {entry.anchor: entry.meaning for entry in entries()}
    for name, anchor in (("auc_own", "auc"), ("topk_own", "top-k"), ("sparsity", "sparsity")):
        assert meanings[anchor].startswith(METRICS[name].sentence)
    for name in DATASETS:
        config = policy_config(name)
        assert f"β = {config.reward.beta:g}, {config.reward.price('nodes'):g} a node" in meanings["price"]
        assert str(config.max_nodes) in meanings["k-m"]


def test_a_term_is_a_link_under_any_of_its_names() -> None:
    assert term("valid parent") == "[valid parent](/glossary#valid-parent)"
    assert term("K_M", "size limit") == "[size limit](/glossary#k-m)"
    assert tooltip("beta").endswith("(/glossary#beta)")
    assert find("exact flows") is find("one right flow") is not None  # also by the legend of a training
    with pytest.raises(KeyError):
        term("no such term")


def test_every_knob_and_every_link_in_the_explorer_reaches_a_term() -> None:
    assert {knob.term for knob in knobs(GFNConfig).values() if knob.term} <= ANCHORS
    folders = (ROOT / "pages", ROOT / "gfx_core", ROOT / "assets" / "content")
    for path in (path for folder in folders for path in folder.rglob("*.*")):
        if path.suffix in {".py", ".js", ".toml"}:
            text = path.read_text(encoding="utf-8")
            assert set(re.findall(r"/glossary#([\w-]+)", text)) <= ANCHORS | {"anchor"}, path
            for name in re.findall(r"\b(?:term|tooltip)\(\s*[\"']([^\"'{}]+)[\"']", text):
                assert find(name) is not None, (path, name)
