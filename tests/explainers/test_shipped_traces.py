"""The shipped traces are what the shipped policies give."""

import pytest

from gfx_core import GFlowExplainer, load_dataset, load_model
from gfx_core.config import TRACES
from gfx_core.datasets.smiles import COMPOUNDS, molecule
from gfx_core.explainers.shipped_traces import SHIPPED, SHIPPED_COMPOUNDS
from gfx_core.gfn.paths import policy_path
from gfx_core.trace import io
from gfx_core.trace.schema import Trace


def agree(shipped: Trace, again: Trace) -> None:
    assert [node.position for node in again.nodes] == [pytest.approx(node.position, abs=1e-3) for node in shipped.nodes]
    assert again.steps[0].log_out_flow == pytest.approx(shipped.steps[0].log_out_flow, abs=1e-2)
    assert again.prediction.probabilities == pytest.approx(shipped.prediction.probabilities, abs=1e-4)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_traces_can_be_made_again(name: str) -> None:
    explainer = GFlowExplainer.load(policy_path(name))
    for index in SHIPPED[name]:
        shipped = io.load(TRACES / f"{name}-{index}.json")
        assert shipped.index == index
        agree(shipped, explainer.trace(load_model(name), load_dataset(name), index, choice="best"))


@pytest.mark.parametrize("compound", SHIPPED_COMPOUNDS)
def test_shipped_molecules_can_be_made_again(compound: str) -> None:
    explainer = GFlowExplainer.load(policy_path("mutagenicity"))
    shipped = io.load(TRACES / f"mutagenicity-{compound.lower()}.json")
    agree(shipped, explainer.trace(load_model("mutagenicity"), molecule(COMPOUNDS[compound]), choice="best"))


def test_nothing_else_is_shipped() -> None:
    expected = {f"{name}-{index}.json" for name, indices in SHIPPED.items() for index in indices}
    expected |= {f"mutagenicity-{compound.lower()}.json" for compound in SHIPPED_COMPOUNDS}
    assert {path.name for path in TRACES.iterdir()} == expected
