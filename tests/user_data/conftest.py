"""A visit of its own for each test."""

from collections.abc import Iterator

import pytest

from gfx_core.user_data import store


@pytest.fixture
def visit() -> Iterator[str]:
    """A visit that ends with the test."""
    name = store.new_visit()
    yield name
    store.forget_visit(name)
