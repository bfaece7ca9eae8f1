"""Edits: their text, what they do to an instance, and what is impossible; predictions are those of the whole graph."""

import random
from contextlib import suppress

import numpy as np
import pytest
import torch

from gfx_core.datasets.edits import Edit, read_edits, spell_edits, with_edit
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.explanation.subject import load
from gfx_core.gnn.checkpoint import load_model
from gfx_core.layout.instances import instance_layout
from gfx_core.limits import MAX_EDITS

BUTYL = ("mutagenicity", "CCCCc1ccc(cc1)N(C)N=O", "smiles")
JOKES = ("graph_sst2", "The jokes are not funny.", "example")


def instance_of(*named: str, edits: str = "") -> Instance:
    return Question(*named, edits=edits).instance(3)


def pairs(instance: Instance) -> set[tuple[int, int]]:
    """The undirected edges by ids."""
    ends = instance.nodes[instance.edge_index[:, instance.undirected]]
    return {(min(u, v), max(u, v)) for u, v in ends.T.tolist()}


@pytest.mark.parametrize("text", ["", "541-542", "541-542.7.3~9.5_N", "5_n't", "0_l~27a~2e~20b", "3_é"])
def test_a_text_of_edits_is_read_and_spelled(text: str) -> None:
    for word in ("a.b", "x~y", "1-2", "_", "“no”", "100 %", "ñandú", "日本"):  # any letters survive a link
        assert read_edits(Edit(3, label=word).text) == (Edit(3, label=word),)
    spelled = Question(*JOKES, edits=text).edits
    assert spell_edits(read_edits(spelled)) == spelled


def test_fuzz_a_damaged_text_of_edits_gives_a_sentence() -> None:
    letters, chance = "0123456789-~_.N'é%/ \u200f", random.Random(0)
    for _ in range(3000):
        text = "".join(chance.choices(letters, k=chance.randrange(14)))
        with suppress(UserError):
            edits = read_edits(text)
            assert read_edits(spell_edits(edits)) == edits
            Question(*JOKES, edits=text).instance()
    for odd in ("9" * 400, "1-1", "1-2-3", "5_", "5_~e2~80~8f", ".".join(["1"] * (MAX_EDITS + 1))):
        with pytest.raises(UserError):
            read_edits(odd)
    with pytest.raises(UserError, match="must be a text"):
        Question(*JOKES, edits=5)  # type: ignore[arg-type]


def test_an_edit_is_taken_back_by_itself_or_its_contrary() -> None:
    removed, added, changed = Edit.edge(2, 1), Edit.edge(1, 2, added=True), Edit(5, label="N")
    assert with_edit((), removed) == (removed,)
    assert with_edit((removed,), removed) == with_edit((removed,), added) == with_edit((added,), removed) == ()
    assert with_edit((changed,), Edit(5, label="O")) == (Edit(5, label="O"),)
    assert with_edit((changed,), Edit(5)) == (changed, Edit(5))


def test_edges_go_and_come_and_all_nodes_keep_their_places() -> None:
    before = instance_of("tree_grid", "700")
    after = instance_of("tree_grid", "700", edits="700-703.76~704")
    assert pairs(after) == (pairs(before) - {(700, 703)}) | {(76, 704)}
    assert (after.y, before.y) == (-1, 1)
    assert after.edge_index.tolist() == after.edge_index[:, np.lexsort(after.edge_index[::-1])].tolist()
    where = dict(zip(before.nodes.tolist(), instance_layout(before).tolist(), strict=True))
    assert all(
        where[node] == place for node, place in zip(after.nodes.tolist(), instance_layout(after).tolist(), strict=True)
    )


def test_what_a_new_edge_brings_into_sight_can_be_removed_but_not_joined() -> None:
    before, joined = (instance_of("tree_grid", "700", edits=edits) for edits in ("", "18~700"))
    came = set(joined.nodes.tolist()) - set(before.nodes.tolist())
    assert came
    one, other = next(pair for pair in sorted(pairs(joined)) if came & set(pair) and 18 not in pair)
    assert (one, other) not in pairs(instance_of("tree_grid", "700", edits=f"18~700.{one}-{other}"))
    with pytest.raises(UserError, match="The GNN does not see node"):
        instance_of("tree_grid", "700", edits=f"18~700.700~{min(came)}")
    with pytest.raises(UserError, match="The GNN does not see node"):
        instance_of("tree_grid", "700", edits=f"{one}-{other}")


def test_a_node_goes_with_its_edges_and_what_is_left_alone() -> None:
    before, after = (instance_of(*BUTYL, edits=edits) for edits in ("", "0"))
    hydrogens = {node for pair in pairs(before) if 0 in pair for node in pair if node > 13}
    assert set(before.nodes.tolist()) - set(after.nodes.tolist()) == {0} | hydrogens
    assert len(hydrogens) == 3


def test_atoms_and_words_are_changed() -> None:
    assert instance_of(*BUTYL, edits="0_N").node_label(0) == "N"
    spoken = instance_of(*JOKES, edits="4_hilarious")
    assert spoken.node_texts[4] == "hilarious"
    assert not np.allclose(spoken.x[4], instance_of(*JOKES).x[4])
    assert np.array_equal(spoken.x[:4], instance_of(*JOKES).x[:4])


@pytest.mark.parametrize(
    ("named", "edits", "sentence"),
    [
        (("tree_grid", "700"), "700", "is the one that is explained"),
        (("tree_grid", "700"), "700-701.700-999", "not see node 999"),
        (("tree_grid", "700"), "700-708", "not see node 708"),
        (("tree_grid", "700"), "701-703", "no edge 701–703 to remove"),
        (("tree_grid", "700"), "700~701", "is there already"),
        (("tree_grid", "700"), "701.76~701", "needs both of its ends"),
        (("tree_grid", "700"), "701_N", "have no names"),
        (("tree_grid", "700"), "701~706.708_N", "708 cannot be changed"),  # it came into sight by the first edit
        (BUTYL, "1_O", "RDKit refuses.*O1 would have a valence of 4"),
        (BUTYL, "2~7", "RDKit refuses.*valence of 5"),
        (BUTYL, "1_C", "is C already"),
        (BUTYL, "1_Xx", "choose one of C, O"),
        (BUTYL, ".".join(map(str, range(30))), "This removes all"),
        (JOKES, f"1_{'long' * 20}", "letters; at most"),
    ],
)
def test_what_is_impossible_gets_a_sentence(named: tuple[str, ...], edits: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        instance_of(*named, edits=edits)


@pytest.mark.parametrize(("dataset", "gnn"), [("tree_grid", "sum"), ("tree_grid", "gcn"), ("ba_shapes", "sum")])
def test_the_gnn_predicts_what_it_predicts_on_the_whole_edited_graph(dataset: str, gnn: str) -> None:
    """Slow reference: the edits are made in the whole graph, of which nothing is cut out."""
    data, model, chance = load_dataset(dataset), load_model(dataset, gnn), random.Random(1)
    everything = data.to_pyg()
    for index in chance.sample(data.explainable.tolist(), 6):
        before = data.instance(index, hops=model.hops)
        removed = chance.sample(sorted(pairs(before)), min(2, len(pairs(before))))
        nodes = before.nodes.tolist()
        added = {(min(pair), max(pair)) for pair in (chance.sample(nodes, 2) for _ in range(3))} - pairs(before)
        edits = [*(Edit.edge(*pair) for pair in removed), *(Edit.edge(*pair, added=True) for pair in sorted(added))]
        loaded = load(Question(dataset, str(index), gnn=gnn, edits=spell_edits(edits)))
        whole = {tuple(sorted(pair)) for pair in everything.edge_index.T.tolist()} - set(removed) | added
        edge_index = torch.tensor([pair for u, v in sorted(whole) for pair in ((u, v), (v, u))]).T
        with torch.no_grad():
            expected = model(everything.x, edge_index)[index].softmax(-1)
        assert torch.allclose(loaded.predictor("cpu").whole.probabilities[0], expected, atol=1e-5), (index, edits)
