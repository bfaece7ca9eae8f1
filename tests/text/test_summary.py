"""A trace as the command line prints it."""

from dataclasses import replace

from gfx_core.text.answers import flow_words, summary
from tests.toys.traces import make_trace


def test_the_answer_comes_first() -> None:
    trace = make_trace()
    assert trace.answer is not None
    lines = summary(trace)
    assert lines[0] == trace.answer.sentence
    assert "motif edges found 4, missed 0, extra 0" in lines
    assert summary(replace(trace, answer=None)) == lines[1:]


def test_no_truth_no_verdict() -> None:
    trace = make_trace()
    lines = summary(replace(trace, edges=tuple(replace(edge, in_motif=None) for edge in trace.edges)))
    assert "No true reason is known here, so that nothing is called found or missed." in lines
    assert not [line for line in lines if "motif edges" in line]


def test_residuals_are_told_by_their_size() -> None:
    trace = make_trace()
    residuals = (None, -0.75, 0.5, -0.25)
    steps = tuple(replace(step, residual=each) for step, each in zip(trace.steps, residuals, strict=True))
    known = flow_words(replace(trace, steps=steps))
    assert known == (
        "Learned flows: largest residual on the way 0.75, total variation between what is drawn and R/Z 0.12."
    )
    assert flow_words(replace(trace, steps=steps, total_variation=None)) == (
        "Learned flows: largest residual on the way 0.75, mean 0.5; the distance from R/Z is not known, too many "
        "subgraphs to list."
    )
