"""What stands in data, links and files is text on every page, never Markdown."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from gfx_core.bench.report import STUDIES
from gfx_core.config import TRACES
from gfx_core.datasets import registry
from gfx_core.datasets.info import Vocabulary
from gfx_core.trace.serialize import from_json, load, to_json
from pages.ui.text import plain, plain_sentence
from tests.pages.hostile import ALL, HOSTILE, check_that_nothing_is_markdown, parameters, read_as_markdown
from tests.pages.page_reading import ROOT, Open, component, read, texts
from tests.patience import PATIENCE_S

PARAMETERS = sorted({parameter.name for _, parameter in parameters()} | {"try", "term", "class"})
"""Those of all pages; the last ones are not declared in modules that pages share."""
LOUD = (
    "dataset",
    "index",
    "source",
    "gnn",
    "policy",
    "methods",
    "compound",
    "smiles",
    "story",
    "try",
    "term",
)
"""Those that pages quote where they make no sense: one of them hides what would be said of another."""
PICTURE = HOSTILE[1]
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py") if path.stem != "__init__")


def test_a_reader_sees_what_was_written_in_one_line() -> None:
    for name in HOSTILE:
        assert name not in plain(name)
        assert read(plain(name)) == name
    assert read(plain(" a\n\n# b\t c ")) == "a # b c"
    for start in ("- a", "+ a", "1. a", "2) a", "---", "===", "    code"):
        assert plain(start) != start
        assert read(plain(start)) == start.strip()
    for name in ("Node 301", "BA-Shapes", "a, b (c); 3.5 %", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "C[C@H](O)CC", "[CH3:1]O"):
        assert "\u2060" not in plain(name)


@pytest.mark.parametrize("page", PAGES)
def test_links(page: str, open_page: Open) -> None:
    check_that_nothing_is_markdown(open_page(page, **dict.fromkeys(PARAMETERS, ALL)))
    others = [name for name in PARAMETERS if name not in LOUD]
    check_that_nothing_is_markdown(open_page(page, **dict.fromkeys(others, PICTURE)))


@pytest.mark.parametrize("name", LOUD)
def test_each_parameter_that_is_quoted(name: str, open_page: Open) -> None:
    there = {"methods": "compare", "story": "train", "try": "home", "term": "glossary", "gnn": "train"}
    check_that_nothing_is_markdown(open_page(there.get(name, "explain"), **{name: PICTURE}))


FILES = (b"no JSON", json.dumps({ALL: [ALL]}).encode(), b"\xff\x00" * 50)


def test_every_field_and_every_upload(open_page: Open) -> None:
    """Whatever can be typed on a page or brought there is shown as text: also the names of files."""
    found: set[str] = set()
    links: list[tuple[str, dict[str, str]]] = [(page, {}) for page in PAGES]
    for page, link in [*links, ("datasets", {"dataset": "mutagenicity", "smiles": "CCO"})]:
        at = open_page(page, **link)
        for number, field in enumerate([*at.text_input, *at.text_area]):
            field.set_value(ALL[: field.proto.max_chars or None] if number % 2 else PICTURE).run()
            check_that_nothing_is_markdown(at)
            found.add(str(field.key))
        for number in range(len(at.file_uploader)):
            found.add(str(at.file_uploader[number].key))
            bring(at, number, *FILES)
    assert {"try", "class-code", "smiles", "train-upload"} <= found


def bring(at: AppTest, number: int, *contents: bytes) -> None:
    """Upload some files, whose names are hostile too, and look at what the page makes of each."""
    ending = (list(at.file_uploader[number].proto.type) or [".json"])[0]
    for content in contents:
        at.file_uploader[number].set_value((f"{PICTURE}{ending}", content, "application/json"))
        check_that_nothing_is_markdown(at.run())


def test_nobody_is_told_where_things_are_on_the_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path / "data"))
    for sentence, told in (
        (
            f"There is no file {ROOT / 'assets' / 'models' / 'x.safetensors'}.",
            "There is no file assets/models/x.safetensors.",
        ),
        (
            f"It cannot be kept in {tmp_path / 'data'}: is there room?",
            "It cannot be kept in the data folder: is there room?",
        ),
        (f"{tmp_path / 'data' / 'policies' / 'x'} is cut off", "policies/x is cut off"),
        ("C/C=C/C", "C/C=C/C"),
    ):
        assert read(plain(sentence)) == told
        assert read(plain_sentence(sentence)) == told


def test_links_to_molecules(open_page: Open) -> None:
    smiles = "O=[N+]([O-])c1ccccc1"
    for page, given in (("datasets", {"smiles": ALL}), ("explain", {"compound": ALL}), ("compare", {"smiles": smiles})):
        check_that_nothing_is_markdown(open_page(page, dataset="mutagenicity", **given))
    at = open_page("datasets", dataset="mutagenicity", smiles=smiles)
    assert read(at.subheader[0].value) == smiles
    check_that_nothing_is_markdown(at)


@pytest.fixture
def hostile_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every data set says hostile things of itself, of its classes and of its motifs."""
    for name, info in registry.DATASETS.items():
        classes = tuple(f"{HOSTILE[number % len(HOSTILE)]} {known}" for number, known in enumerate(info.classes))
        motifs = tuple(replace(motif, name=f"{motif.name} {ALL}") for motif in info.motifs)
        said = {"title": f"{info.title} {ALL}", "description": ALL, "citation": ALL}
        words = Vocabulary(*(f"{word} {ALL}" for word in ("thing", "dot", "line", "part")))
        changed = replace(info, classes=classes, motifs=motifs, words=words, **said)
        monkeypatch.setitem(registry.DATASETS, name, changed)


@pytest.mark.parametrize("page", [page for page in PAGES if page != "results"])  # its sentences come from the studies
def test_data_sets(page: str, open_page: Open, hostile_data_sets: None) -> None:
    at = open_page(page)
    check_that_nothing_is_markdown(at)
    if page == "datasets":
        assert ALL in texts(at)
        assert ALL in read(at.title[0].value)
        check_that_nothing_is_markdown(open_page(page, dataset="ba_2motifs"))
        check_that_nothing_is_markdown(open_page(page, dataset="mutagenicity", compound="caffeine"))


def test_results(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for study in STUDIES.values():
        monkeypatch.setitem(vars(study), "titles", {name: f"{title} {ALL}" for name, title in study.titles.items()})
    st.cache_resource.clear()
    found = [open_page("results", study=name) for name, study in STUDIES.items() if study.short]
    st.cache_resource.clear()
    for at in found:
        check_that_nothing_is_markdown(at)
    assert any(ALL in read(text) for at in found for _, text in read_as_markdown(at))


def test_our_own_commands_stay_code() -> None:
    told = plain_sentence("Not measured yet on `c` and **b**: run `python -m gfx_core bench auc`.")
    assert told == r"Not measured yet on \`c\` and \*\*b\*\*\: run `python -m gfx_core bench auc`."
    assert plain_sentence("1. of [x](y)") == plain("1. of [x](y)")


def hostile_trace() -> str:
    """A file that somebody made, with such names wherever a trace has texts."""
    data = json.loads(to_json(load(TRACES / "ba_2motifs-0.json")))
    data["classes"] = [HOSTILE[0], HOSTILE[1]]
    data["dataset_title"] = HOSTILE[2]
    data["dataset"] = HOSTILE[3]
    data["model"] = HOSTILE[4]
    for number, node in enumerate(data["nodes"]):
        node["label"] = HOSTILE[number % len(HOSTILE)]
        node["features"] = [[HOSTILE[5], HOSTILE[6]]]
    return json.dumps(data)


def test_traces_that_are_brought_to_explain(open_page: Open) -> None:
    trace = from_json(hostile_trace(), "file")
    at = open_page("explain", dataset="tree_cycles", index="612", tab="files")
    bring(at, 0, *FILES)
    assert PICTURE in read(at.error[0].value)
    at.file_uploader(key="upload").upload(f"{HOSTILE[0]}.json", to_json(trace).encode()).run()
    check_that_nothing_is_markdown(at)
    assert not at.error
    assert "This trace was loaded from a file" in at.info[0].value
    assert HOSTILE[2] in read(at.info[0].value)
    assert any(HOSTILE[int(trace.prediction.predicted)] in read(text) for _, text in read_as_markdown(at))
    assert json.loads(component(at, "player")["trace"])["classes"] == list(HOSTILE[:2])  # there it is text anyway
    at.file_uploader(key="upload").set_value(None).run()
    assert not at.info


def test_the_reader_finds_markdown(tmp_path: Path) -> None:
    def page() -> None:
        import streamlit as st

        st.tabs(["one", "`c`"])
        st.button("here", help="**b**")
        st.segmented_control("which", ["$x^2$"])

    at = AppTest.from_function(page, default_timeout=PATIENCE_S).run()
    found = {text for _, text in read_as_markdown(at)}
    assert {"`c`", "**b**", "$x^2$"} <= found
    with pytest.raises(AssertionError):
        check_that_nothing_is_markdown(at)
