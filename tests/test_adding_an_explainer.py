"""An explainer is added as the recipe says: then it is behind ``explain``, on Compare and in every study."""

from collections.abc import Iterator

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.baselines.registry import METHODS, MethodInfo, explain
from gfx_core.bench.answers import Answers
from gfx_core.bench.run import compute
from gfx_core.bench.study import Cell
from gfx_core.explanation import method_masks
from gfx_core.explanation.question import Question
from tests.recipes import added_line, added_module, recipe

RECIPE = recipe("An explainer")


@pytest.fixture(scope="module", autouse=True)
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MethodInfo]:
    with pytest.MonkeyPatch.context() as patch:
        added_module(RECIPE, tmp_path_factory.mktemp("added"), patch)
        info: MethodInfo = eval(added_line(RECIPE, "gfx_core/baselines/registry.py"), {"MethodInfo": MethodInfo})
        patch.setitem(METHODS, info.name, info)
        yield info


def test_it_is_behind_the_one_call() -> None:
    model = load_model("tree_cycles")
    instance = load_dataset("tree_cycles").instance(600, hops=model.hops)
    found = explain("Nearest", model, instance)
    source, target = instance.edge_index
    assert np.array_equal(found.edge_mask, -(instance.hops[source] + instance.hops[target]).astype(float))
    assert found.to_pyg(instance).validate()


def test_it_is_compared(added: MethodInfo) -> None:
    mask = method_masks.score_edges(Question("tree_cycles", "600"), added.name)
    assert mask.method == "nearest"
    assert "auc_own" in mask.metrics


def test_it_is_in_a_study(added: MethodInfo) -> None:
    options = {"half": "reporting", "limit": 4, "trained_on": 4}
    record = compute(Answers(), Cell("explainers", "tree_cycles", added.name, 0, "as is", options, "sum-0"))
    assert record["status"] == "done", record
