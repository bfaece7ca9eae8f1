"""The trace as data: what follows from its fields."""

from dataclasses import replace

from tests.toys.traces import make_trace


def test_residuals_on_the_way() -> None:
    residuals = [None, -0.5, None, 0.25]
    steps = [replace(step, residual=r) for step, r in zip(make_trace().steps, residuals, strict=True)]
    trace = replace(make_trace(), steps=tuple(steps))
    assert (trace.largest_residual, trace.mean_residual) == (-0.5, 0.375)
    first = replace(trace, steps=trace.steps[:1])
    assert (first.largest_residual, first.mean_residual) == (None, None)


def test_final_subgraph_against_the_motif() -> None:
    trace = make_trace()
    assert (trace.hits, trace.missed, trace.extra) == ((0, 1, 2, 3), (), ())
    flags = (True, False, None, True, True)
    other = replace(trace, edges=tuple(replace(e, in_motif=f) for e, f in zip(trace.edges, flags, strict=True)))
    assert (other.has_truth, other.hits, other.missed, other.extra) == (True, (0, 3), (4,), (1,))
    unknown = replace(trace, edges=tuple(replace(edge, in_motif=None) for edge in trace.edges))
    assert (unknown.has_truth, unknown.hits, unknown.missed, unknown.extra) == (False, (), (), ())
