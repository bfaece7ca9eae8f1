"""The Compare page: shipped masks at once, k, and the same numbers as the metrics."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from gfx_core.baselines.registry import METHODS, learns_first
from gfx_core.config import ASSETS
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.trace import serialize
from gfx_core.trace.schema import SAME, Trace
from pages.ui import comparison
from tests.pages.page_reading import Open, component, table_lines, texts

TRACE = serialize.load(ASSETS / "traces" / "ba_shapes-301.json")
SHOWN = ("gflowexplainer", "degree", "most_links", "random")
MASKS = [mask for mask in TRACE.masks if mask.method in SHOWN]
NITROBENZENE = Question("mutagenicity", "Nitrobenzene", "compound")
LINK = {"dataset": "ba_shapes", "index": "301", "methods": ",".join(SHOWN)}


def rows_of(question: Question, size: int | None = None) -> tuple[Trace, dict[str, comparison.MethodRow]]:
    """A shipped prediction, and its explanations of so many edges; without a number as many as the answer has."""
    trace = serialize.load(question.shipped_trace)
    edges = comparison.answer_edges(trace) if size is None else size
    return trace, {mask.method: comparison.row(mask, edges, trace) for mask in trace.masks}


def titles(cards: list[dict]) -> list[str]:
    return [card["title"] for card in cards]


def test_the_table_has_the_numbers_sorted_and_the_best_marked(open_page: Open) -> None:
    shown = [comparison.row(mask, 4, TRACE) for mask in MASKS]
    at = open_page("compare", **LINK, edges="4")
    truth, *cards = component(at, "methods-gallery")["cards"]
    lines = table_lines(at)
    heads = [each.split(" (")[0] for each in lines.pop("Explainer")[1:]]
    assert heads == [head.title for head in comparison.HEADS.values()]
    assert truth["title"] == "Ground truth"
    assert titles(cards)[0] == "GFlowExplainer"  # the one that plays
    assert titles(cards)[1:] == [name for name in lines if name != "GFlowExplainer"]
    assert not any(card["facts"] for card in cards)  # the numbers stand once
    first = [line[1].removeprefix("best ★ ") for line in lines.values()]
    assert first == sorted(first, key=float, reverse=True)
    for place, name in enumerate(comparison.HEADS, start=1):
        for row in shown:
            text = lines[METHODS[row.mask.method].title][place]
            value = row.values[name]
            assert text.removeprefix("best ★ ") == ("–" if value is None else f"{value:.3f}")
            assert text.startswith("best ★ ") == (row.mask.method in comparison.best(shown, name))


@pytest.mark.parametrize("question", [q for q in SHIPPED if q.dataset == "mutagenicity"], ids=str)
def test_all_explanations_are_as_large_as_the_answer_and_gflowexplainers_is_the_answer(question: Question) -> None:
    """As on Explain: the same edges, the same probabilities with and without them."""
    trace, rows = rows_of(question)
    reason, at, whole = comparison.compared_reason(trace), trace.prediction.predicted, trace.prediction.probability
    assert {row.kept.sum() for row in rows.values()} == {0 if reason is None else len(reason.edges)}
    if reason is not None:
        own = rows[comparison.GFLOWEXPLAINER]
        assert tuple(np.flatnonzero(own.kept)) == reason.edges
        assert own.values["fidelity_minus"] == pytest.approx(whole - reason.alone[at])
        assert own.values["fidelity_plus"] == pytest.approx(whole - reason.without[at])


def test_the_page_says_which_size_is_used_and_forgets_another_one_with_its_prediction(open_page: Open) -> None:
    link = {"dataset": "mutagenicity", "compound": "nitrobenzene"}
    at = open_page("compare", **link)
    assert "**1 bond**" in texts(at)
    assert not at.expander[0].proto.expanded
    at = open_page("compare", **link, edges="4")
    assert "**4 bonds**" in texts(at)
    assert at.expander[0].proto.expanded
    at.selectbox(key="compound").set_value("Caffeine").run()
    assert "**3 bonds**" in texts(at)
    at.slider(key="edges").set_value(4).run().slider(key="edges").set_value(3).run()
    assert "edges" not in at.query_params


def test_what_does_not_reach_the_explained_node_is_never_best() -> None:
    _, rows = rows_of(Question("tree_grid", "682"), 4)
    for row in rows.values():
        far = replace(row, reaches=False, values=row.values | {"fidelity_minus": -1.0})
        shown = [far if each is row else each for each in rows.values()]
        assert row.mask.method not in comparison.best(shown, "fidelity_minus")


def test_none_is_best_where_all_that_see_the_gnn_are_level_or_nothing_is_necessary() -> None:
    _, rows = rows_of(NITROBENZENE, 1)
    shown = [rows[name] for name in comparison.DEFAULT_METHODS if name != "gnnexplainer"]  # which keeps another bond
    assert max(row.values["fidelity_plus"] or 0.0 for row in shown) < SAME
    for column in ("fidelity_plus", "fidelity_minus"):
        assert comparison.best(shown, column) == set()
    assert "cannot separate" in comparison.reading(shown)
    slightly = [replace(row, values=row.values | {"fidelity_plus": 0.012 * at}) for at, row in enumerate(shown)]
    assert comparison.best(slightly, "fidelity_plus") == set()
    needed = [replace(row, values=row.values | {"fidelity_plus": 0.1 * at}) for at, row in enumerate(shown)]
    assert comparison.best(needed, "fidelity_plus") == {comparison.DEFAULT_METHODS[-2]}  # the last never sees the GNN
    assert f"as good without the GNN: {METHODS[comparison.DEFAULT_METHODS[-1]].title}" in comparison.reading(needed)
    assert comparison.reading(shown[:1]) == ""  # none to be compared with


def test_the_file_of_the_table_has_what_was_explained_and_the_edges() -> None:
    question = Question("ba_shapes", "301", edits="301-303")
    shown = [comparison.row(mask, 4, TRACE) for mask in MASKS]
    lines = list(csv.DictReader(io.StringIO(comparison.csv_of(shown, question, TRACE).decode())))
    assert [line["Method"] for line in lines] == [METHODS[row.mask.method].title for row in shown]
    ends = [f"{TRACE.nodes[edge.source].id}-{TRACE.nodes[edge.target].id}" for edge in TRACE.edges]
    for line, row in zip(lines, shown, strict=True):
        what = [line[head] for head in ("Data set", "Instance", "Edits", "GNN")]
        assert what == ["BA-Shapes", "301", "301-303", "sum"]
        assert line["Kept edges"].split(" ") == [edge for edge, kept in zip(ends, row.kept, strict=True) if kept]
        assert float(line[comparison.HEADS["auc_own"].title]) == row.values["auc_own"]


def test_no_truth_no_verdict(open_page: Open) -> None:
    """Caffeine has no motif: nothing is found, extra, missed or near to a truth."""
    at = open_page("compare", dataset="mutagenicity", compound="caffeine")
    cards = component(at, "methods-gallery")["cards"]
    assert "Ground truth" not in titles(cards)
    heads = table_lines(at)["Explainer"]
    assert not any("AUC" in head or "Top-k" in head for head in heads)
    assert "truth" not in texts(at)


def test_a_method_that_learns_first_waits_for_its_button(open_page: Open, no_workers: None) -> None:
    at = open_page("compare", dataset="ba_shapes", index="301", methods=",".join(METHODS))  # as by "Select all"
    cards = {card["title"]: card for card in component(at, "methods-gallery")["cards"]}
    assert len(cards) == 1 + len(METHODS)  # and the truth
    late = {name for name in METHODS if name not in {mask.method for mask in TRACE.masks}}
    learners = {name for name in late if learns_first(name, "ba_shapes", "sum")}
    jobs = at.session_state["jobs"].values() if "jobs" in at.session_state else ()
    assert {job._work.request.arguments["method"] for job in jobs} == late - learners
    for name in learners:
        assert cards[METHODS[name].title]["careful"]
    for mask in TRACE.masks:
        assert cards[METHODS[mask.method].title]["svg"]  # others are there already
