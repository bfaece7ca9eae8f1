"""The glossary: every term is whole, can be linked to, and every link in the explorer reaches one."""

import re
from pathlib import Path

import pytest

from gfx_core.datasets.registry import DATASETS
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig, policy_config
from gfx_core.metrics.summary import METRICS
from gfx_core.teaching.glossary import entries, find, groups, term, tooltip

ROOT = Path(__file__).resolve().parents[2]
ANCHORS = {entry.anchor for entry in entries()}
WANTED = """
    state, start node, action, frontier, STOP, trajectory, parent, valid parent, child, terminal state, DAG, flow,
    edge-flow, in-flow, out-flow, reward, log R, beta, K_M, partition, log Z, policy, P_F, P_B, flow matching,
    trajectory balance, detailed balance, modified detailed balance, sub-trajectory balance, forward-looking flows,
    replay, mode coverage, first child only (a control), residual, epsilon, delta, total variation, cut vertex, matrix,
    z, child group, edge marginal, edge mask, motif, ground truth, own, all, AUC, top-k accuracy, fidelity+, fidelity−,
    sparsity, connectedness, unfaithfulness, GNN, fragments, student, price, instance, locator, GFlow-Sequence,
    GFlow-Graph, answer, reason
"""


def test_every_term_is_there_and_whole() -> None:
    assert [name for name in WANTED.split(",") if find(name) is None] == []
    assert len(ANCHORS) == len(entries())
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


def test_what_a_legend_calls_them_is_found() -> None:
    flows = find("exact flows")
    assert flows is not None
    assert flows is find("one right flow")  # the legend of a training
    assert "a policy may learn others" in flows.meaning


def test_every_knob_names_a_term() -> None:
    named = {knob.term for knob in knobs(GFNConfig).values() if knob.term}
    assert {"beta", "epsilon", "backward-policy", "forward-looking", "replay", "sub-trajectory-balance"} <= named
    assert named <= ANCHORS


def test_what_is_known_elsewhere_is_filled_in() -> None:
    meanings = {entry.anchor: entry.meaning for entry in entries()}
    for name, anchor in (("auc_own", "auc"), ("topk_own", "top-k"), ("sparsity", "sparsity")):
        assert meanings[anchor].startswith(METRICS[name].sentence)
    for name in DATASETS:
        config = policy_config(name)
        assert f"β = {config.reward.beta:g}, {config.reward.price('nodes'):g} a node" in meanings["price"]
        assert str(config.max_nodes) in meanings["k-m"]


def test_term_is_a_markdown_link() -> None:
    assert term("flow") == "[flow](/glossary#flow)"
    assert term("valid parent") == "[valid parent](/glossary#valid-parent)"
    assert term("K_M", "size limit") == "[size limit](/glossary#k-m)"
    assert tooltip("beta").endswith("(/glossary#beta)")
    with pytest.raises(KeyError):
        term("no such term")


def test_every_link_in_the_explorer_reaches_a_term() -> None:
    folders = (ROOT / "pages", ROOT / "gfx_core", ROOT / "assets" / "content")
    for path in (path for folder in folders for path in folder.rglob("*.*")):
        if path.suffix in {".py", ".js", ".toml"}:
            text = path.read_text(encoding="utf-8")
            for anchor in re.findall(r"/glossary#([\w-]+)", text):
                assert anchor in ANCHORS | {"anchor"}, (path, anchor)
            for name in re.findall(r"\b(?:term|tooltip)\(\s*[\"']([^\"'{}]+)[\"']", text):
                assert find(name) is not None, (path, name)
