"""Where GFlowExplainer stands among the methods that ask the GNN, by one number."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gfx_core.bench.study import Study
from gfx_core.bench.verdicts import OWN, Means, asked, level, tell_nothing

TRUTH = "truth"
"""The true motif itself, among those that can be level with the best."""


@dataclass
class Standing:
    """Data sets by where GFlowExplainer stands among the methods that ask the GNN, by one number.

    Attributes:
        first: Ahead of all others, by more than a tie.
        level: Tied with the best of the others.
        behind: The others that tell anything.
        silent: Who is level with the best, by data set, where the number tells nothing: a control, or the true motif.
    """

    first: list[str] = field(default_factory=list)
    level: list[str] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)
    silent: dict[str, str] = field(default_factory=dict)

    @property
    def telling(self) -> int:
        return len(self.first) + len(self.level) + len(self.behind)

    def told(self, study: Study, words: tuple[str, str, str]) -> str:
        """In words, of the data sets that can tell.

        Args:
            study: Knows what data sets are called.
            words: What to say of those where GFlowExplainer is first, level and behind.
        """
        places = zip(words, (self.first, self.level, self.behind), strict=True)
        return ", ".join(f"{how} on {study.listed(where)}" for how, where in places if where)


def standing(found: Means, sign: int = 1, truth: Mapping[str, float] | None = None) -> Standing:
    """Where GFlowExplainer stands, ties apart from wins, and which columns cannot tell.

    Args:
        found: The number, by data set and method.
        truth: The number of the true motif, by data set.
        sign: 1 if high is good, -1 if low is.
    """
    stands, silent, truth = Standing(), tell_nothing(found, sign), truth or {}
    for dataset, by_method in found.items():
        if OWN not in by_method:
            continue
        good = {method: sign * value for method, value in asked(by_method).items()}
        rivals = max((value for method, value in good.items() if method != OWN), default=float("-inf"))
        if dataset in silent:
            stands.silent[dataset] = silent[dataset]
        elif dataset in truth and level(sign * truth[dataset], max(good.values())):
            stands.silent[dataset] = TRUTH
        elif level(good[OWN], rivals):
            stands.level.append(dataset)
        else:
            (stands.first if good[OWN] > rivals else stands.behind).append(dataset)
    return stands
