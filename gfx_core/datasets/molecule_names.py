"""What to call a part of a molecule: the nitro group on the benzene ring."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import Group, groups_of
from gfx_core.datasets.shape_names import Name
from gfx_core.number_words import listed

_MOST = 4  # kinds of groups that are told one by one
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_ELEMENTS = {"C": "carbon", "O": "oxygen", "N": "nitrogen", "S": "sulfur", "P": "phosphorus", "H": "hydrogen"}


def molecule_part_name(instance: Instance, nodes: Collection[int]) -> Name | None:
    """What chemists call some atoms that hang together; ``None`` if the instance is no molecule.

    Groups that are wholly there are named first, then what is there of others. Hydrogens may be there or not. Without
    RDKit, and where nothing has a name, it is a formula.
    """
    elements = [instance.node_label(node) for node in range(instance.num_nodes)]
    if not all(element.isalpha() and len(element) <= 2 for element in elements):
        return None
    groups = groups_of(instance)
    part = _Part(instance, elements, frozenset(nodes), groups or [])
    return part.name or Name(f"the {formula(elements[node] for node in nodes)} fragment")


def formula(elements: Iterable[str]) -> str:
    """The sum formula as chemists write it: carbon, hydrogen, then by the alphabet; ``C₆H₅N``."""
    counts = Counter(elements)
    first = [element for element in ("C", "H") if element in counts]
    order = [*first, *sorted(counts.keys() - set(first))]
    return "".join(f"{e}{str(counts[e]).translate(_SUBSCRIPTS) if counts[e] > 1 else ''}" for e in order)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some atoms of a molecule, and all groups of the molecule."""

    instance: Instance
    elements: list[str]
    nodes: frozenset[int]
    groups: list[Group]

    @cached_property
    def heavy(self) -> frozenset[int]:
        return frozenset(node for node in self.nodes if self.elements[node] != "H")

    @cached_property
    def whole(self) -> list[Group]:
        """The groups that are wholly there."""
        return [group for group in self.groups if group.atoms <= self.nodes]

    @property
    def name(self) -> Name | None:
        rings = [group for group in self.whole if group.rings]
        others = [group for group in self.whole if not group.rings]
        held = {atom for group in self.whole for atom in group.atoms}
        parts, told = self._parts(held)
        rest = self.heavy - held - told
        if not self.whole:
            return self._without_groups(parts, rest)
        on_ring = [group for group in others if rings and self._touch(group, rings)]
        apart = [group for group in others if group not in on_ring]
        if on_ring:
            subject = self._counted(on_ring)
            text = f"{listed(subject, _MOST)} on {listed(self._counted(rings), _MOST)}"
            several = len(on_ring) > 1
            more = self._counted(apart)
        else:
            subject = self._counted([*others, *rings])
            text, several, more = listed(subject, _MOST), len(self.whole) > 1, []
        more += parts + ([self._atoms(rest, "more ")] if rest else [])
        return Name(text + (f", with {listed(more, _MOST)}" if on_ring and more else _with(more)), several)

    def _touch(self, group: Group, rings: list[Group]) -> bool:
        """Whether a bond leads from the group to one of the rings."""
        ring = {atom for system in rings for atom in system.atoms}
        return any(u in group.atoms and v in ring for u, v in self.instance.edge_index.T.tolist())

    def _counted(self, groups: list[Group]) -> list[str]:
        """The nitro group; the 2 nitro groups; one of the 3 nitro groups. One for each kind."""
        there = Counter(group.name for group in groups)
        all_of = Counter(group.name for group in self.groups)
        told = []
        for name, count in there.items():
            if all_of[name] == 1:
                told.append(f"the {name}")
            elif count == all_of[name]:
                told.append(f"{'both' if count == 2 else f'the {count}'} {_plural(name)}")
            else:
                told.append(f"{'one' if count == 1 else count} of the {all_of[name]} {_plural(name)}")
        return told

    def _parts(self, held: set[int]) -> tuple[list[str], set[int]]:
        """What is there of groups that are not wholly there, in words, rings last, and those atoms."""
        words: list[str] = []
        told: set[int] = set()
        ring_atoms: dict[str, list[frozenset[int]]] = {}  # by name: the atoms that there are of each such ring
        for group in self.groups:
            there = (group.atoms & self.nodes) - held
            if not there or group.atoms <= self.nodes:
                continue
            told |= there
            closed = [ring for ring in group.rings if ring.atoms <= self.nodes]
            if closed and len(group.rings) > 1:
                alike = sum(ring.name == closed[0].name for ring in group.rings)
                one = f"{'the' if alike == 1 else 'one'} {closed[0].name}"
                some = f"{len(closed)} rings" if len(closed) > 1 else one
                besides = len(there - set().union(*(ring.atoms for ring in closed)))
                also = f" and {'one' if besides == 1 else besides} more of its atoms" if besides else ""
                words.append(f"{some} of {self._article(group.name)} {group.name}{also}")
            elif group.rings:
                ring_atoms.setdefault(group.name, []).append(frozenset(there))
            else:
                words.append(f"part of {self._article(group.name)} {group.name} ({self._listed_atoms(there)})")
        for name, each in ring_atoms.items():
            some = self._atoms(frozenset().union(*each), brief=True)
            ring = f"{self._article(name)} {name}" if len(each) == 1 else f"{len(each)} {_plural(name)}"
            words.append(f"{some} of {ring}")
        return words, told

    def _article(self, name: str) -> str:
        """The, if there is but one such group in the molecule."""
        if sum(group.name == name for group in self.groups) == 1:
            return "the"
        return "an" if name[0] in "aeio" else "a"

    def _without_groups(self, parts: list[str], rest: frozenset[int]) -> Name | None:
        """No group is wholly there."""
        if not parts:
            if len(self.nodes) == 1:
                return Name(self._atoms(self.nodes))
            if not rest or not self.groups or {self.elements[node] for node in rest} != {"C"}:
                return None
            return Name("one carbon atom" if len(rest) == 1 else f"the chain of {len(rest)} carbon atoms")
        first, *others = parts
        others += [self._atoms(rest, "more ")] if rest else []
        return Name(first + _with(others), several=first[0].isdigit())

    def _listed_atoms(self, atoms: Iterable[int]) -> str:
        """N and one O."""
        counts = Counter(self.elements[atom] for atom in atoms)
        order = sorted(counts, key=lambda element: (element == "O", element))  # what holds the group together first
        return listed([f"{'one ' if e == 'O' else ''}{e}" if counts[e] == 1 else f"{counts[e]} {e}" for e in order])

    def _atoms(self, atoms: Iterable[int], more: str = "", brief: bool = False) -> str:
        """2 more carbon atoms; 3 more atoms (C₂N), or without that formula."""
        elements = [self.elements[atom] for atom in atoms]
        count, kinds = len(elements), set(elements)
        number = "one" if count == 1 else str(count)
        noun = "atom" if count == 1 else "atoms"
        if len(kinds) == 1:
            return f"{number} {more}{_ELEMENTS.get(elements[0], elements[0])} {noun}"
        return f"{number} {more}{noun}" + ("" if brief else f" ({formula(elements)})")


def _with(more: list[str]) -> str:
    return f" with {listed(more, _MOST)}" if more else ""


def _plural(name: str) -> str:
    """Nitro groups, ether oxygens; rings of 6."""
    first, of, rest = name.partition(" of ")
    return f"{first}s{of}{rest}"
