"""The glossary: every term is there, can be linked to, and every link in the explorer reaches one."""

import re
from pathlib import Path

import pytest

from gfx_core.datasets.registry import DATASETS
from gfx_core.gfn.presets import policy_config
from gfx_core.metrics.summary import METRICS
from gfx_core.teaching.glossary_links import find, term, tooltip
from gfx_core.teaching.terms import ENTRIES, GROUPS

ROOT = Path(__file__).resolve().parents[2]
ANCHORS = {entry.anchor for entry in ENTRIES}
WANTED = """
    state, start node, action, frontier, STOP, trajectory, parent, valid parent, child, terminal state, DAG, flow,
    edge-flow, in-flow, out-flow, reward, log R, beta, K_M, partition, log Z, policy, P_F, P_B, flow matching,
    trajectory balance, residual, epsilon, delta, total variation, cut vertex, matrix, z, child group, edge marginal,
    edge mask, motif, ground truth, own, all, AUC, top-k accuracy, fidelity+, fidelity−, sparsity, connectedness,
    unfaithfulness, GNN, fragments, price, instance, locator, GFlow-Sequence, GFlow-Graph, answer, consensus
"""


@pytest.mark.parametrize("name", [name.strip() for name in WANTED.split(",")])
def test_a_term_can_be_found(name: str) -> None:
    assert find(name) is not None


def test_anchors_are_unique_and_plain() -> None:
    assert len(ANCHORS) == len(ENTRIES)
    assert all(re.fullmatch(r"[a-z][a-z-]*", anchor) for anchor in ANCHORS)


def test_every_anchor_finds_its_own_entry() -> None:
    for entry in ENTRIES:
        assert find(entry.anchor) is entry


def test_every_entry_is_whole() -> None:
    for entry in ENTRIES:
        assert entry.name
        assert entry.group in GROUPS
        assert entry.meaning.endswith(".")
        assert entry.where or entry.lesson or entry.anchor == "delta"
        assert entry.lesson is None or 1 <= entry.lesson <= 8


def test_pages_that_are_named_exist() -> None:
    for entry in ENTRIES:
        for _, address in entry.where:
            assert (ROOT / "pages" / f"{address.split('?')[0]}.py").is_file()


def test_metrics_have_the_words_of_the_metrics() -> None:
    for name, anchor in (("auc_own", "auc"), ("topk_own", "top-k"), ("sparsity", "sparsity")):
        entry = find(anchor)
        assert entry is not None
        assert entry.meaning.startswith(METRICS[name].sentence)


def test_shipped_settings_are_those_of_the_policies() -> None:
    price, most = find("price"), find("K_M")
    assert price is not None
    assert most is not None
    for name in DATASETS:
        config = policy_config(name)
        assert f"β = {config.reward.beta:g}, {config.reward.price('nodes'):g} a node" in price.meaning
        assert str(config.max_nodes) in most.meaning


def test_term_is_a_markdown_link() -> None:
    assert term("flow") == "[flow](/glossary#flow)"
    assert term("valid parent") == "[valid parent](/glossary#valid-parent)"
    assert term("K_M", "size limit") == "[size limit](/glossary#k-m)"
    assert tooltip("beta").endswith("(/glossary#beta)")
    with pytest.raises(KeyError):
        term("no such term")


def test_every_link_in_the_explorer_reaches_a_term() -> None:
    for path in [*(ROOT / "pages").rglob("*.*"), *(ROOT / "gfx_core").rglob("*.py")]:
        if path.suffix in {".py", ".js"} and path.name != "terms.py":
            text = path.read_text(encoding="utf-8")
            for anchor in re.findall(r"/glossary#([\w-]+)", text):
                assert anchor in ANCHORS, (path, anchor)
            for name in re.findall(r"\b(?:term|tooltip)\(\s*[\"']([^\"'{}]+)[\"']", text):
                assert find(name) is not None, (path, name)
