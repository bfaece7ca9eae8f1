"""Home: one explanation that plays, a field for one's own, and a card for each data set; without torch."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from gfx_core.config import TRACES
from gfx_core.datasets.registry import listed
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.trace.serialize import from_json, load
from tests.pages.page_reading import Open, component, has, links_to, looked_until, read, url


def cards(at: AppTest) -> str:
    """The HTML of the cards."""
    return next(html.proto.body for html in at.get("html") if "link-cards" in html.proto.body)


def test_every_data_set_has_a_card_and_what_plays_ends_in_the_answer(open_page: Open) -> None:
    at = open_page("home")
    assert cards(at).count('class="link-card"') == len(listed())
    for name, info in listed().items():
        assert f'href="datasets?dataset={name}"' in cards(at)
        assert f"<strong>{info.title}</strong>" in cards(at)
        assert f"{100 * read_header(model_path(name)).accuracy['test']:.1f} %" in cards(at)
    shown = dict(part.split("=") for part in links_to(at, "explain")[0].split("&"))
    assert (TRACES / f"{shown['dataset']}-{shown['index']}.json").is_file()
    assert links_to(at, "") == ["tour=1"]
    assert any("](/classroom)" in words.value for words in at.markdown)  # for who has the code of a class
    data = component(at, "hero")
    answer = from_json(data["trace"]).answer
    assert answer is not None
    assert len(answer.reasons) == 2
    assert data["verdict"].startswith("Two reasons: ")
    assert not data["seek"]


def test_missing_and_cut_off_checkpoints_cost_one_sentence(open_page: Open, model_folder: Path) -> None:
    (model_folder / "tree_grid-sum.safetensors").write_bytes(b"\x10\x00")
    shown = cards(open_page("home"))
    for name in listed():
        assert f"python -m gfx_core train gnn --dataset {name}" in shown
    assert shown.count('class="link-card"') == len(listed())


def test_what_has_a_shipped_trace_plays_at_once(open_page: Open) -> None:
    at = open_page("home")
    at.text_input(key="try").set_value("caffeine").run()
    assert url(at, "try") == "caffeine"
    played = from_json(component(at, "hero")["trace"])
    assert played.nodes == load(TRACES / "mutagenicity-caffeine.json").nodes
    assert component(at, "hero")["seek"]
    assert "dataset=mutagenicity&compound=Caffeine" in links_to(at, "explain")
    assert at.session_state["prediction"] == {"dataset": "mutagenicity", "compound": "Caffeine"}


def test_what_is_no_molecule_gets_a_friendly_sentence(open_page: Open) -> None:
    shown = links_to(open_page("home"), "explain")
    at = open_page("home", **{"try": "asprin"})
    looked_until(at, lambda: at.error)  # the worker loads RDKit first
    assert "Did you mean Aspirin?" in read(at.error[0].value)
    assert not has(at, "hero")  # nothing plays that has nothing to do with it
    assert links_to(at, "explain") == shown
    at.text_input(key="try").set_value("so bad " * 60).run()
    assert "at most 400" in read(at.error[0].value)
