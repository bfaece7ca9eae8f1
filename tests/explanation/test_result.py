"""explain(model, data, index): one call, what comes out of it, and where it goes on to."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import torch

from gfx_core import GFNConfig, UserError, explain
from gfx_core.config import FlowSource, Task
from gfx_core.explanation.result import ExplanationResult
from gfx_core.gfn.settings import USUAL_REWARD, preset_config
from gfx_core.trace import serialize
from tests.toys.foreign import Around, NodeNet, made, random_data

HOSTILE = ("</script><img src=x onerror=alert(1)>", 'b" onload="alert(2)', "c")
SMALL = GFNConfig(max_nodes=4, reward=USUAL_REWARD, epochs=2)


@pytest.fixture(scope="module")
def found() -> ExplanationResult:
    return explain(made(NodeNet).train(), random_data(14), 3, classes=HOSTILE, title="<b>", control=True)


def test_an_explanation_says_all(found: ExplanationResult) -> None:
    data, model = random_data(14), made(NodeNet)
    predicted = int(model(data.x, data.edge_index)[3].argmax())
    assert found.trace.prediction.predicted == predicted
    assert found.prediction == HOSTILE[predicted]
    assert found.sentence.startswith("The GNN predicts")
    assert found.edge_mask.shape == (data.num_edges,)
    assert found.node_mask.shape == (14,)
    assert found.node_mask[3] == 1
    assert 3 in found.nodes
    assert found.trace.flows is FlowSource.EXACT
    assert found.sentence in repr(found)
    usual = USUAL_REWARD  # with one price for nodes and one for graphs
    for_nodes = replace(usual, prices={**usual.prices, "nodes": 0.08})
    assert found.trace.made["config"]["reward"] == for_nodes.as_dict()
    assert preset_config(Task.GRAPH).reward == usual
    pairs = {(int(s), int(t)): float(m) for (s, t), m in zip(data.edge_index.T, found.edge_mask, strict=True)}
    assert all(pairs[s, t] == pairs[t, s] for s, t in pairs)
    for edge, score in zip(found.trace.edges, found.trace.edge_marginals, strict=True):
        ends = found.trace.nodes[edge.source].id, found.trace.nodes[edge.target].id
        assert pairs[ends] == pytest.approx(score, abs=1e-6)
    graph = found.to_networkx()
    assert {node for node, held in graph.nodes(data="in_answer") if held} == set(found.nodes)
    assert graph.number_of_edges() == len(found.trace.edges)
    pyg = found.to_pyg()
    assert torch.equal(pyg.edge_mask, found.edge_mask)
    assert pyg.validate(raise_on_error=True)


def test_it_plays_in_a_notebook_behind_glass(found: ExplanationResult) -> None:
    shown = found._repr_html_()
    frame = re.search(r'<iframe sandbox="([^"]*)" srcdoc="([^"]*)"', shown)
    assert frame is not None
    assert "allow-same-origin" not in frame[1]
    page = unescape(frame[2])
    assert page == found.html()
    assert "onerror" not in shown.replace(frame[2], "").replace(
        HOSTILE[0].replace("<", "&lt;").replace(">", "&gt;"), ""
    )
    assert "</script><img" not in page
    assert not re.findall(r'(?:src|href)="http', page)


def test_it_is_saved_in_three_ways(found: ExplanationResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert serialize.load(found.save(str(tmp_path / "x.json"))) == found.trace
    assert found.save(tmp_path / "x.html").read_text(encoding="utf-8") == found.html()
    assert found.save(tmp_path / "x.gif").read_bytes().startswith(b"GIF89a")
    with pytest.raises(UserError, match=r"\.html, \.json or \.gif"):
        found.save(tmp_path / "x.png")
    with pytest.raises(UserError, match="cannot be written"):
        found.save(tmp_path / "none" / "x.json")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = found.show()
    assert opened == [path.as_uri()]
    assert path.read_text(encoding="utf-8") == found.html()


def test_the_free_network_needs_nothing_and_runs_nothing_else(found: ExplanationResult, tmp_path: Path) -> None:
    network = found.to_pyvis()
    network.save_graph(str(tmp_path / "net.html"))
    page = (tmp_path / "net.html").read_text(encoding="utf-8")
    assert page == network.generate_html()
    assert not re.findall(r"<(?:script|link)[^>]*(?:src|href)=", page)
    assert "default-src 'none'" in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert len(data["nodes"]) == len(found.trace.nodes)
    assert len(data["edges"]) == len(found.trace.edges)
    labels = explain(made(NodeNet), random_data(14), 3, labels=[HOSTILE[0]] * 14).to_pyvis().generate_html()
    assert "<img" not in labels
    assert page.count("<script") == labels.count("<script")


def test_the_control_tells_what_does_not_come_from_the_gnn(found: ExplanationResult) -> None:
    assert found.control is not None
    assert found.control.edge_marginals.shape == (len(found.trace.edges),)
    assert found.control.sentence in found.words
    same = explain(made(Around, after=lambda out: 0 * out), random_data(14), 3, control=True)
    assert same.control is not None
    assert np.allclose(same.control.edge_marginals, same.trace.edge_marginals, atol=1e-6)
    assert same.control.correlation == pytest.approx(1, abs=1e-6)
