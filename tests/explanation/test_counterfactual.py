"""What changes a prediction: against brute force, on the command line, in time."""

from dataclasses import replace
from functools import reduce
from itertools import combinations

import numpy as np
import pytest
import torch

from gfx_core import GFlowExplainer, load_dataset, load_model
from gfx_core.datasets.edits import read_edits, spell_edits, with_edit
from gfx_core.errors import UserError
from gfx_core.explanation.counterfactual import flip
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.explanation.subject import load
from gfx_core.job_context import JobContext, StoppedError

GRID = Question("tree_grid", "700")


def smallest_by_brute_force(question: Question, most: int) -> int | None:
    """Slow reference: each set of removed edges is an edited instance of its own, which is loaded and asked."""
    instance = question.instance(load(question).model.hops)
    ends = instance.nodes[instance.edge_index[:, instance.undirected]].T.tolist()
    predicted = int(load(question).predictor("cpu").whole.predicted[0])
    for size in range(1, most + 1):
        for some in combinations(ends, size):
            without = replace(question, edits=".".join(f"{u}-{v}" for u, v in some))
            try:
                now = int(load(without).predictor("cpu").whole.predicted[0])
            except UserError:  # nothing would be left
                continue
            if now != predicted:
                return size
    return None


@pytest.mark.parametrize(
    "question",
    [
        *(Question("tree_grid", index) for index in ("700", "520")),
        Question("tree_cycles", "612"),
        Question("ba_community", "1177"),
        Question("graph_sst2", "The jokes are not funny.", "example"),
    ],
    ids=lambda question: question.title,
)
def test_no_smaller_set_changes_the_prediction(question: Question) -> None:
    found = flip(question, seconds=1000)
    assert found.smallest
    reference = smallest_by_brute_force(question, min(2, len(found.edits) or 2))
    assert reference == (len(found.edits) if 1 <= len(found.edits) <= 2 else None)
    if found.edits:
        before, after = (explain(replace(question, edits=edits)) for edits in ("", ".".join(found.edits)))
        assert before.prediction.predicted != after.prediction.predicted
        assert found.probabilities[0] == pytest.approx(before.prediction.probabilities, abs=1e-5)
        assert found.probabilities[-1] == pytest.approx(after.prediction.probabilities, abs=1e-5)


def test_one_atom_of_a_molecule_is_changed() -> None:
    question = Question("mutagenicity", "Ethanol", "compound")
    found = flip(question)
    assert len(found.edits) == 1
    assert read_edits(found.edits[0])[0].label
    assert explain(replace(question, edits=found.edits[0])).prediction.predicted == int(
        np.argmax(found.probabilities[1])
    )


def test_where_time_is_over_it_is_only_the_smallest_found() -> None:
    assert not flip(Question("mutagenicity", "CCCCCCCC", "smiles"), seconds=0.3).smallest


def test_a_flip_goes_on_from_edits_and_can_be_cancelled() -> None:
    first, second = flip(GRID).edits
    after = flip(replace(GRID, edits=first))
    assert len(after.edits) == 1
    assert {first, *after.edits} == {first, second}
    question = replace(GRID, edits="18~700")  # a new edge
    found = flip(question)
    edits = reduce(with_edit, read_edits(".".join(found.edits)), read_edits(question.edits))
    before, now = (explain(replace(question, edits=text)) for text in (question.edits, spell_edits(edits)))
    assert before.prediction.predicted != now.prediction.predicted
    assert now.prediction.probabilities == pytest.approx(found.probabilities[-1], abs=1e-5)
    with pytest.raises(StoppedError):
        flip(GRID, JobContext(cancelled=lambda: True))


def test_a_model_and_data_of_ones_own_are_flipped_too() -> None:
    data, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    ours = GFlowExplainer().flip(model, data, 600)
    assert ours.edits == flip(Question("tree_cycles", "600")).edits

    class Wrapped(torch.nn.Module):
        """The same GNN as somebody else's."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = model

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            return self.inner(x, edge_index)

    theirs = GFlowExplainer().flip(Wrapped(), data.to_pyg(), 600)
    assert theirs.edits == ours.edits
    assert theirs.probabilities[-1] == pytest.approx(ours.probabilities[-1], abs=1e-5)
