"""Several explainers on one prediction: ties, controls, collapsed masks, and a sentence that claims no more."""

import pytest

from gfx_core.bench.side_by_side import Contender, best, reading
from gfx_core.bench.verdicts import CLOSE

WHOLE = 0.98


def one(method: str, minus: float, plus: float, auc: float | None = None, kept: str = "", **more: bool) -> Contender:
    values = {"fidelity_minus": minus, "fidelity_plus": plus, "auc_own": auc, "seconds": 0.1}
    return Contender(method, values, frozenset(map(ord, kept or method)), **more)


GFLOW = one("gflowexplainer", 0.02, 0.9, 0.95)
SALIENCY = one("saliency", 0.3, 0.6, 0.99)
RANDOM = one("random", 0.8, 0.1, 0.5)


def test_the_sentence_of_the_issue() -> None:
    assert reading([GFLOW, SALIENCY, RANDOM], WHOLE) == (
        "GFlowExplainer’s subgraph is the most sufficient and the most necessary, though Saliency’s is nearest to the "
        "benchmark’s truth."
    )


def test_no_truth_no_sentence_about_it() -> None:
    said = reading([one("gflowexplainer", 0.02, 0.9), one("saliency", 0.3, 0.6)], WHOLE)
    assert said == "GFlowExplainer’s subgraph is the most sufficient and the most necessary."


def test_best_by_each_number_with_ties() -> None:
    near = one("degree", 0.02 + CLOSE, 0.9 - CLOSE, 0.5)
    far = one("pgexplainer", 0.02 + 2 * CLOSE, 0.5, 0.5)
    assert best([GFLOW, near, far, SALIENCY], "fidelity_minus") == {"gflowexplainer", "degree"}
    assert best([GFLOW, near, far], "fidelity_plus") == {"gflowexplainer", "degree"}
    assert best([GFLOW, SALIENCY], "auc_own") == {"saliency"}
    assert best([GFLOW, SALIENCY], "seconds") == set()  # nobody is worse
    assert best([GFLOW], "auc_own") == set()
    assert best([], "auc_own") == set()


def test_a_control_and_a_collapsed_mask_are_never_best() -> None:
    control = one("most_links", 0.0, 0.98, 1.0)
    collapsed = one("pgexplainer", 0.0, 0.98, 1.0, collapsed=True)
    for value in ("fidelity_minus", "fidelity_plus", "auc_own"):
        assert not {"most_links", "pgexplainer"} & best([control, collapsed, GFLOW, SALIENCY], value)
        assert best([control, collapsed], value) == set()
    said = reading([control, collapsed, GFLOW, SALIENCY], WHOLE)
    assert "Most links, which never asks the GNN, does as well or better: this prediction tells little" in said
    assert "PGExplainer is left out: nearly all edges score the same." in said
    assert reading([control, collapsed], WHOLE).startswith("None of those shown knows the GNN’s reasons")


def test_a_control_that_is_as_near_to_the_truth_only() -> None:
    said = reading([GFLOW, SALIENCY, one("bfs", 0.8, 0.1, 0.99), one("most_links", 0.8, 0.1, 1.0)], WHOLE)
    both = "Most links and Breadth first" if "Most links and" in said else "Breadth first and Most links"
    assert f"{both}, which never ask the GNN, are as near to the benchmark’s truth or more so" in said


def test_equals() -> None:
    same = [one(name, 0.02, 0.9, 0.95, kept="abc") for name in ("gflowexplainer", "degree", "saliency")]
    assert reading(same, WHOLE) == "All 3 explainers shown keep the same edges."
    others = [one(name, 0.02, 0.9, 0.95) for name in ("gflowexplainer", "degree")]
    assert reading(others, WHOLE) == (
        "All 2 explainers shown are equally sufficient, necessary and near to the benchmark’s truth."
    )
    assert reading([*same[1:], one("bfs", 0.9, 0.0, 0.4)], WHOLE) == ("All 2 explainers shown keep the same edges.")
    worse = one("pgexplainer", 0.5, 0.9, 0.5)
    assert reading([*same[:2], worse], WHOLE) == (
        "GFlowExplainer and DEGREE keep the same subgraph, which is the most sufficient and nearest to the benchmark’s "
        "truth. All are equally necessary."
    )
    assert reading([*others, worse], WHOLE).startswith("GFlowExplainer and DEGREE are level: their subgraphs are the")


def test_nothing_carries_the_prediction() -> None:
    said = reading([one("gflowexplainer", 0.9, 0.05), one("saliency", 0.95, 0.01)], WHOLE)
    assert "None is really sufficient, though: the best one alone gives 8.0 % of 98.0 %." in said
    assert "None is really necessary, though: without the best one the GNN still gives 93.0 %." in said


@pytest.mark.parametrize("some", [[], [GFLOW]])
def test_nothing_to_compare(some: list[Contender]) -> None:
    assert reading(some, WHOLE) == ""


def test_one_explainer_among_controls() -> None:
    assert reading([GFLOW, RANDOM], WHOLE).startswith("GFlowExplainer is the only one shown that asks the GNN")


def test_unknown_fidelity_is_not_spoken_of() -> None:
    some = [Contender(name, {"auc_own": auc}, frozenset()) for name, auc in (("degree", 0.9), ("saliency", 0.5))]
    assert reading(some, WHOLE) == "DEGREE’s subgraph is nearest to the benchmark’s truth."
