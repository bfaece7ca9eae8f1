"""Home: one explanation that plays, a field for one's own, and a card for each data set; without torch."""

import re
from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from gfx_core.config import TRACES
from gfx_core.datasets.chosen_examples import examples
from gfx_core.datasets.molecules import COMPOUNDS
from gfx_core.datasets.registry import find_typed, listed
from gfx_core.drawing.hero import story, verdict
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.teaching.tour import stops
from gfx_core.trace.schema import Answer, Trace
from gfx_core.trace.serialize import load
from tests.pages.page_reading import Open, component, looked_until, read, url


def cards(at: AppTest) -> str:
    """The HTML of the cards."""
    return next(html.proto.body for html in at.get("html") if "link-cards" in html.proto.body)


def test_every_data_set_has_a_card_and_what_plays_ends_in_the_answer(open_page: Open) -> None:
    at = open_page("home")
    found = cards(at)
    assert found.count('class="link-card"') == len(listed())
    for name, info in listed().items():
        assert f'href="datasets?dataset={name}"' in found
        assert f"<strong>{info.title}</strong>" in found
        assert f"GNN accuracy {100 * read_header(model_path(name)).accuracy['test']:.1f} %" in found
    links = {link.proto.label: (link.proto.page, link.proto.query_string) for link in at.get("page_link")}
    assert list(links) == ["See one", "Three-minute tour", "Learn how", "Use your own data"]
    assert [page for page, _ in links.values()] == ["explain", "", "learn", "own"]
    shown = dict(part.split("=") for part in links["See one"][1].split("&"))
    assert (TRACES / f"{shown['dataset']}-{shown['index']}.json").is_file()
    assert links["Three-minute tour"][1] == "tour=1"
    assert any("](/classroom)" in words.value for words in at.markdown)  # for who has the code of a class
    data = component(at, "hero")
    assert data["frames"][0]["says"].startswith("The GNN predicts “grid” (")
    shares = [reason["share"] for reason in data["reasons"]]
    assert len(shares) == 2
    assert 0.9 < sum(shares) <= 1
    assert sum(int(reason["percent"].removesuffix(" %")) for reason in data["reasons"]) == 100
    assert data["end"]["verdict"].startswith("Two reasons")
    assert data["idle"]
    assert not data["seek"]
    words = next(html.proto.body for html in at.get("html") if "<dl>" in html.proto.body)
    assert re.findall("<dt>(.*?)</dt>", words) == ["GNN", "GFlowNet", "Sample", "Reasons"]
    assert stops()[0].sentence in [each.value for each in at.markdown]  # what all this is for


def test_what_the_field_suggests_is_read_rightly(open_page: Open) -> None:
    suggested = open_page("home").text_input(key="try").placeholder
    assert len(suggested) <= 50  # a phone shows no more
    compound, smiles, sentence = re.split(", (?:or: )?", suggested, maxsplit=2)
    assert find_typed(compound)[1] == "compound"
    assert compound in {each.name for each in examples("mutagenicity", "compound")}  # it plays at once
    assert find_typed(smiles)[1] == "smiles"
    named = next(each for each in examples("graph_sst2") if each.name == sentence)
    assert find_typed(sentence)[1:] == ("example", sentence)
    assert named.prediction == named.true


def test_missing_and_cut_off_checkpoints_cost_one_sentence(open_page: Open, model_folder: Path) -> None:
    (model_folder / "tree_grid-sum.safetensors").write_bytes(b"\x10\x00")
    found = cards(open_page("home"))
    for name in listed():
        assert (f"python -m gfx_core train gnn --dataset {name}" in found) == (name != "tree_grid")
    assert "tree_grid-sum.safetensors is not a whole safetensors file" in found
    assert found.count('class="link-card"') == len(listed())


# What plays


def shipped() -> Trace:
    return load(TRACES / "tree_cycles-612.json")


def test_where_nothing_is_known_to_be_true_there_is_no_verdict() -> None:
    trace = shipped()
    assert trace.answer is not None
    assert story(trace)["end"]["says"] == trace.answer.sentence
    unknown = replace(trace, edges=tuple(replace(edge, in_motif=None) for edge in trace.edges))

    def named(name: str) -> Answer:
        assert trace.answer is not None
        return replace(trace.answer, reasons=(replace(trace.answer.first, name=name),))

    assert verdict(unknown, named("the ring")) == "The ring"
    assert verdict(unknown, named("")) == f"These {len(trace.answer.first.nodes)} nodes"
    assert not story(unknown)["known"]


def test_the_halves_of_one_group_are_no_two_reasons() -> None:
    trace = load(TRACES / "mutagenicity-nitrobenzene.json")
    end = story(trace)
    assert len(end["reasons"]) == 2
    assert end["end"]["verdict"].startswith("Part of the nitro group")
    assert "with either O0 or O2" in end["end"]["verdict"]


def test_each_sample_is_marked_at_its_own_start() -> None:
    trace = load(TRACES / "mutagenicity-nitrobenzene.json")
    shown = story(trace)
    assert trace.answer is not None
    starts = [reason.nodes[0] for reason in trace.answer.reasons]
    assert len(set(starts)) > 1
    ends = [frame["start"] for frame in shown["frames"] if "members" not in frame]
    assert ends == starts
    assert all(frame["start"] == frame["members"][0] for frame in shown["frames"] if "members" in frame)
    assert shown["end"]["start"] is None  # no node is the start of all of them
    one = shipped()
    assert story(one)["end"]["start"] == one.start


# A molecule or a sentence of one's own


def test_a_molecule_with_a_shipped_trace_plays_at_once(open_page: Open) -> None:
    at = open_page("home")
    at.text_input(key="try").set_value("caffeine").run()
    assert url(at, "try") == "caffeine"
    trace = load(TRACES / "mutagenicity-caffeine.json")
    assert len(component(at, "hero")["nodes"]) == len(trace.nodes)
    assert component(at, "hero")["seek"]
    see = next(link for link in at.get("page_link") if link.proto.label == "Open in Explain")
    assert see.proto.query_string == "dataset=mutagenicity&compound=Caffeine"
    assert at.session_state["prediction"] == {"dataset": "mutagenicity", "compound": "Caffeine"}


def test_what_is_no_molecule_gets_a_friendly_sentence(open_page: Open) -> None:
    shown = open_page("home").get("page_link")[0].proto.query_string
    at = open_page("home", **{"try": "asprin"})
    looked_until(at, lambda: at.error)  # the worker loads RDKit first
    assert read(at.error[0].value).startswith("“asprin” is not a molecule")
    assert "Did you mean Aspirin?" in read(at.error[0].value)
    assert not at.button
    assert not [
        each for each in at.get("bidi_component") if "hero" in each.proto.id
    ]  # nothing plays that has nothing to do with it
    see = next(link for link in at.get("page_link") if link.proto.label == "See one")
    assert see.proto.query_string == shown
    at.text_input(key="try").set_value("so bad " * 60).run()
    assert "at most 400" in read(at.error[0].value)


def test_what_has_several_words_is_a_sentence() -> None:
    assert find_typed(" The jokes are NOT funny. ") == ("graph_sst2", "example", "The jokes are not funny.")
    assert find_typed("Boring, but kind") == ("graph_sst2", "sentence", "Boring, but kind")
    assert find_typed("très bien") == ("graph_sst2", "sentence", "très bien")
    for name, smiles in COMPOUNDS.items():
        assert find_typed(f" {name.upper()}") == ("mutagenicity", "compound", name)
        assert find_typed(smiles) == ("mutagenicity", "smiles", smiles)
    assert find_typed("C C1")[0] == "graph_sst2"  # SMILES has no spaces
    assert find_typed("CCO 12") == ("mutagenicity", "smiles", "CCO 12")


def test_a_sentence_with_a_shipped_trace_plays_at_once(open_page: Open) -> None:
    at = open_page("home", **{"try": "the jokes are not funny."})
    data = component(at, "hero")
    assert [node["label"] for node in data["nodes"]] == ["The", "jokes", "are", "not", "funny", "."]
    assert data["frames"][0]["says"].startswith("The GNN predicts “")
    assert at.session_state["prediction"] == {"dataset": "graph_sst2", "example": "The jokes are not funny."}
