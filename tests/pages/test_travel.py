"""One prediction travels from page to page, by links and by the navigation."""

from streamlit.testing.v1 import AppTest

from gfx_core.datasets.registry import load_dataset
from gfx_core.gnn.checkpoint import model_path
from gfx_core.job_context import JobContext
from gfx_core.jobs.requests import BringGnn
from pages.ui.explorer import parameters
from tests.pages.page_reading import Open, answered, link_of, texts, url

ASKED = {
    "dataset": "tree_cycles",
    "index": "612",
    "gnn": "sum",
    "flows": "exact",
    "beta": "3",
    "price": "0.1",
    "k": "6",
    "seed": "7",
}


def go(at: AppTest, name: str, **link: str) -> AppTest:
    """Change the page as the navigation does: nothing of the old link is left."""
    at.query_params.clear()
    at.query_params.update(link)
    at.switch_page(f"pages/{name}.py").run()
    assert not at.exception
    return at


def links_to(at: AppTest, page: str) -> list[str]:
    return [link.proto.query_string for link in at.get("page_link") if link.proto.page == page]


def test_the_navigation_opens_the_prediction_that_was_looked_at(open_page: Open) -> None:
    at = open_page("explain", **ASKED)
    for page in ("learn", "compare", "datasets", "glossary", "explain", "home", "datasets"):
        go(at, page)
        assert link_of(at) == (ASKED if page in parameters.PREDICTION_PAGES else {})
    assert at.number_input(key="index").value == 612


def test_train_opens_what_was_looked_at_elsewhere_and_else_as_it_was_left(open_page: Open) -> None:
    at = open_page("train")
    go(at, "glossary")
    assert link_of(go(at, "train")) == {}  # its story, as it was left
    about = {name: ASKED[name] for name in ("dataset", "index", "gnn")}
    go(at, "explain", **ASKED)
    assert link_of(go(at, "train")) == about
    assert at.selectbox(key="train-story").value == ""
    assert link_of(go(at, "explain")) == ASKED  # what was asked of it is not forgotten
    go(at, "train")
    at.selectbox(key="train-story").set_value("sequence").run()
    go(at, "glossary")
    assert link_of(go(at, "train")) == {"story": "sequence"}
    go(at, "explain")  # shows what the story is about
    assert link_of(go(at, "train")) == {"story": "sequence"}
    go(at, "compare", dataset="ba_shapes", index="301")
    assert link_of(go(at, "train")) == {"dataset": "ba_shapes", "index": "301"}


def test_train_says_that_it_knows_no_edits(open_page: Open) -> None:
    edited = {"dataset": "tree_grid", "index": "700", "edits": "700-701"}
    at = open_page("explain", **edited)
    said = "Explain shows this prediction with your edits"
    assert said in texts(go(at, "train"))
    assert link_of(at) == {"dataset": "tree_grid", "index": "700"}
    assert link_of(go(at, "explain")) == edited
    assert said not in texts(open_page("train", dataset="tree_grid", index="700"))


def test_a_link_that_names_a_prediction_counts_more(open_page: Open) -> None:
    at = open_page("datasets", **ASKED)
    go(at, "datasets", dataset="ba_shapes")
    assert link_of(at) == {"dataset": "ba_shapes"}
    shown = str(at.number_input(key="index").value)
    go(at, "compare")
    assert link_of(at) == {"dataset": "ba_shapes", "index": shown}


def test_own_data_travel_once_they_have_a_gnn(open_page: Open) -> None:
    at = open_page("own", **{"from": "example"})
    at.button(key="own-try-rings").click().run()
    answered(at).button(key="own-take").click().run()
    name = url(at, "dataset")
    assert link_of(go(at, "explain")) == {}  # nothing of it can be explained yet
    BringGnn(name, str(model_path("tree_cycles"))).answer(JobContext())
    first, other = ({"dataset": name, "index": index} for index in (str(load_dataset(name).example), "3"))
    assert link_of(go(go(at, "own"), "explain")) == first
    go(at, "explain", **other)
    assert link_of(go(go(at, "own"), "explain")) == other  # what was looked at of it stays


def test_what_is_picked_travels(open_page: Open) -> None:
    at = open_page("datasets", dataset="ba_2motifs")
    at.number_input(key="index").set_value(7).run()
    assert links_to(at, "explain") == links_to(at, "compare") == ["dataset=ba_2motifs&index=7"]
    go(at, "compare")
    assert link_of(at) == {"dataset": "ba_2motifs", "index": "7"}
    assert links_to(at, "explain") == links_to(at, "datasets") == ["dataset=ba_2motifs&index=7"]
    at.number_input(key="index").set_value(9).run()
    go(at, "explain")
    at.toggle(key="tools").set_value(True).run()
    assert links_to(at, "compare") == ["dataset=ba_2motifs&index=9"]


def test_all_tools_are_shown_or_not_as_they_were_left(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612")
    for wanted in (True, False):
        at.toggle(key="tools").set_value(wanted).run()
        go(at, "home")
        go(at, "explain", dataset="tree_grid", index="514")  # a link that does not say
        assert at.toggle(key="tools").value is wanted
    go(at, "explain", dataset="tree_grid", index="514", tab="files")  # one that names what was hidden
    assert at.toggle(key="tools").value


def test_own_molecules_travel(open_page: Open) -> None:
    smiles = {"dataset": "mutagenicity", "smiles": "O=[N+]([O-])c1ccccc1"}
    at = open_page("datasets", **smiles)
    for page in ("explain", "compare", "datasets"):
        assert link_of(go(at, page)) == smiles
    at = open_page("datasets", dataset="mutagenicity", compound="caffeine")
    assert link_of(go(at, "explain")) == {"dataset": "mutagenicity", "compound": "Caffeine"}


def test_a_page_keeps_its_own_choices_and_forgets_what_belonged_to_another_prediction(open_page: Open) -> None:
    own = {"methods": "random", "sort": "time"}
    at = open_page("compare", **ASKED, **own)
    go(at, "datasets", dataset="tree_grid", index="700")
    assert link_of(go(at, "compare")) == {"dataset": "tree_grid", "index": "700", **own}
    assert link_of(go(at, "datasets")) == {"dataset": "tree_grid", "index": "700"}

    chosen = {"order": "0.1", "tab": "marginals"}
    at = open_page("explain", dataset="tree_grid", index="700", **chosen)
    go(at, "glossary")
    assert link_of(go(at, "explain")) == {"dataset": "tree_grid", "index": "700", **chosen}
    go(at, "datasets", dataset="tree_grid", index="514")
    assert link_of(go(at, "explain")) == {"dataset": "tree_grid", "index": "514", "tab": "marginals"}


def test_a_browser_that_lags_behind_takes_nothing_back(open_page: Open) -> None:
    at = open_page("datasets", dataset="ba_2motifs", gnn="sum")
    at.number_input(key="index").set_value(7).run()
    late = {"dataset": "ba_2motifs", "gnn": "sum"}  # what the browser still says: it has not heard of the change
    at.query_params.clear()
    at.query_params.update(late)
    at.run()
    assert link_of(at) == {**late, "index": "7"}
    at.query_params.clear()
    at.query_params.update(late)
    at.number_input(key="index").set_value(8).run()
    assert link_of(at) == {**late, "index": "8"}


def test_what_a_page_reports_that_was_left_changes_nothing(open_page: Open) -> None:
    at = open_page("datasets", dataset="ba_2motifs")
    at.session_state["page-hash"] = "of another page, which is shown now"
    at.number_input(key="index").set_value(7).run()
    assert link_of(at) == {"dataset": "ba_2motifs"}
