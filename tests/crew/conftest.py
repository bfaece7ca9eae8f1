"""A crew whose workers start fast: they prepare nothing."""

from collections.abc import Iterator

import pytest

from gfx_core.crew.crew import Crew
from gfx_core.crew.limits import Limits
from tests.patience import PATIENCE_S

MODULES = ("tests.",)


@pytest.fixture
def patient_crew() -> Iterator[Crew]:
    """It never kills a worker that does not look up at once, as one may beside other work."""
    with Crew(Limits({"cpu": 1}, grace_s=PATIENCE_S), modules=MODULES) as made:
        yield made


@pytest.fixture
def crew() -> Iterator[Crew]:
    with Crew(Limits({"cpu": 1, "cuda": 1}, kept=3), modules=MODULES) as made:
        yield made
