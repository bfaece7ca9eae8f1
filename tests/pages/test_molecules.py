"""Molecules on the data set page: nothing is downloaded unasked, and much works without the data set."""

from pathlib import Path

import pytest

from gfx_core.datasets.molecules import COMPOUNDS, Compounds, molecule
from tests.pages.page_reading import Open, answered, bars_of, component, texts


def test_opening_the_page_downloads_nothing(open_page: Open, no_mutagenicity: Path) -> None:
    at = open_page(dataset="mutagenicity")
    assert "downloads about 1 MB once" in at.button(key="load").label
    assert not at.error
    assert at.selectbox(key="compound").value == Compounds.first
    assert component(at, "neighbourhood")["svg"].count("data-node") == molecule(COMPOUNDS[Compounds.first]).num_nodes
    assert [bar["name"] for bar in bars_of(at)] == ["mutagen", "non-mutagen"]
    assert not list(no_mutagenicity.iterdir())


def test_without_internet_one_sentence_is_shown_and_compounds_work(open_page: Open, no_mutagenicity: Path) -> None:
    at = open_page(dataset="mutagenicity", index="17")
    assert not at.error
    at.button(key="load").click().run()
    assert not at.exception
    assert at.error[0].value.startswith("Mutagenicity could not be downloaded (no internet?)")
    at.button_group(key="source").set_value("compound").run()
    assert not at.exception
    assert not at.error
    assert component(at, "neighbourhood")["svg"]


def test_a_cache_folder_that_cannot_be_written(
    open_page: Open, no_mutagenicity: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (no_mutagenicity / "file").touch()
    monkeypatch.setenv("GFX_DATA", str(no_mutagenicity / "file" / "cache"))
    at = open_page(dataset="mutagenicity")
    at.button(key="load").click().run()
    assert not at.exception
    assert "cannot be written" in at.error[0].value


BAD = {
    "C1CC": "not a valid SMILES string",
    "<b>C": "not a valid SMILES string",
    "[U]": "The GNN has never seen U",
    "C" * 501: "This SMILES has 501 characters",
    "C" * 200: "at most 300 can be shown",
}


def test_own_smiles(open_page: Open, no_mutagenicity: Path) -> None:
    at = open_page(dataset="mutagenicity", compound="TNT")
    assert "3 NO₂ groups (6 bonds, drawn thick)." in texts(at)
    at.button_group(key="source").set_value("smiles").run()
    assert at.text_input(key="smiles").value == COMPOUNDS["TNT"]
    at.text_input(key="smiles").set_value("CCO").run()
    assert at.query_params["smiles"] == "CCO"
    assert component(at, "neighbourhood")["svg"].count("data-node") == 9
    assert "**True class:** not known here" in texts(at)
    for smiles, sentence in BAD.items():  # it costs one sentence, and is kept
        at.text_input(key="smiles").set_value(smiles).run()
        assert len(at.error) == 1
        assert sentence in at.error[0].value
        assert at.text_input(key="smiles").value == smiles


def test_data_set_molecules(
    open_page: Open, data_folder: Path, mutagenicity_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GFX_DATA", str(mutagenicity_root))
    at = answered(open_page(dataset="mutagenicity", index="17"))
    assert at.subheader[0].value == "Molecule 17"
    assert at.number_input(key="index").value == 17
    assert at.get("plotly_chart")
    assert "4,337 graphs of about 30 nodes" in texts(at)
