"""Chemists' words for parts of real molecules."""

import re
import sys

import numpy as np
import pytest

from gfx_core.datasets.molecules import COMPOUNDS, groups_of, molecule
from gfx_core.datasets.registry import load_dataset
from gfx_core.text.names import Name, subgraph_name

pytest.importorskip("rdkit")

NITROBENZENE = COMPOUNDS["Nitrobenzene"]  # O N O, then the ring
NAPHTHYLAMINE = COMPOUNDS["2-Naphthylamine"]
AZO = "c1ccccc1N=Nc1ccc(N(C)C)cc1"


@pytest.mark.parametrize(
    ("smiles", "groups"),
    [
        (NITROBENZENE, {"benzene ring", "nitro group"}),
        ("Nc1ccccc1", {"benzene ring", "amino group"}),
        ("CN(C)N=O", {"nitrosamine group", "methyl group"}),
        ("O=Nc1ccccc1", {"benzene ring", "nitroso group"}),
        (AZO, {"benzene ring", "azo group", "dimethylamino group"}),
        ("[N-]=[N+]=NCc1ccccc1", {"benzene ring", "azide group"}),
        ("C1OC1c1ccccc1", {"epoxide ring", "benzene ring"}),
        ("O=Cc1ccco1", {"furan ring", "aldehyde group"}),
        ("CC(=O)Oc1ccccc1C(=O)O", {"benzene ring", "ester group", "carboxyl group", "methyl group"}),
        ("CC(=O)Nc1ccc(O)cc1", {"benzene ring", "amide group", "hydroxyl group", "methyl group"}),
        ("CCOCC", {"ether oxygen", "methyl group"}),
        ("N#CCBr", {"nitrile group", "bromine atom"}),
        ("FC(Cl)I", {"fluorine atom", "chlorine atom", "iodine atom"}),
        ("CS(=O)(=O)C", {"sulfonyl group", "methyl group"}),
        ("Cn1cnc2c1c(=O)n(C)c(=O)n2C", {"purine", "carbonyl oxygen", "methyl group"}),
        ("c1ccc2ccccc2c1", {"naphthalene"}),
        ("c1ccc2cc3ccccc3cc2c1", {"anthracene"}),
        ("c1ccc2c(c1)ccc1ccccc21", {"phenanthrene"}),
        (COMPOUNDS["Benzo[a]pyrene"], {"benzo[a]pyrene"}),
        ("C1CCCCCC1", {"seven-membered ring"}),
        ("O=C1c2ccccc2C(=O)c2ccccc12", {"system of 3 fused rings", "carbonyl oxygen"}),
        ("[Na+].[O-]C(=O)C", {"carboxylate group", "methyl group"}),
    ],
)
def test_groups(smiles: str, groups: set[str]) -> None:
    instance = molecule(smiles)
    found = groups_of(instance)
    assert found is not None
    assert {group.name for group in found} == groups
    atoms = [atom for group in found for atom in group.atoms]
    assert len(atoms) == len(set(atoms))
    assert "H" not in {instance.node_label(atom) for atom in atoms}


@pytest.mark.parametrize(
    ("smiles", "atoms", "name", "several"),
    [
        (NITROBENZENE, range(9), "the nitro group on the benzene ring", False),
        (NITROBENZENE, range(14), "the nitro group on the benzene ring", False),  # with its hydrogens
        (NITROBENZENE, (0, 1, 2), "the nitro group", False),
        (NITROBENZENE, (0, 1), "part of the nitro group (N and one O)", False),
        (NITROBENZENE, (0, 1, 2, 3), "the nitro group with one carbon atom of the benzene ring", False),
        (
            NITROBENZENE,
            (0, 1, 3),
            "part of the nitro group (N and one O) with one carbon atom of the benzene ring",
            False,
        ),
        (NITROBENZENE, (3, 4, 5), "3 carbon atoms of the benzene ring", True),
        (NITROBENZENE, (9,), "one hydrogen atom", False),
        (COMPOUNDS["4-Nitroaniline"], range(10), "the nitro group and the amino group on the benzene ring", True),
        (COMPOUNDS["TNT"], range(1, 10), "one of the 3 nitro groups on the benzene ring", False),
        (COMPOUNDS["TNT"], range(1, 16), "the 3 nitro groups on the benzene ring", True),
        (COMPOUNDS["Benzidine"], range(14), "both amino groups on both benzene rings", True),
        (NAPHTHYLAMINE, (0, 1, 2, 3, 4, 9, 10), "the amino group with one benzene ring of the naphthalene", False),
        (COMPOUNDS["Caffeine"], (1, 2, 3, 4, 5), "the imidazole ring of the purine", False),
        (
            COMPOUNDS["Caffeine"],
            (1, 2, 3, 4, 5, 6, 8),
            "the imidazole ring of the purine and 2 more of its atoms",
            False,
        ),
        (AZO, (5, 6, 7, 8), "the azo group with 2 carbon atoms of 2 benzene rings", False),
        (COMPOUNDS["Aspirin"], range(1, 13), "the carboxyl group and the ester group on the benzene ring", True),
        (COMPOUNDS["Aspirin"], range(10), "the ester group on the benzene ring, with the methyl group", False),
        (COMPOUNDS["Ethanol"], range(3), "the hydroxyl group and the methyl group with one more carbon atom", True),
        (COMPOUNDS["Ethanol"], (1,), "one carbon atom", False),
        (COMPOUNDS["Aspirin"], (10, 12, 20), "part of the carboxyl group (C, one O and H)", False),
        (NITROBENZENE, (3, 4, 9), "2 carbon atoms of the benzene ring with one more hydrogen atom", True),
        ("CCCCCCC", (1, 2, 3), "the chain of 3 carbon atoms", False),
        ("CCCCCCC", (1, 2, 3, 10, 11), "the chain of 3 carbon atoms with 2 hydrogen atoms", False),
        ("CC[P](C)C", (1, 2), "the CP fragment", False),
    ],
)
def test_parts(smiles: str, atoms: tuple[int, ...], name: str, several: bool) -> None:
    assert subgraph_name(molecule(smiles), atoms) == Name(name, several)


@pytest.mark.parametrize("compound", ["Aspirin", "Caffeine", "Glucose", "Ethanol", "Paracetamol"])
def test_hydrogens_of_parts_are_told(compound: str) -> None:
    """Of what is no whole group or ring, the words name a hydrogen wherever a picture outlines one."""
    instance = molecule(COMPOUNDS[compound])
    for pair in instance.edge_index[:, instance.undirected].T.tolist():
        name = subgraph_name(instance, pair).text
        if "part of" in name or "atom" in name:
            outlined = "H" in map(instance.node_label, pair)
            assert bool(re.search(r"\bH\b|hydrogen", name)) == outlined, name


def test_no_rdkit_no_words_but_a_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = molecule(NITROBENZENE)
    monkeypatch.setitem(sys.modules, "rdkit", None)
    assert groups_of(instance) is None
    assert subgraph_name(instance, range(9)) == Name("the C₆NO₂ fragment")


def test_the_data_sets_own_molecules(mutagenicity_root: object) -> None:
    """Its charges are left out, and still the groups are those that its ground truth marks."""
    dataset = load_dataset("mutagenicity")
    same = 0
    indices = range(0, dataset.num_graphs, 40)
    for index in indices:
        instance = dataset.instance(index)
        found = groups_of(instance)
        assert found is not None
        heavy = {node for node in range(instance.num_nodes) if instance.node_label(node) != "H"}
        marked = {
            frozenset(np.flatnonzero(instance.motif == group).tolist()) & heavy
            for group in np.unique(instance.motif[instance.motif >= 0])
        }
        same += marked == {group.atoms for group in found if group.name in ("nitro group", "amino group")}
    assert same >= 0.95 * len(indices)  # an amide's NH₂ is no amino group to chemists


@pytest.mark.parametrize(
    ("smiles", "nodes", "kind"),
    [
        (NITROBENZENE, [0, 1, 2], "a nitro group"),
        (NITROBENZENE, range(9), "a nitro group on a benzene ring"),
        ("O=[N+]([O-])c1cccc([N+](=O)[O-])c1", [0, 1, 2], "a nitro group"),  # one of two
        ("O=[N+]([O-])c1cccc([N+](=O)[O-])c1", range(12), "2 nitro groups on a benzene ring"),
        ("Nc1ccccc1", [0, 1], "an amino group with one carbon atom of a benzene ring"),
        ("CCCCCC", [1, 2, 3], "a chain of 3 carbon atoms"),
    ],
)
def test_kinds_of_parts(smiles: str, nodes: list[int], kind: str) -> None:
    """They are named alike in every molecule."""
    assert subgraph_name(molecule(smiles), list(nodes), kind=True).text == kind
