"""The trace as data: what follows from its fields."""

from msgspec.structs import replace

from tests.toys.traces import make_trace


def test_residuals_on_the_way() -> None:
    steps = [replace(step, residual=r) for step, r in zip(make_trace().steps, [None, -0.5, None, 0.25], strict=True)]
    trace = replace(make_trace(), steps=tuple(steps))
    assert trace.residuals == [0.5, 0.25]
    assert replace(trace, steps=trace.steps[:1]).residuals == []
