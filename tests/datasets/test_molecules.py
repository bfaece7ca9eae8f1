"""Molecules by SMILES."""

import re

import numpy as np
import pytest

from gfx_core.datasets.molecules import NAMED, molecule, read_molecule
from gfx_core.datasets.registry import find_typed
from gfx_core.errors import UserError


def test_compounds_can_be_read() -> None:
    groups = {"Aniline": 1, "4-Nitroaniline": 2, "TNT": 3, "Nitroglycerin": 0, "Paracetamol": 0, "Benzidine": 2}
    for name, smiles in NAMED.items():
        instance = molecule(smiles)
        assert instance.pos is not None
        assert instance.edge_order is not None
        assert np.isfinite(instance.pos).all()
        assert (instance.x.sum(1) == 1).all()
        assert set(instance.edge_order) <= {1, 2, 3}
        assert instance.y == -1
        assert instance.motif.max() + 1 == groups.get(name, instance.motif.max() + 1)


def test_a_single_atom_and_separate_parts() -> None:
    assert molecule("[Na+].[Cl-]").num_nodes == 2
    assert molecule("[I]").edge_index.shape == (2, 0)


@pytest.mark.parametrize(
    ("smiles", "sentence"),
    [
        ("", "Type a molecule"),
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


def test_names_and_formulas_are_understood_and_said() -> None:
    for typed, known in (("water", "Water"), (" Vitamin c", "Ascorbic acid"), ("H2O", "Water"), ("H₂O", "Water")):
        found, said = read_molecule(typed)
        assert molecule(typed).num_nodes == molecule(NAMED[known]).num_nodes
        assert known in said
        assert found.GetNumAtoms()
    for formula, known in (("c6h6", "Benzene"), ("CO2", "Carbon dioxide"), ("NH3", "Ammonia"), ("HNO3", "Nitric acid")):
        assert f"We read it as {known}" in read_molecule(formula)[1]
    assert read_molecule("CO")[1] == ""  # SMILES before formulas: methanol
    assert find_typed(" TRINITROTOLUENE") == ("mutagenicity", "compound", "TNT")
    assert find_typed("acetic acid") == ("mutagenicity", "smiles", "acetic acid")
    assert find_typed("très bien") == ("graph_sst2", "sentence", "très bien")
    assert find_typed(" The jokes are NOT funny. ") == ("graph_sst2", "example", "The jokes are not funny.")


def test_no_name_of_a_compound_is_smiles_and_no_two_are_one_molecule() -> None:
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        assert not [name for name in NAMED if Chem.MolFromSmiles(name) is not None]
    same = {Chem.MolToSmiles(Chem.MolFromSmiles(smiles)) for smiles in NAMED.values()}
    assert len(same) == len(NAMED)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("love", "A sentence needs two words or more"),
        ("aspirn", "Did you mean Aspirin?"),
        ("1-nitropyren", "Did you mean 1-Nitropyrene?"),
        ("cocaine", "valences. A sentence"),  # not octane
        ("3-nitroaniline", "and valences."),  # another number is another molecule, not 4-nitroaniline
        ("a terrible film", "reads as a sentence"),
        ("C2H6O", "the formula of Ethanol and of Dimethyl ether"),
        ("C99H3", "is a formula"),
        ("H9999999999999999999", "is a formula"),
        ("67-64-1", "and valences."),  # a CAS number
        ("c1ccccc", "not a valid SMILES"),
        ("[NH4", "not a valid SMILES"),
    ],
)
def test_what_is_no_molecule_is_told_what_it_looks_like(typed: str, sentence: str) -> None:
    with pytest.raises(UserError, match=re.escape(sentence) + "$" * sentence.endswith(".")):
        molecule(typed)
