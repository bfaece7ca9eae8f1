"""The data set page: what the URL asks for, what can be picked, and what is said when something is wrong."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from gfx_core.config import Task
from gfx_core.datasets.molecules import Compounds
from gfx_core.datasets.registry import DATASETS, listed, load_dataset
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import ask, ask_about_all
from gfx_core.gnn.checkpoint import ModelHeader, load_model, model_path, read_header, save_model
from tests.pages.page_reading import ROOT, Open, answered, bars_of, component, read, texts


@pytest.mark.parametrize("name", [name for name in listed() if name not in ("mutagenicity", "graph_sst2")])
def test_every_data_set_opens_with_an_example(name: str, open_page: Open) -> None:
    at = answered(open_page(dataset=name))
    assert at.title[0].value == DATASETS[name].title
    assert at.selectbox(key="dataset").value == name
    index = at.number_input(key="index").value
    assert index in load_dataset(name).explainable
    assert "motif" in component(at, "neighbourhood")["svg"]
    bars = bars_of(at)
    assert [bar["name"] for bar in bars] == list(DATASETS[name].classes)
    assert sum(bar["share"] for bar in bars) == pytest.approx(1, abs=1e-4)
    assert not at.error
    assert not at.warning


def test_a_data_set_for_studies_is_offered_only_where_a_link_names_it(open_page: Open) -> None:
    assert list(open_page().selectbox(key="dataset").options) == [info.title for info in listed().values()]
    at = open_page(dataset="ba_either")
    assert at.title[0].value == "BA-Either"
    assert at.selectbox(key="dataset").value == "ba_either"
    assert not at.warning


def test_the_url_picks_the_instance_and_the_gnn(open_page: Open) -> None:
    at = answered(open_page(dataset="Tree-Grid", index="512", gnn="gcn"))  # a title works like a name
    assert at.selectbox(key="dataset").value == "tree_grid"
    assert at.number_input(key="index").value == 512
    assert at.subheader[0].value.startswith("Node 512 ")
    assert 'class="node motif start" data-node="512"' in component(at, "neighbourhood")["svg"]
    truth = DATASETS["tree_grid"].classes[int(load_dataset("tree_grid").y[512])]
    said = next(bar for bar in bars_of(at) if bar["predicted"])
    for words in (
        "This GNN (GCN)",
        "Trained on whole graphs",
        "Right:" if said["name"] == truth else "Wrong:",
        f"**True class:** {truth}",
        "the 3×3 grid (12 edges, drawn thick).",
    ):
        assert words in texts(at)
    assert not at.get("iframe")
    at.toggle(key="move_freely").set_value(True).run()
    (frame,) = at.get("iframe")
    inside = frame.proto.srcdoc
    assert inside.startswith('<iframe sandbox="allow-scripts" srcdoc="')
    assert "allow-same-origin" not in inside[:200]
    data = json.loads(re.search(r'id="data">(.*?)</script>', unescape(inside), re.DOTALL)[1])  # type: ignore[index]
    instance = load_dataset("tree_grid").instance(512, hops=read_header(model_path("tree_grid", "gcn")).hops)
    assert [node["label"] for node in data["nodes"]] == [str(node) for node in instance.nodes]
    assert len(data["edges"]) == len(instance.undirected)


def test_picking_by_number_and_at_random_changes_the_url(open_page: Open) -> None:
    at = open_page(dataset="ba_2motifs")
    at.number_input(key="index").set_value(7).run()
    assert at.query_params["index"] == "7"
    assert at.subheader[0].value == "Graph 7"
    at.selectbox(key="dataset").set_value("tree_grid").run()
    assert at.title[0].value == "Tree-Grid"
    assert at.query_params["dataset"] == "tree_grid"
    assert "index" not in at.query_params
    data = load_dataset("tree_grid")
    drawn: dict[str, set[int]] = {choice: set() for choice in at.menu_button(key="random").options}
    for choice, found in drawn.items():
        for _ in range(4):
            at.menu_button(key="random").click(choice).run()
            answered(at).run()
            found.add(int(at.query_params["index"]))
        assert len(found) > 1
    assert drawn["With a motif"] <= set(data.explainable.tolist())
    shares = ask_about_all("tree_grid", model_path("tree_grid"))
    assert drawn["The GNN is wrong"] <= set(np.flatnonzero(shares.argmax(1) != data.y).tolist())
    assert not at.exception


def test_large_neighbourhoods_say_so(open_page: Open) -> None:
    at = open_page(dataset="ba_shapes", index="0")
    assert "Only the nearest" in texts(at)
    hops = next(control for control in at.get("button_group") if control.label == "Hops drawn")
    drawn = component(at, "neighbourhood")["svg"].count("data-node")
    hops.set_value(3).run()
    assert component(at, "neighbourhood")["svg"].count("data-node") > drawn
    assert "more than can be read at once" in texts(at)


def test_mistakes_are_marked(open_page: Open) -> None:
    at = open_page(dataset="ba_community")
    assert "cross" not in component(at, "overview")["svg"]
    at.toggle(key="mistakes").set_value(True).run()
    answered(at)
    assert component(at, "overview")["svg"].count('class="cross"') > 0
    assert "The GNN is wrong on" in texts(at)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"dataset": "ba_shape"}, "There is no data set “ba_shape”. Did you mean ba_shapes?"),
        ({"dataset": "<script>"}, "There is no data set “<script>”."),
        ({"dataset": "ba_shapes", "index": "99999"}, "ba_shapes has no node 99999: choose one from 0 to 699."),
        ({"dataset": "ba_2motifs", "index": "1000"}, "ba_2motifs has no graph 1000"),
        ({"dataset": "ba_shapes", "index": "-3"}, "“-3” is not a number of a node or graph"),
        ({"dataset": "ba_shapes", "index": "1" * 4000}, "is not a number of a node or graph"),
        ({"dataset": "ba_shapes", "gnn": "gat"}, "There is no GNN kind “gat”: choose one of sum, gcn."),
        ({"dataset": "mutagenicity", "compound": "Unobtainium"}, f"the compounds. Showing {Compounds.first} instead."),
    ],
)
def test_a_bad_url_costs_one_sentence(
    parameters: dict[str, str], sentence: str, open_page: Open, no_mutagenicity: Path
) -> None:
    at = open_page(**parameters)
    assert [warning.value for warning in at.warning if sentence in read(warning.value)]
    assert len(at.warning) == 1
    assert component(at, "neighbourhood")["svg"]


def test_without_a_checkpoint_the_rest_of_the_page_works(open_page: Open, model_folder: Path) -> None:
    at = open_page(dataset="tree_cycles", index="517")
    assert "python -m gfx_core train gnn --dataset tree_cycles" in at.info[0].value
    assert "**True class:** cycle" in texts(at)
    assert component(at, "neighbourhood")["svg"]
    assert component(at, "overview")["selected"] == 517
    assert "map needs a GNN" in texts(open_page(dataset="ba_2motifs"))


def test_checkpoints_that_are_cut_off_or_of_another_kind(open_page: Open, model_folder: Path) -> None:
    """They cost one sentence; what is put in their place is read again."""
    from gfx_core.gnn.models import GNN

    path = model_folder / "tree_cycles-sum.safetensors"

    def save(features: int, hidden: int, layers: int = 3) -> None:
        header = ModelHeader("tree_cycles", Task.NODE, "sum", features, 2, hidden=hidden, num_layers=layers)
        save_model(GNN(Task.NODE, "sum", features, 2, 4, layers), header, path)

    path.write_bytes(b"\x00" * 50)
    at = open_page(dataset="tree_cycles", index="600")
    assert [read(e.value) for e in at.error] == [
        "tree_cycles-sum.safetensors is not a whole safetensors file (cut off?). "
        "Train the GNN with: python -m gfx_core train gnn --dataset NAME."
    ]
    assert component(at, "neighbourhood")["svg"]
    save(features=7, hidden=4)
    at.run()
    assert [e.value for e in at.error if "is for 7 features, but tree_cycles has 10" in read(e.value)]
    at.toggle(key="mistakes").set_value(True).run()
    assert not at.exception
    at.toggle(key="mistakes").set_value(False).run()
    save(features=10, hidden=8)
    assert [e.value for e in answered(at.run()).error if "do not fit the architecture" in e.value]
    save(features=10, hidden=4, layers=4)  # a deeper one sees farther
    assert not answered(at.run()).error
    nodes = load_dataset("tree_cycles").instance(600, hops=4).num_nodes
    assert f"{nodes} nodes and " in texts(at)
    assert "lie within 4 hops" in texts(at)


def test_a_shipped_answer_is_that_of_the_gnn(open_page: Open) -> None:
    shares = {bar["name"]: bar["share"] for bar in bars_of(answered(open_page(dataset="ba_shapes", index="301")))}
    said = ask(Question("ba_shapes", "301"), model_path("ba_shapes"))
    assert list(shares.values()) == pytest.approx(list(said), abs=2e-3)


def test_a_gnn_that_was_trained_again_is_asked_itself(open_page: Open, model_folder: Path) -> None:
    shipped = ROOT / "assets" / "models" / "ba_shapes-sum.safetensors"
    header = replace(read_header(shipped), training={"date": "9999-12-31"})
    model = load_model("ba_shapes", path=shipped)
    next(model.parameters()).mul_(1.01)
    save_model(model, header, model_path("ba_shapes"))
    at = open_page(dataset="ba_shapes", index="301")
    assert at.session_state["jobs"]
    assert bars_of(answered(at))
