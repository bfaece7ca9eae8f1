"""Several explainers on one prediction: which is best by each number, and a sentence that reads it.

The same rules as everywhere in the benchmarks: numbers within one tolerance are level, what cannot know the GNN's
reasons is never best, and nothing is said of a truth that nobody knows.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gfx_core.bench.protocol import ENOUGH
from gfx_core.bench.verdicts import is_control, leaders, level
from gfx_core.explainers.registry import METHODS
from gfx_core.text.numbers import listed, percent

LOWER_IS_BETTER = ("fidelity_minus", "seconds")
"""All other numbers are the better, the higher they are."""

QUALITIES = {
    "fidelity_minus": ("the most sufficient", "sufficient"),
    "fidelity_plus": ("the most necessary", "necessary"),
    "auc_own": ("nearest to the benchmark’s truth", "near to the benchmark’s truth"),
}
"""What the sentence speaks of, and how it is said of one and of equals."""

_NAMED = 4  # more explainers than this are not named one by one


@dataclass(frozen=True)
class Contender:
    """One explainer's answer.

    Attributes:
        method: Its name in the registry.
        values: Its numbers by name; None where one is not known.
        kept: The edges of its explanation.
        collapsed: Whether its mask has collapsed, so that its order means nothing.
    """

    method: str
    values: Mapping[str, float | None]
    kept: frozenset[int]
    collapsed: bool = False

    @property
    def counts(self) -> bool:
        """Whether it can be best: it asks the GNN, and its answer means something."""
        return not self.collapsed and not is_control(self.method)


def best(contenders: Sequence[Contender], value: str) -> set[str]:
    """The methods that are best by a number, with all that are level with them; nobody where all shown are level."""
    known = {each.method: number for each in contenders if (number := each.values.get(value)) is not None}
    counted = {each.method: known[each.method] for each in contenders if each.counts and each.method in known}
    everyone = leaders(known, _sign(value)) == set(known)
    return set() if everyone else leaders(counted, _sign(value))


def reading(contenders: Sequence[Contender], whole: float) -> str:
    """What the numbers say, in a few sentences; nothing if there is nothing to compare.

    Args:
        contenders: The explainers that are shown.
        whole: The probability that the GNN gives its class, seeing everything.
    """
    if len(contenders) < 2:
        return ""
    counted = [each for each in contenders if each.counts]
    if not counted:
        return "None of those shown knows the GNN’s reasons: add an explainer that asks the GNN."
    known = [q for q in QUALITIES if all(each.values.get(q) is not None for each in counted)]
    said = [_ranking(counted, known), _too_little(counted, whole), _controls(contenders, counted, known)]
    gone = [METHODS[each.method].title for each in contenders if each.collapsed]
    if gone:
        said.append(f"{listed(gone)} {'is' if len(gone) == 1 else 'are'} left out: nearly all edges score the same.")
    return " ".join(filter(None, said))


def _sign(value: str) -> int:
    return -1 if value in LOWER_IS_BETTER else 1


def _number(contender: Contender, value: str) -> float:
    found = contender.values[value]
    assert found is not None
    return found


def _ranking(counted: Sequence[Contender], known: Sequence[str]) -> str:
    """Who is best by what."""
    if len(counted) == 1:
        return f"{METHODS[counted[0].method].title} is the only one shown that asks the GNN: add another to compare."
    if not known:
        return ""
    firsts = {q: leaders({each.method: _number(each, q) for each in counted}, _sign(q)) for q in known}
    telling = [q for q in known if len(firsts[q]) < len(counted)]
    alike = [q for q in known if q not in telling]
    if not telling:
        same = "keep the same edges" if len({each.kept for each in counted}) == 1 else f"are {_equally(alike)}"
        return f"All {len(counted)} explainers shown {same}."
    won = {each.method: tuple(q for q in telling if each.method in firsts[q]) for each in counted}
    most = max(won.values(), key=len)
    first = [each for each in counted if won[each.method] == most]
    text = _subject(first) + listed([QUALITIES[q][0] for q in most])
    others: dict[tuple[str, ...], list[str]] = {}
    for q in telling:
        if q not in most:
            others.setdefault(tuple(each.method for each in counted if each.method in firsts[q]), []).append(q)
    for number, (methods, lost) in enumerate(others.items()):
        text += f"{', and' if number else ', though'} {_owned(methods)} {listed([QUALITIES[q][0] for q in lost])}"
    return f"{text}. All are {_equally(alike)}." if alike else f"{text}."


def _titles(methods: Collection[str]) -> str:
    return listed([METHODS[method].title for method in methods], _NAMED)


def _subject(first: Sequence[Contender]) -> str:
    names = _titles([each.method for each in first])
    if len(first) == 1:
        return f"{names}’s subgraph is "
    if len({each.kept for each in first}) == 1:
        return f"{names} keep the same subgraph, which is "
    return f"{names} are level: their subgraphs are "


def _owned(methods: Collection[str]) -> str:
    return f"{_titles(methods)}’s is" if len(methods) == 1 else f"those of {_titles(methods)} are"


def _equally(qualities: Sequence[str]) -> str:
    return f"equally {listed([QUALITIES[q][1] for q in qualities])}"


def _too_little(counted: Sequence[Contender], whole: float) -> str:
    """Where even the best explanation does not carry the prediction, or the prediction does without it."""
    said = []
    minus = [number for each in counted if (number := each.values.get("fidelity_minus")) is not None]
    plus = [number for each in counted if (number := each.values.get("fidelity_plus")) is not None]
    if minus and (alone := whole - min(minus)) < ENOUGH * whole:
        said.append(f"None is really sufficient, though: the best one alone gives {_share(alone)} of {percent(whole)}.")
    if plus and (left := whole - max(plus)) > ENOUGH * whole:
        said.append(f"None is really necessary, though: without the best one the GNN still gives {_share(left)}.")
    return " ".join(said)


def _share(probability: float) -> str:
    return percent(min(1.0, max(0.0, probability)))


def _controls(contenders: Sequence[Contender], counted: Sequence[Contender], known: Sequence[str]) -> str:
    """Where what cannot know the GNN's reasons does as well as the best explainer."""
    equal: dict[tuple[str, ...], list[str]] = {}
    for each in contenders:
        if is_control(each.method) and not each.collapsed:
            as_good = tuple(q for q in known if _as_good(each, counted, q))
            if as_good:
                equal.setdefault(as_good, []).append(each.method)
    said = []
    for as_good, methods in equal.items():
        one = len(methods) == 1
        if len(as_good) == len(known):
            found = f"{'does' if one else 'do'} as well or better: this prediction tells little of explainers"
        else:
            what = listed([QUALITIES[q][1] for q in as_good])
            found = f"{'is' if one else 'are'} as {what} or more so: that tells little here"
        said.append(f"{_titles(methods)}, which never {'asks' if one else 'ask'} the GNN, {found}.")
    return " ".join(said)


def _as_good(control: Contender, counted: Sequence[Contender], value: str) -> bool:
    number = control.values.get(value)
    if number is None:
        return False
    top = max(_sign(value) * _number(each, value) for each in counted)
    return _sign(value) * number >= top or level(_sign(value) * number, top)
