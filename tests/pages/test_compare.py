"""The Compare page: shipped masks at once, k, sorting, and the same numbers as the metrics."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.baselines.registry import METHODS, learns_first
from gfx_core.bench.tables import is_control, leaders
from gfx_core.config import ASSETS, FlowSource
from gfx_core.datasets.chosen_examples import examples
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.jobs.job import Job, JobState, JobStatus, Work
from gfx_core.jobs.pool import WorkerPool
from gfx_core.jobs.requests import Explain, ScoreEdges
from gfx_core.metrics.edges import best_edges
from gfx_core.metrics.fidelity import outcomes
from gfx_core.trace import serialize
from gfx_core.trace.schema import SAME, MethodMask, Trace
from pages.ui import jobs
from pages.ui.compare import method_jobs, table
from pages.ui.explorer import traces
from tests.pages.page_reading import Open, component, table_lines, texts

TRACE = serialize.load(ASSETS / "traces" / "ba_shapes-301.json")
SHOWN = ("gflowexplainer", "degree", "most_links", "random")
MASKS = [mask for mask in TRACE.masks if mask.method in SHOWN]
NITROBENZENE = Question("mutagenicity", "Nitrobenzene", "compound")
LINK = {"dataset": "ba_shapes", "index": "301", "methods": ",".join(SHOWN)}


def titles(cards: list[dict]) -> list[str]:
    return [card["title"] for card in cards]


def test_sorted_by_what_is_asked_for(open_page: Open) -> None:
    for by in ("auc_own", "fidelity_minus"):
        at = open_page("compare", **LINK, sort=by)
        truth, *cards = component(at, "methods-gallery")["cards"]
        assert truth["title"] == "Ground truth"
        assert (
            len({card["svg"].split("viewBox=")[1].split('"')[1] for card in (truth, *cards)}) == 1
        )  # one layout for all
        lines = table_lines(at)
        first, *others = titles(cards)
        assert first == "GFlowExplainer"  # the one that plays
        assert others == [name for name in list(lines)[1:] if name != first]
        values = [float(line[1 + table.COLUMNS.index(by)].removeprefix("best ★ ")) for line in list(lines.values())[1:]]
        assert values == sorted(values, reverse=by not in table.LOWER_IS_BETTER)


@pytest.mark.parametrize("k", [1, 6, 20])
def test_the_numbers_are_those_of_the_metrics(k: int) -> None:
    instance, model = load_dataset("ba_shapes").instance(301), load_model("ba_shapes")
    mask = next(mask for mask in TRACE.masks if mask.method == "degree")
    row = table.row(mask, instance, k, TRACE)
    directed = np.zeros(instance.edge_index.shape[1])
    ends = {
        tuple(sorted(pair)): score
        for pair, score in zip(instance.edge_index[:, instance.undirected].T.tolist(), mask.scores, strict=True)
        for pair in [tuple(pair)]
    }
    for at, pair in enumerate(instance.edge_index.T.tolist()):
        directed[at] = ends[tuple(sorted(pair))]
    result = outcomes(model, instance, directed, [k])
    plus, minus = result.plus[0], result.minus[0]
    assert row.values["fidelity_plus"] == pytest.approx(plus, abs=1e-5)
    assert row.values["fidelity_minus"] == pytest.approx(minus, abs=1e-5)
    assert row.values["sparsity"] == pytest.approx(1 - k / len(mask.scores))


@pytest.mark.parametrize("question", [q for q in SHIPPED if q.dataset in ("mutagenicity", "tree_grid")], ids=str)
def test_all_explanations_are_as_large_as_the_answer_and_gflowexplainers_is_the_answer(question: Question) -> None:
    """As on Explain: the same edges, the same probabilities with and without them."""
    trace = serialize.load(question.shipped_trace)
    assert trace.answer is not None
    reason, at = table.compared_reason(trace), trace.prediction.predicted
    size = table.answer_edges(trace)
    if reason is None:
        assert size == 0
        assert not any(each.edges for each in trace.answer.reasons)
        return
    for mask in trace.masks:
        row = table.row(mask, question.instance(), size, trace)
        assert row.kept.sum() == size == len(reason.edges)
        if mask.method != table.GFLOWEXPLAINER:
            continue
        assert tuple(np.flatnonzero(row.kept)) == reason.edges
        whole = trace.prediction.probability
        assert row.values["fidelity_minus"] == pytest.approx(whole - reason.alone[at])
        assert row.values["fidelity_plus"] == pytest.approx(whole - reason.without[at])
        if size and np.array_equal(best_edges(np.asarray(mask.scores), size), row.kept):  # what the metrics make of it
            assert row.values["fidelity_plus"] == pytest.approx(mask.plus[size - 1], abs=1e-4)
            assert row.values["fidelity_minus"] == pytest.approx(mask.minus[size - 1], abs=1e-4)


def test_the_page_says_which_size_is_used_and_forgets_another_one_with_its_prediction(open_page: Open) -> None:
    link = {"dataset": "mutagenicity", "compound": "nitrobenzene"}
    at = open_page("compare", **link)
    assert "Each explanation has **1 bond**, as many as GFlowExplainer’s answer." in texts(at)
    assert not at.expander[0].proto.expanded
    at = open_page("compare", **link, edges="4")
    assert "Each explanation has **4 bonds**; GFlowExplainer’s answer has 1." in texts(at)
    assert at.expander[0].proto.expanded
    at.selectbox(key="compound").set_value("Caffeine").run()
    assert "Each explanation has **3 bonds**, as many as" in texts(at)
    at.slider(key="edges").set_value(4).run().slider(key="edges").set_value(3).run()
    assert "edges" not in at.query_params


def rows_of(question: Question, size: int) -> tuple[Trace, dict[str, table.MethodRow]]:
    """A shipped prediction, and its explanations of so many edges."""
    trace = serialize.load(question.shipped_trace)
    return trace, {mask.method: table.row(mask, question.instance(), size, trace) for mask in trace.masks}


def test_the_size_is_that_of_the_first_reason_with_edges_or_small(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = serialize.load(NITROBENZENE.shipped_trace)
    assert trace.answer is not None
    atom, pair = replace(trace.answer.first, nodes=trace.answer.first.nodes[:1], edges=()), trace.answer.reasons[1]
    link = {"dataset": "mutagenicity", "compound": "nitrobenzene"}
    for reasons, sentence in {
        (atom, pair): "**1 bond**, as many as part 2 of GFlowExplainer’s answer (part 1 of 2 is a single atom).",
        (atom,): "**3 bonds**; GFlowExplainer’s answer is a single atom, without any bond.",
    }.items():
        other = replace(trace, answer=replace(trace.answer, reasons=reasons))
        monkeypatch.setattr(traces.loaders, "trace", lambda _, other=other: other)
        assert sentence in texts(open_page("compare", **link))


def test_what_does_not_reach_the_explained_node_is_not_the_most_sufficient() -> None:
    question = Question("tree_grid", "682")
    trace, rows = rows_of(question, 4)
    assert trace.target is not None
    for row in rows.values():
        ends = [(trace.edges[at].source, trace.edges[at].target) for at in np.flatnonzero(row.kept)]
        assert row.reaches == any(trace.target in pair for pair in ends)
        far = replace(row, reaches=False, values=row.values | {"fidelity_minus": -1.0, "fidelity_plus": 1.0})
        shown = [far if each is row else each for each in rows.values()]
        assert row.mask.method not in table.best(shown, "fidelity_minus")
        assert (row.mask.method in table.best(shown, "fidelity_plus")) == row.can_be_best
        assert "reaches" in table.card(far, trace, ()).note


def test_nobody_is_best_where_all_that_ask_the_gnn_are_level_or_nothing_is_necessary() -> None:
    _, rows = rows_of(NITROBENZENE, 1)
    shown = [rows[name] for name in table.DEFAULT_METHODS]
    assert max(row.values["fidelity_plus"] or 0.0 for row in shown) < SAME
    for column in ("fidelity_plus", "fidelity_minus"):
        assert table.best(shown, column) == set()
    assert "No explanation is necessary" in table.reading(shown)
    assert "This prediction cannot separate explainers." in table.reading(shown)
    needed = [replace(row, values=row.values | {"fidelity_plus": 0.1 * at}) for at, row in enumerate(shown)]
    assert table.best(needed, "fidelity_plus") == {table.DEFAULT_METHODS[-2]}  # the last never asks the GNN
    assert "necessary" not in table.reading(needed).replace("Most necessary", "")
    first = [replace(row, values=row.values | {"fidelity_plus": 0.3 / (1 + at)}) for at, row in enumerate(shown)]
    assert "(exact flows)" not in table.reading(first)
    assert ": GFlowExplainer (exact flows)." in table.reading(first, exactly=True)
    assert "cannot separate" not in table.reading(shown[:1])  # nobody to be compared with


def test_the_card_says_whose_flows_were_used() -> None:
    trace = serialize.load(NITROBENZENE.shipped_trace)
    learned, exact = (
        method_jobs.learned_words(table.GFLOWEXPLAINER, NITROBENZENE, replace(trace, flows=flows))
        for flows in FlowSource
    )
    assert "trained beforehand" in learned
    assert "exact flows" in exact
    assert "beforehand" not in exact
    for flows in FlowSource:
        words = method_jobs.learned_words("pgexplainer", NITROBENZENE, replace(trace, flows=flows))
        assert "trained beforehand" in words


def separation(question: Question) -> float:
    """The range of fidelity− of the explainers that ask the GNN; none where a control does as well, or in doubt."""
    trace = serialize.load(question.shipped_trace)
    clear = not next(each.doubts for each in examples(question.dataset) if each.name == question.name)
    if not clear or not trace.has_truth:
        return 0.0
    size = table.answer_edges(trace)
    masks = [mask for mask in trace.masks if mask.method in table.DEFAULT_METHODS]
    rows = [table.row(mask, question.instance(), size, trace) for mask in masks]
    minus = {row.mask.method: row.values["fidelity_minus"] for row in rows}
    if any(is_control(method) for method in leaders(minus, low=True)):
        return 0.0
    asking = [value for method, value in minus.items() if not is_control(method)]
    return max(asking) - min(asking)


def test_what_opens_first_separates_the_explainers_most(open_page: Open) -> None:
    assert max(SHIPPED, key=separation) == table.FIRST
    at = open_page("compare")
    assert at.selectbox(key="dataset").value == table.FIRST.dataset
    assert "cannot separate" not in texts(at)
    at = open_page("compare", dataset="ba_shapes", index="476")
    assert "This prediction cannot separate explainers." in texts(at)


def test_numbers_stand_once_and_the_best_are_marked(open_page: Open) -> None:
    at = open_page("compare", **LINK, edges="4")
    assert not any(card["facts"] for card in component(at, "methods-gallery")["cards"])
    lines = table_lines(at)
    assert [each.split(" (")[0] for each in lines["Explainer"][1:]] == [head.title for head in table.HEADS.values()]
    assert len(lines) == 5
    shown = [table.row(mask, load_dataset("ba_shapes").instance(301), 4, TRACE) for mask in MASKS]
    for place, column in enumerate(table.COLUMNS, start=1):
        firsts = table.best(shown, column)
        for row in shown:
            text = lines[METHODS[row.mask.method].title][place]
            assert text.removeprefix("best ★ ") == table.number(row.values[column])
            assert text.startswith("best ★ ") == (row.mask.method in firsts)
    assert table.reading(shown) in texts(at)


@pytest.mark.parametrize("edits", ["", "301-303"])
def test_the_file_of_the_table_says_what_was_explained_and_has_the_masks(edits: str) -> None:
    question = Question("ba_shapes", "301", edits=edits)
    shown = [table.row(mask, load_dataset("ba_shapes").instance(301), 4, TRACE) for mask in MASKS]
    lines = list(csv.DictReader(io.StringIO(table.csv_of(shown, ("auc_own",), question, TRACE).decode())))
    assert [line["Method"] for line in lines] == [METHODS[row.mask.method].title for row in shown]
    ends = [f"{TRACE.nodes[edge.source].id}-{TRACE.nodes[edge.target].id}" for edge in TRACE.edges]
    for line, row in zip(lines, shown, strict=True):
        what = [line[head] for head in ("Data set", "Instance", "GNN", "Edges kept")]
        assert what == ["BA-Shapes", f"301, edited: {edits}" if edits else "301", "sum", "4"]
        scores = dict(part.split(":") for part in line["Edge scores"].split(" "))
        assert list(scores) == ends
        assert [float(score) for score in scores.values()] == pytest.approx(row.mask.scores, rel=1e-5)
        assert line["Kept edges"].split(" ") == [edge for edge, kept in zip(ends, row.kept, strict=True) if kept]
        assert float(line[table.HEADS["auc_own"].title]) == row.values["auc_own"]


def test_no_truth_no_verdict(open_page: Open) -> None:
    """Caffeine has no motif: nothing is found, extra, missed or near to a truth."""
    at = open_page("compare", dataset="mutagenicity", compound="caffeine", sort="auc_own")
    cards = component(at, "methods-gallery")["cards"]
    assert "Ground truth" not in titles(cards)
    for card in cards:
        assert not any(f'class="edge {look}' in card["svg"] for look in ("hit", "extra", "missed"))
        assert "extra" not in card["svg"]
    heads = table_lines(at)["Explainer"]
    assert not any("AUC" in head or "Top-k" in head for head in heads)
    assert "truth" not in texts(at)
    assert "auc_own" not in at.selectbox(key="sort").options


def test_a_method_that_learns_first_waits_for_its_button(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def begin(request: ScoreEdges) -> Job:
        begun.extend(request.methods)
        work = Work(1, request, b"", "", "cpu", True, 1)
        return Job(work, lambda _: JobStatus(JobState.RUNNING), lambda *_: None, lambda *_: None)

    monkeypatch.setattr(method_jobs.jobs, "submit", begin)
    monkeypatch.setattr(method_jobs.jobs, "wait_for", lambda some: None)
    link = {"dataset": "ba_shapes", "index": "301", "methods": ",".join(METHODS)}  # as by "Select all"
    cards = {card["title"]: card for card in component(open_page("compare", **link), "methods-gallery")["cards"]}
    assert len(cards) == 1 + len(METHODS)  # and the truth
    late = [name for name in METHODS if name not in {mask.method for mask in TRACE.masks}]
    learners = [name for name in late if learns_first(name, "ba_shapes", "sum")]
    assert set(begun) == set(late) - set(learners)
    for name in learners:
        card = cards[METHODS[name].title]
        assert card["note"].startswith("learns first, ")
        assert card["action"] == "Let it learn"
        assert card["careful"]
    for mask in TRACE.masks:
        assert cards[METHODS[mask.method].title]["svg"]  # others are there already


def test_quick_methods_go_together_and_none_waits_for_a_slow_one(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WorkerPool, "_add_slot", lambda *_, **__: None)  # nobody answers
    monkeypatch.setattr(jobs, "_pools", [WorkerPool()])
    monkeypatch.setattr(traces.loaders, "trace", lambda _: None)
    at = open_page("compare", **{**LINK, "methods": "subgraphx,degree,most_links"})
    asked = [job._work.request for job in at.session_state["jobs"].values()]
    question = Question("ba_shapes", "301")
    groups = [ScoreEdges(question, methods) for methods in (("degree", "most_links"), ("subgraphx",))]
    assert asked == [Explain(question), *groups]
    assert at.get("progress")


def test_answers_of_several_methods_and_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is ready is shown, whoever is not; one that fails says why."""
    question, mask = Question("ba_shapes", "301"), MASKS[0]
    going: dict[ScoreEdges, JobStatus] = {}

    class Fake:
        def __init__(self, request: ScoreEdges) -> None:
            self.request, self.status = request, going[request]

        def result(self) -> dict[str, MethodMask | str]:
            return {"degree": mask, "most_links": mask, "random": "It went wrong."}

    def begin(request: ScoreEdges) -> None:
        going[request] = JobStatus(JobState.RUNNING if request.methods == ("subgraphx",) else JobState.DONE)

    monkeypatch.setattr(method_jobs.st, "session_state", {})
    monkeypatch.setattr(method_jobs.jobs, "find_job", lambda request: Fake(request) if request in going else None)
    monkeypatch.setattr(method_jobs.jobs, "submit", begin)
    monkeypatch.setattr(method_jobs.jobs, "wait_for", lambda some: None)
    methods, bare = ["degree", "subgraphx", "random"], replace(TRACE, masks=())
    found = {each.method: each for each in method_jobs.gather(methods, bare, question)}
    assert found["degree"].mask is mask
    assert found["subgraphx"].card.busy
    assert method_jobs.going(list(found.values())) == {"SubgraphX": ScoreEdges(question, ("subgraphx",))}
    assert (found["random"].card.note, found["random"].card.action) == ("It went wrong.", "Try again")
    assert len(going) == 2
    method_jobs.gather([*methods, "most_links"], bare, question)
    assert ScoreEdges(question, ("most_links",)) in going  # what is known is not asked again
