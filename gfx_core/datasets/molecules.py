"""Molecules by RDKit, where it is installed: from SMILES, and with the functional groups and rings that chemists name.

A molecule is read in the vocabulary of Mutagenicity and laid out. Hydrogens are left out of all groups: an NH₂ is known
by its nitrogen, whichever of its hydrogens are looked at.
"""

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_core.config import read_content
from gfx_core.datasets.instance import UNKNOWN_CLASS, Instance
from gfx_core.datasets.mutagenicity import ATOMS, molecules_of
from gfx_core.datasets.source import Listed, Typed, examples
from gfx_core.errors import UserError

if TYPE_CHECKING:
    from rdkit.Chem import Atom, Mol, RWMol


MAX_SMILES = 500
MAX_ATOMS = 300

_CONTENT = read_content("molecules")
COMPOUNDS: dict[str, str] = _CONTENT["compounds"]
"""Well-known compounds, so that molecules can be explored without a download."""
NAMED: dict[str, str] = COMPOUNDS | _CONTENT["others"]
"""All molecules that are known by their names."""
MOLECULES = {name.lower(): name for name in NAMED} | {
    name.lower(): known for name, known in _CONTENT["synonyms"].items()
}
"""Their names by whatever visitors call them, in small letters."""

_FORMULA = re.compile(r"([A-Z][a-z]?)([2-9]|[1-9]\d+)?")  # a one is never written


def molecule(text: str) -> Instance:
    """Read SMILES, or a name (`read_molecule`), as a graph with explicit hydrogens and 2-D coordinates.

    Bonds are written in Kekulé form (single, double, triple), as in Mutagenicity; charges are dropped, as there.
    The true class is unknown (-1).
    """
    parsed, _ = read_molecule(text)
    from rdkit import Chem
    from rdkit.Chem import rdDepictor

    mol = Chem.AddHs(parsed)
    if mol.GetNumAtoms() > MAX_ATOMS:
        raise UserError(
            f"This molecule has {mol.GetNumAtoms()} atoms with its hydrogens; at most {MAX_ATOMS} can be shown."
        )
    symbols = [atom.GetSymbol() for atom in mol.GetAtoms()]
    unknown = sorted(set(symbols) - set(ATOMS))
    if unknown:
        raise UserError(
            f"The GNN has never seen {', '.join(unknown)}: only {', '.join(ATOMS)} occur in its training data."
        )
    Chem.Kekulize(mol, clearAromaticFlags=True)
    rdDepictor.Compute2DCoords(mol)
    atoms = np.array([ATOMS.index(symbol) for symbol in symbols])
    rows = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondTypeAsDouble())) for bond in mol.GetBonds()]
    one, other, order = np.array(rows, dtype=int).reshape(-1, 3).T
    edge_index = np.stack([np.append(one, other), np.append(other, one)])
    pos = np.asarray(mol.GetConformer().GetPositions()[:, :2], dtype=np.float32)
    dataset = molecules_of(atoms, edge_index, np.append(order, order), np.array([UNKNOWN_CLASS]), pos=pos)
    return dataset.instance(0)


def read_molecule(typed: str) -> "tuple[Mol, str]":
    """The molecule of a text: in SMILES, by a well-known name or by a well-known formula.

    Returns:
        The molecule, and a sentence on what was understood; empty for SMILES.

    Raises:
        UserError: It is none of them; the sentence names what it looks like.
    """
    text = unicodedata.normalize("NFKC", typed).strip().encode("utf-8", "replace").decode()  # no half characters
    if not text:
        raise UserError("Type a molecule: its name, or SMILES such as c1ccccc1 for benzene.")
    if len(text) > MAX_SMILES:
        raise UserError(f"This SMILES has {len(text)} characters; at most {MAX_SMILES} can be read.")
    from rdkit import Chem, rdBase

    quoted = f"“{text[:60]}”"
    if (known := MOLECULES.get(text.lower())) is not None:
        return Chem.MolFromSmiles(NAMED[known]), f"We read {quoted} as {known}, {NAMED[known]} in SMILES."
    with rdBase.BlockLogs():
        parsed = Chem.MolFromSmiles(text)
    if parsed is not None and parsed.GetNumAtoms():
        return parsed, ""
    counts = _atom_counts(text)
    fits = [name for name, atoms in _formulas().items() if atoms == (counts or _atom_counts(text.upper()))]
    if len(fits) == 1:
        note = f"{quoted} is a formula, which does not say how the atoms are bonded. We read it as {fits[0]}."
        return Chem.MolFromSmiles(NAMED[fits[0]]), note
    if fits:
        raise UserError(f"{quoted} is the formula of {' and of '.join(fits)}: type one of these names, or SMILES.")
    if counts is not None and any(map(str.isdigit, text)):
        raise UserError(f"{quoted} is a formula, which does not say how the atoms are bonded: type a name or SMILES.")
    alike = [name for name in MOLECULES if re.findall(r"\d", name) == re.findall(r"\d", text)]  # 3-… is not 4-…
    close = difflib.get_close_matches(text.lower(), alike, n=1, cutoff=0.88)  # others mean other compounds
    hint = f" Did you mean {MOLECULES[close[0]]}?" if close else ""
    if len(text.split()) > 1 and all(map(str.isalpha, text.split())):
        raise UserError(f"{quoted} reads as a sentence, not as a molecule: choose Graph-SST2 for sentences.{hint}")
    if text.isalpha() and not hint:
        hint = " A sentence needs two words or more; the data set for sentences is Graph-SST2."
    raise UserError(
        f"{quoted} is not a molecule that we know by name and not a valid SMILES string: check brackets, ring numbers "
        f"and valences.{hint}"
    )


def _atom_counts(formula: str) -> Counter[str] | None:
    """The atoms of a sum formula; ``None`` if it is none."""
    if not re.fullmatch(f"({_FORMULA.pattern})+", formula):
        return None
    counts: Counter[str] = Counter()
    for element, number in _FORMULA.findall(formula):
        counts[element] += int(number[:4] or 1)
    return counts if counts.keys() <= set(ATOMS) else None


@cache
def _formulas() -> dict[str, Counter[str] | None]:
    """The atoms of each molecule that is known by its name."""
    from rdkit import Chem
    from rdkit.Chem.rdMolDescriptors import CalcMolFormula

    return {name: _atom_counts(CalcMolFormula(Chem.MolFromSmiles(smiles))) for name, smiles in NAMED.items()}


class Compounds(Listed):
    """The well-known compounds."""

    parameter = "compound"
    title = "Well-known"
    noun = "compound"
    names = tuple(COMPOUNDS)
    first = examples("mutagenicity", parameter)[0].name

    def instance(self, name: str, hops: int = 0) -> Instance:
        return molecule(COMPOUNDS[self.checked(name)])


class Smiles(Typed):
    """Any molecule, typed."""

    parameter = "smiles"
    title = "Own molecule"
    noun = "SMILES or name"
    placeholder = "c1ccccc1"
    help = (
        "SMILES is the usual one-line notation for molecules, for example c1ccccc1 for benzene. Well-known names such "
        "as benzene and formulas such as C6H6 are understood, too. Press Enter to draw it."
    )
    first = COMPOUNDS[Compounds.first]

    def instance(self, name: str, hops: int = 0) -> Instance:
        return molecule(name)

    def called(self, name: str) -> str:
        return "molecule"

    def note(self, name: str) -> str:
        return read_molecule(name)[1]


# Functional groups and ring systems


@dataclass(frozen=True)
class FunctionalGroup:
    """Some atoms that chemists have a name for.

    Attributes:
        name: In the singular, without an article: "nitro group", "benzene ring".
        atoms: Its atoms but hydrogens, by local node id.
        is_ring: Whether it is a ring, or several that share bonds.
    """

    name: str
    atoms: frozenset[int]
    is_ring: bool = False


_MEMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
_CHARGES = {("N", 4): 1, ("O", 1): -1, ("O", 3): 1, ("S", 3): 1}
"""Charges, which the data sets leave out, by element and valence."""


def groups_of(instance: Instance) -> list[FunctionalGroup] | None:
    """All groups of a molecule, each heavy atom in at most one; ``None`` if it is no molecule, or without RDKit."""
    mol = editable_molecule(instance)
    if mol is None:
        return None
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        for atom in mol.GetAtoms():
            _set_charge(atom)
        mol.UpdatePropertyCache(strict=False)  # odd valences are the data's business
        Chem.GetSymmSSSR(mol)
        Chem.SetAromaticity(mol)
    found = _ring_systems(mol)
    used = {atom for group in found for atom in group.atoms}
    for name, pattern in _patterns("groups"):
        for match in mol.GetSubstructMatches(pattern):
            if used.isdisjoint(match):
                found.append(FunctionalGroup(name, frozenset(match)))
                used.update(match)
    return found


def editable_molecule(instance: Instance) -> "RWMol | None":
    """An instance as RDKit's atoms and bonds, nothing checked; ``None`` if some are no elements, or without RDKit."""
    try:
        from rdkit import Chem, rdBase
    except ImportError:
        return None
    bonds = {1: Chem.BondType.SINGLE, 2: Chem.BondType.DOUBLE, 3: Chem.BondType.TRIPLE}
    made = Chem.RWMol()
    with rdBase.BlockLogs():
        try:
            for node in range(instance.num_nodes):
                atom = Chem.Atom(instance.node_label(node))
                atom.SetNoImplicit(True)
                made.AddAtom(atom)
        except RuntimeError:  # no chemical element
            return None
        for edge in instance.undirected.tolist():
            u, v = instance.edge_index[:, edge].tolist()
            made.AddBond(u, v, bonds.get(int(instance.edge_order[edge]), Chem.BondType.SINGLE))
    return made


def _valence(atom: "Atom") -> int:
    return int(sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds()))


def _set_charge(atom: "Atom") -> None:
    atom.SetFormalCharge(_CHARGES.get((atom.GetSymbol(), _valence(atom)), 0))


def check_valences(instance: Instance, atoms: Iterable[int]) -> None:
    """Refuse bonds that RDKit refuses, on some atoms of a molecule; what is no molecule is left alone."""
    mol = editable_molecule(instance)
    if mol is None:
        return
    for node in atoms:
        label = instance.node_label(node)
        if not _allowed_elements(mol, node, [label]):
            valence = _valence(mol.GetAtomWithIdx(node))
            raise UserError(
                f"RDKit refuses this molecule: {label}{instance.nodes[node]} would have a valence of {valence}, "
                f"which {label} cannot have. Remove a bond there first, or choose another atom."
            )


def _allowed_elements(mol: "RWMol", node: int, elements: Sequence[str]) -> list[str]:
    """Which of some elements an atom can be, with the bonds that it has."""
    from rdkit import Chem, rdBase

    atom, allowed = mol.GetAtomWithIdx(node), []
    with rdBase.BlockLogs():
        for element in elements:
            atom.SetAtomicNum(Chem.GetPeriodicTable().GetAtomicNumber(element))
            _set_charge(atom)
            try:
                atom.UpdatePropertyCache(strict=True)
            except ValueError:  # RDKit's AtomValenceException is one
                continue
            allowed.append(element)
    return allowed


def other_elements(instance: Instance) -> list[tuple[int, str]]:
    """Each atom of a molecule with each other element that it could be; nothing where there is no molecule."""
    mol = editable_molecule(instance)
    if mol is None:
        return []
    return [
        (node, element)
        for node in range(instance.num_nodes)
        for element in _allowed_elements(mol, node, [n for n in instance.node_names if n != instance.node_label(node)])
    ]


def _ring_systems(mol: "Mol") -> list[FunctionalGroup]:
    """Rings that share a bond are one system."""
    systems: list[list[set[int]]] = []  # each a list of rings
    for ring in map(set, mol.GetRingInfo().AtomRings()):
        fused = [system for system in systems if any(len(ring & other) > 1 for other in system)]
        systems = [system for system in systems if system not in fused] + [[ring, *(r for s in fused for r in s)]]
    return [
        FunctionalGroup(_system_name(mol, rings), frozenset(set().union(*rings)), is_ring=True)
        for rings in sorted(systems, key=lambda rings: min(map(min, rings)))
    ]


def _system_name(mol: "Mol", rings: list[set[int]]) -> str:
    atoms = set().union(*rings)
    for name, pattern in _patterns("rings"):
        if pattern.GetNumAtoms() == len(atoms) and any(
            set(match) == atoms for match in mol.GetSubstructMatches(pattern)
        ):
            return name
    aromatic = all(mol.GetAtomWithIdx(atom).GetIsAromatic() for atom in atoms)
    if len(rings) == 1:
        return "aromatic ring" if aromatic else f"{_MEMBERS.get(len(atoms), len(atoms))}-membered ring"
    return f"{'aromatic ' if aromatic else ''}system of {len(rings)} fused rings"


@cache
def _patterns(kind: str) -> list[tuple[str, Any]]:
    """What rings or groups are called, and look like; in their order."""
    from rdkit import Chem

    return [(name, Chem.MolFromSmarts(smarts)) for name, smarts in _CONTENT[kind].items()]
