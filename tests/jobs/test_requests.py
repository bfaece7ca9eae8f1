"""What requests stand for before they are answered."""

from gfx_core.explanation.question import Question
from gfx_core.jobs.requests import Follow, ScoreEdges

QUESTION = Question("tree_cycles", "511", flows="exact", beta=3.0)  # type: ignore[arg-type]


def test_equal_requests_have_one_key_and_others_another() -> None:
    assert Follow(QUESTION, (0, 2)).key == Follow(QUESTION, (0, 2)).key
    others = Follow(QUESTION, (0, 3)), Follow(QUESTION.prediction, (0, 2)), ScoreEdges(QUESTION, ("degree",))
    assert len({request.key for request in (Follow(QUESTION, (0, 2)), *others)}) == 4


def test_only_a_method_that_has_to_learn_takes_long() -> None:
    assert ScoreEdges(QUESTION, ("saliency", "no such method")).short
    assert ScoreEdges(QUESTION, ("pgexplainer",)).short  # what is shipped was learned with seed 0
    seeded = Question("tree_cycles", "511", seed=1)
    assert not ScoreEdges(seeded, ("pgexplainer",)).short
