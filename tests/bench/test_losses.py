"""The study of losses: what its cells are, and that they can be computed."""

import numpy as np
import pytest

from gfx_core.bench.losses import METHODS, NETWORK, TABLE, Losses
from gfx_core.bench.study import Cell, Sweep, success
from gfx_core.exact.state_space import StateSpace

STUDY = Losses()


def cells(quick: bool = True, **options: object) -> list[Cell]:
    return STUDY.cells(Sweep(["tree_cycles"], list(METHODS), quick=quick, **options))  # type: ignore[arg-type]


def test_which_losses_are_compared() -> None:
    every = cells(quick=False, device="cuda")
    assert len(every) == 5 * (2 * len(METHODS) - 4)
    tables = {cell.method for cell in every if cell.variant == TABLE}
    networks = {cell.method for cell in every if cell.variant == NETWORK}
    assert tables | networks == set(METHODS)
    assert {cell.device for cell in every if cell.variant == TABLE} == {"cpu"}


@pytest.mark.parametrize("variant", [TABLE, NETWORK])
def test_a_cell_of_every_loss(variant: str) -> None:
    """Distances lie between 0 and 1, of the same instances, and every one has its tables."""
    records = []
    for cell in cells():
        if cell.variant == variant:
            records.append(success(cell, STUDY.compute(cell), 1.0))
    found = {record["method"]: record["values"] for record in records}
    assert all(0 <= values["distance"] <= 1 and 0 <= values["modes"] <= 1 for values in found.values())
    assert {values["config"]["loss"] for values in found.values()} >= {"fm", "db", "mdb", "subtb"}
    titles = [table.title for table in STUDY.tables(records)]
    assert titles[0].startswith("Total variation from R/Z")
    assert STUDY.finding(records).startswith(f"Nearest to P ∝ R come for {variant}s ")


def test_a_mode_is_found_with_half_of_its_probability() -> None:
    from gfx_core.bench.measures.loss_distances import modes_found
    from gfx_core.exact.enumeration import enumerate_states
    from gfx_core.training.lesson_graphs import Practice, practice_instance, practice_rewards

    instance = practice_instance(Practice.TWO_MODES)
    dag = enumerate_states(instance)
    space = StateSpace(dag, 5 * np.log(practice_rewards(Practice.TWO_MODES, instance, dag)))
    assert len(space.modes(instance)) == 2
    assert modes_found(space, instance, space.log_target) == 1.0
    near = int(space.modes(instance)[0].representative)
    alone = np.where(np.arange(space.num_states) == near, 0.0, -50.0)
    assert modes_found(space, instance, alone) == 0.5
