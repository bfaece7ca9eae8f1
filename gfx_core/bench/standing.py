"""Where GFlowExplainer stands among the explainers by the motif, also where the motif is the GNN's reason."""

from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field

from gfx_core.bench.comparison import Comparison
from gfx_core.bench.reasons import OTHER_REASON, other_reasons
from gfx_core.bench.study import Claim, share_verdict
from gfx_core.bench.tables import OWN, Record, ResultTable
from gfx_core.text.numbers import listed


@dataclass(frozen=True)
class Standing:
    """Where a row stands among the others, in the columns in which it has a number.

    Attributes:
        level: In so many columns that can separate explainers it is the best or level with the best.
        separable: So many can separate them.
        silent: So many cannot.
        behind: Where another is better, in words for each table.
        alone: In so many columns no other is level with it.
        others: In how many columns each other row is the best or level with the best.
    """

    level: int = 0
    separable: int = 0
    silent: int = 0
    behind: tuple[str, ...] = ()
    alone: int = 0
    others: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Standing") -> "Standing":
        return Standing(
            self.level + other.level,
            self.separable + other.separable,
            self.silent + other.silent,
            self.behind + other.behind,
            self.alone + other.alone,
            self.others + other.others,
        )

    def share(self, unit: str = "data sets") -> str:
        """``6 of 8 data sets, alone best on none``."""
        return f"{self.level} of {self.separable} {unit}, alone best on {self.alone or 'none'}"

    @property
    def next(self) -> str:
        """``the next, SubgraphX, on 5``; nothing where no other is ever best."""
        most = max(self.others.values(), default=0)
        names = [name for name, count in self.others.items() if count == most]
        return f"the next, {listed(names)}, on {most}" if names else ""

    def words(self, fair: "Standing", unit: str = "data sets") -> str:
        """``6 of 8 data sets, alone best on none; the next, SubgraphX, on 5. Behind on BA-Either``.

        Args:
            fair: The same where the motif is the GNN's reason; it is told if it is another.
            unit: What the columns are.
        """
        also = f"{fair.level} of {fair.separable} where the motif is the GNN's reason"
        good = [self.share(unit), self.next, also if fair.separable < self.separable else ""]
        rest = [f"Behind on {listed(self.behind)}"] if self.behind else []
        rest += [f"{self.silent} more cannot separate explainers"] if self.silent else []
        return ". ".join("; ".join(filter(None, parts)) for parts in (good, rest) if parts)

    def claims(
        self, sentence: str, number: str, table: str, summary: Sequence[str] = (), conclusion: str = ""
    ) -> list[Claim]:
        """The claim that the row is the best or level with the best; none where no column can separate explainers.

        Args:
            sentence: What is claimed.
            number: What decides it, `words` of this standing.
            table: The title of the table that decides it.
            summary: What the first sentence of all results says of it.
            conclusion: What the sentences after it say.
        """
        verdict = share_verdict(self.level, self.separable)
        return [Claim(sentence, verdict, number, table, tuple(summary), conclusion)] if self.separable else []


class MotifComparison(Comparison):
    """What the studies that score explainers by the motif have in common."""

    def __init__(self, reasons: Callable[[], Sequence[Record]] = list) -> None:
        """A study whose columns are marked where, by the records of `reasons`, the motif is not the GNN's reason."""
        super().__init__()
        self.reasons = reasons

    def reasons_marked(self, table: ResultTable, kind: str) -> ResultTable:
        """A table of one kind of GNN with a mark on the columns where the motif is not the reason of these."""
        other = [name for name in other_reasons(self.reasons(), kind) if name in table.columns]
        return table.marked(OTHER_REASON, other, f"The motif is not the reason of these GNNs: {self.listed(other)}.")

    def fair_standing(self, table: ResultTable, kind: str) -> Standing:
        """Where GFlowExplainer stands in the columns in which the motif is the reason of a kind of GNN."""
        return self.standing(table, without=other_reasons(self.reasons(), kind))

    def standing(self, table: ResultTable, where: str = "", without: Container[str] = ()) -> Standing:
        """Where GFlowExplainer stands in a table.

        Args:
            table: The table.
            where: What it is a table of, which is said where GFlowExplainer is behind.
            without: Columns that are left out.
        """
        ours = self.methods[OWN]
        best = {
            name: table.best_of(name) for name in table.columns if name not in without and ours in table.means(name)
        }
        separable = [name for name, found in best.items() if found]
        behind = [name for name in separable if ours not in best[name]]
        words = (self.listed(behind) + where,) if behind else ()
        alone = sum(best[name] == {ours} for name in separable)
        others = Counter(label for name in separable for label in sorted(best[name] - {ours}))
        return Standing(
            len(separable) - len(behind), len(separable), len(best) - len(separable), words, alone, others
        )  # fmt: skip
