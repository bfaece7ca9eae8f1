"""Molecules by RDKit, where it is installed: from SMILES, and with the functional groups and rings that chemists name.

A molecule is read in the vocabulary of Mutagenicity and laid out. Hydrogens are left out of all groups: an NH₂ is known
by its nitrogen, whichever of its hydrogens are looked at.
"""

import difflib
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gfx_core.config import ASSETS
from gfx_core.datasets.chosen_examples import examples
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.mutagenicity import ATOMS, MUTAGENICITY, mark_groups
from gfx_core.datasets.source import Listed, Typed
from gfx_core.errors import UserError

if TYPE_CHECKING:
    from rdkit.Chem import Mol, RWMol


MAX_SMILES = 500
MAX_ATOMS = 300

_CONTENT = tomllib.loads((ASSETS / "content" / "molecules.toml").read_text(encoding="utf-8"))
COMPOUNDS: dict[str, str] = _CONTENT["compounds"]
"""Well-known compounds, so that molecules can be explored without a download."""
NAMED: dict[str, str] = COMPOUNDS | _CONTENT["others"]
"""All molecules that are known by their names."""
_BY_NAME = {name.lower(): name for name in NAMED} | {
    name.lower(): known for name, known in _CONTENT["synonyms"].items()
}

UNKNOWN_CLASS = -1
_FORMULA = re.compile(r"([A-Z][a-z]?)([2-9]|[1-9]\d+)?")  # a one is never written
_ATOMS_ONLY = re.compile(r"(Cl|Br|[BCNOPSFI])+")  # letters that may be SMILES, and that no word is written with
_SMILES_LETTERS = re.compile(r"(Cl|Br|[BCNOPSFIH]|[bcnops])+")  # outside brackets; many write hydrogens, too
_NAME_SIGNS = re.compile(r"[\w\s,.'’′()\[\]+-]+")  # what names are written with: no signs for bonds
_CAS = re.compile(r"\d{2,7}-\d\d-\d")


def molecule(text: str) -> Instance:
    """Read SMILES, or what stands for it (`read_molecule`), as a graph with explicit hydrogens and 2-D coordinates.

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
    atoms = np.array([ATOMS.index(symbol) for symbol in symbols], dtype=np.int64)
    bonds = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondTypeAsDouble())) for bond in mol.GetBonds()]
    ends = np.array([bond[:2] for bond in bonds], dtype=np.int64).reshape(-1, 2).T
    order = np.array([bond[2] for bond in bonds], dtype=np.int64)
    edge_index = np.concatenate([ends, ends[::-1]], axis=1)
    motif, edge_motif = mark_groups(atoms, edge_index)
    dataset = GraphDataset.from_edges(
        MUTAGENICITY,
        np.eye(len(ATOMS), dtype=np.float32)[atoms],
        edge_index,
        np.array([UNKNOWN_CLASS]),
        num_classes=2,
        motif=motif,
        edge_motif=edge_motif,
        node_names=ATOMS,
        edge_order=np.concatenate([order, order]),
        pos=np.asarray(mol.GetConformer().GetPositions()[:, :2], dtype=np.float32),
    )
    return dataset.instance(0)


def read_molecule(typed: str) -> "tuple[Mol, str]":
    """The molecule that somebody types in SMILES, by a well-known name or by a well-known formula.

    Returns:
        The molecule, and a sentence on what was understood; empty for SMILES.

    Raises:
        UserError: It is none of them; the sentence says what it looks like.
    """
    text = unicodedata.normalize("NFKC", typed).strip().encode("utf-8", "replace").decode()  # no half characters
    if not text:
        raise UserError("Type a molecule: its name, or SMILES such as c1ccccc1 for benzene.")
    if len(text) > MAX_SMILES:
        raise UserError(f"This SMILES has {len(text)} characters; at most {MAX_SMILES} can be read.")
    from rdkit import Chem, rdBase

    quoted = f"“{text[:60]}”"
    if (known := _BY_NAME.get(text.lower())) is not None:
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
    raise UserError(_no_molecule(text, quoted, counts is not None, fits))


def _no_molecule(text: str, quoted: str, formula: bool, fits: Sequence[str]) -> str:
    """What something looks like that is no molecule, and what to do."""
    alike = [name for name in _BY_NAME if re.findall(r"\d", name) == re.findall(r"\d", text)]  # 3-… is not 4-…
    close = difflib.get_close_matches(text.lower(), alike, n=1, cutoff=0.88)  # others mean other compounds
    hint = f" Did you mean {_BY_NAME[close[0]]}?" if close else ""
    if fits:
        return f"{quoted} is the formula of {' and of '.join(fits)}: type one of these names, or SMILES."
    if formula and any(map(str.isdigit, text)):
        return f"{quoted} is a formula, which does not say how the atoms are bonded: type a name or SMILES."
    words = text.split()
    if len(words) > 1 and all(map(str.isalpha, words)):
        return f"{quoted} reads as a sentence, not as a molecule: choose Graph-SST2 for sentences.{hint}"
    word = text.isalpha() and not _ATOMS_ONLY.fullmatch(text)
    syllables = re.findall(r"[^\W\d_]{4,}", text)
    systematic = "," in text or not all(map(_SMILES_LETTERS.fullmatch, syllables))  # as in 2,4-dinitrotoluene
    if word or _CAS.fullmatch(text) or (systematic and _NAME_SIGNS.fullmatch(text)):
        other = hint or " A sentence needs two words or more; the data set for sentences is Graph-SST2." * word
        return f"{quoted} is not a molecule that we know by name: type a structure as SMILES, such as CCO.{other}"
    return f"{quoted} is not a valid SMILES string: check brackets, ring numbers and valences.{hint}"


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

    parameter: ClassVar[str] = "compound"
    title: ClassVar[str] = "Well-known"
    noun: ClassVar[str] = "compound"
    names: ClassVar[tuple[str, ...]] = tuple(COMPOUNDS)
    first = examples(MUTAGENICITY.name, parameter)[0].name

    def instance(self, name: str, hops: int = 0) -> Instance:
        return molecule(self.typed(name))

    def typed(self, name: str) -> str:
        return COMPOUNDS[self.checked(name)]


class Smiles(Typed):
    """Any molecule that somebody types."""

    parameter: ClassVar[str] = "smiles"
    title: ClassVar[str] = "Own molecule"
    noun: ClassVar[str] = "SMILES or name"
    placeholder: ClassVar[str] = "c1ccccc1"
    help: ClassVar[str] = (
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


def find_molecule(text: str) -> tuple[str, str]:
    """What somebody typed, as the sources name it: a well-known compound by its name, or else SMILES.

    Returns:
        The source's parameter and the name; whether it is a molecule at all, only RDKit can tell.
    """
    known = known_molecule(text)
    return (Compounds.parameter, known) if known in COMPOUNDS else (Smiles.parameter, text.strip())


def known_molecule(text: str) -> str | None:
    """The molecule that somebody means by a name; ``None`` if it is no name that is known."""
    return _BY_NAME.get(text.strip().lower())


# Functional groups and ring systems


@dataclass(frozen=True)
class FunctionalGroup:
    """Some atoms that chemists have a name for.

    Attributes:
        name: In the singular, without an article: "nitro group", "benzene ring".
        atoms: Its atoms but hydrogens, by local node id.
        rings: The rings that it is made of; none if it is no ring system.
    """

    name: str
    atoms: frozenset[int]
    rings: tuple["FunctionalGroup", ...] = ()


_MEMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
_VALENCES = {("N", 4): 1, ("O", 1): -1, ("O", 3): 1, ("S", 3): 1}  # (element, bonds it takes part in): charge


def groups_of(instance: Instance) -> list[FunctionalGroup] | None:
    """All groups of a molecule, each heavy atom in at most one; ``None`` if it is no molecule, or without RDKit."""
    mol = _molecule(instance)
    if mol is None:
        return None
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
        for (u, v), order in zip(
            instance.edge_index[:, instance.undirected].T.tolist(), _orders(instance), strict=True
        ):
            made.AddBond(u, v, bonds.get(order, Chem.BondType.SINGLE))
    return made


def _orders(instance: Instance) -> list[int]:
    """Of the undirected edges."""
    chosen = instance.undirected
    return [1] * len(chosen) if instance.edge_order is None else instance.edge_order[chosen].tolist()


def _valences(instance: Instance) -> list[int]:
    """The bonds of each atom, by their orders."""
    ends = instance.edge_index[:, instance.undirected]
    found: list[int] = np.bincount(ends.ravel(), np.tile(_orders(instance), 2), instance.num_nodes).astype(int).tolist()
    return found


def check_valences(instance: Instance, atoms: Iterable[int]) -> None:
    """Refuse bonds that RDKit refuses, on some atoms of a molecule; what is no molecule is left alone."""
    made = editable_molecule(instance)
    if made is None:
        return
    valences = _valences(instance)
    for node in atoms:
        label = instance.node_label(node)
        if label not in allowed_elements(made, node, [label], valences[node]):
            raise UserError(
                f"RDKit refuses this molecule: {label}{instance.nodes[node]} would have a valence of {valences[node]}, "
                f"which {label} cannot have. Remove a bond there first, or choose another atom."
            )


def allowed_elements(molecule: "RWMol", node: int, elements: Sequence[str], valence: int) -> list[str]:
    """Which of some elements an atom can be, with the bonds that it has; the charges that the data leave out count."""
    from rdkit import Chem, rdBase

    atom, found = molecule.GetAtomWithIdx(node), []
    with rdBase.BlockLogs():
        for element in elements:
            atom.SetAtomicNum(Chem.GetPeriodicTable().GetAtomicNumber(element))
            atom.SetFormalCharge(_VALENCES.get((element, valence), 0))
            try:
                atom.UpdatePropertyCache(strict=True)
            except ValueError:  # RDKit's AtomValenceException is one
                continue
            found.append(element)
    return found


def other_elements(instance: Instance) -> list[tuple[int, str]]:
    """Each atom of a molecule with each other element that it could be; nothing where there is no molecule."""
    made, found = editable_molecule(instance), []
    if made is None:
        return []
    for node, valence in enumerate(_valences(instance)):
        others = [name for name in instance.node_names if name != instance.node_label(node)]
        found += [(node, element) for element in allowed_elements(made, node, others, valence)]
    return found


def _molecule(instance: Instance) -> "Mol | None":
    """The instance as RDKit sees it, with the charges that the data sets leave out."""
    made = editable_molecule(instance)
    if made is None:
        return None
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        for atom, bonded in zip(made.GetAtoms(), _valences(instance), strict=True):
            atom.SetFormalCharge(_VALENCES.get((atom.GetSymbol(), bonded), 0))
        mol = made.GetMol()
        mol.UpdatePropertyCache(strict=False)  # odd valences are the data's business
        Chem.GetSymmSSSR(mol)
        Chem.SetAromaticity(mol)
    return mol


def _ring_systems(mol: "Mol") -> list[FunctionalGroup]:
    """Rings that share a bond are one system."""
    systems: list[list[set[int]]] = []  # each a list of rings
    for ring in map(set, mol.GetRingInfo().AtomRings()):
        fused = [system for system in systems if any(len(ring & other) > 1 for other in system)]
        systems = [system for system in systems if system not in fused] + [[ring, *(r for s in fused for r in s)]]
    return [
        FunctionalGroup(
            _system_name(mol, rings),
            frozenset(set().union(*rings)),
            tuple(FunctionalGroup(_system_name(mol, [ring]), frozenset(ring)) for ring in rings),
        )
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
