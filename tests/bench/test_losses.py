"""The study of losses: what its cells are, and that they can be computed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gfx_core.bench.losses import METHODS, NETWORK, TABLE, Losses, by_seed, modes_found
from gfx_core.bench.study import Cell, Sweep, success
from gfx_core.exact.state_space import StateSpace

STUDY = Losses()


def cells(quick: bool = True, **options: object) -> list[Cell]:
    return STUDY.cells(Sweep(["tree_cycles"], list(METHODS), quick=quick, **options))  # type: ignore[arg-type]


def test_which_losses_are_compared() -> None:
    every = cells(quick=False, device="cuda")
    assert len(every) == 2 * len(METHODS) - 4
    tables = {cell.method for cell in every if cell.variant == TABLE}
    networks = {cell.method for cell in every if cell.variant == NETWORK}
    assert tables | networks == set(METHODS)
    assert {cell.device for cell in every if cell.variant == TABLE} == {"cpu"}
    assert {cell.variant: cell.options["seeds"] for cell in every} == {TABLE: 5, NETWORK: 3}
    assert {cell.options["seeds"] for cell in cells(quick=False, seeds=2)} == {2}


@pytest.mark.parametrize("variant", [TABLE, NETWORK])
def test_a_cell_of_every_loss(variant: str) -> None:
    """Distances lie between 0 and 1, of the same instances, and every one has its tables."""
    records = []
    for cell in cells():
        if cell.variant == variant:
            records.append(success(cell, STUDY.compute(cell), 1.0))
    found = {record["method"]: record["values"] for record in records}
    for values in found.values():
        (seed,) = values["by_seed"]
        assert 0 <= seed["distance"] <= 1
        assert 0 <= seed["modes"] <= 1
        assert values["rate"] == float(min(values["tried"], key=values["tried"].get))
    assert {values["config"]["loss"] for values in found.values()} >= {"fm", "db", "mdb", "subtb"}
    assert STUDY.tables(records)[0].title.startswith("Total variation from R/Z")
    best, ahead = STUDY.claims(records)
    assert f"brings a {variant} within" in best.sentence
    assert ahead.number.endswith("by more than both deviations together")


def test_the_rate_is_chosen_once_and_each_seed_has_tables_of_its_own() -> None:
    cell = next(cell for cell in cells() if cell.variant == TABLE and cell.method == "fm")
    cell = replace(cell, options={**cell.options, "seeds": 2})
    found = STUDY.compute(cell)
    first, second = found["by_seed"]
    assert first["distances"] != second["distances"]
    assert len(found["tried"]) == len(cell.options["rates"])
    rows = by_seed([success(cell, found, 1.0)])
    assert [row["values"] for row in rows] == [first, second]
    assert len({row["key"] for row in rows}) == 2


@pytest.mark.parametrize("far", [0.2, 0.5])
def test_a_claim_on_flow_matching_needs_more_than_the_spread(far: float) -> None:
    """Another loss is ahead where its seeds are apart from those of flow matching."""

    def record(method: str, *distances: float) -> dict[str, Any]:
        values = [{"distance": each, "modes": 1.0, "fit_s": 1.0, "distance_seen": 0.0} for each in distances]
        cell = Cell("losses", "tree_cycles", method, 0, NETWORK)
        return success(cell, {"by_seed": values}, 1.0)

    best, ahead = STUDY.claims([record("fm", far, far + 0.2), record("db", 0.15, 0.25), record("exact", 0.0)])
    assert best.verdict == "does not hold here"
    assert ahead.verdict == ("holds" if far == 0.2 else "does not hold here")


def test_a_mode_is_found_with_half_of_its_probability() -> None:
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
