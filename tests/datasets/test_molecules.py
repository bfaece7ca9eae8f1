"""Molecules by SMILES."""

import numpy as np
import pytest

from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.errors import UserError


def test_compounds_can_be_read() -> None:
    groups = {"Aniline": 1, "4-Nitroaniline": 2, "TNT": 3, "Nitroglycerin": 0, "Paracetamol": 0, "Benzidine": 2}
    for name, smiles in COMPOUNDS.items():
        instance = molecule(smiles)
        assert instance.pos is not None
        assert instance.edge_order is not None
        assert np.isfinite(instance.pos).all()
        assert (instance.x.sum(1) == 1).all()
        assert set(instance.edge_order) <= {1, 2, 3}
        assert instance.y == -1
        assert instance.motif.max() + 1 == groups.get(name, instance.motif.max() + 1)


def test_nitrobenzene_atom_by_atom() -> None:
    instance = molecule(COMPOUNDS["Nitrobenzene"])
    labels = sorted(instance.node_label(node) for node in range(instance.num_nodes))
    assert labels == sorted("C" * 6 + "H" * 5 + "N" + "OO")
    assert instance.edge_index.shape[1] // 2 == 14
    ends = {
        tuple(sorted(instance.node_label(int(v)) for v in edge))
        for edge in instance.edge_index[:, instance.own_edges].T
    }
    assert ends == {("N", "O")}
    assert instance.own_edges.sum() == 4


def test_a_single_atom_and_separate_parts() -> None:
    assert molecule("[Na+].[Cl-]").num_nodes == 2
    assert molecule("[I]").edge_index.shape == (2, 0)


@pytest.mark.parametrize(
    ("smiles", "sentence"),
    [
        ("", "Type a SMILES"),
        ("C(C)(C)(C)(C)C", "not a valid SMILES"),
        ("<script>alert(1)</script>", "not a valid SMILES"),
        ("[Fe]", "never seen Fe"),
        ("C" * 501, "at most 500"),
        ("C" * 200, "602 atoms"),
    ],
)
def test_bad_strings_get_one_sentence(smiles: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence) as caught:
        molecule(smiles)
    assert "\n" not in str(caught.value)
