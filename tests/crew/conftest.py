"""A crew whose workers start fast: they prepare nothing."""

from collections.abc import Iterator

import pytest

from gfx_core.crew.crew import Crew
from gfx_core.crew.limits import Limits

MODULES = ("tests.",)


@pytest.fixture
def crew() -> Iterator[Crew]:
    with Crew(Limits({"cpu": 1, "cuda": 1}, kept=3), modules=MODULES) as made:
        yield made
