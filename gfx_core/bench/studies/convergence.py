"""How trainings of the policy converge: flow matching with three kinds of parents, and trajectory balance.

Each training is done twice: as the shipped policies are trained, and with the paper's own network and batches. The
reward and K_M are the shipped policies' in both.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import TRAININGS
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity
from gfx_core.bench.verdicts import CLOSE, OWN, Means, Verdict, level, means
from gfx_core.drawing.study_figures import Axes
from gfx_core.text.numbers import listed

_OTHER_PARENTS = ("gflow_graph", "gflow_sequence")
_NAMED = 2  # at most so many are named in a sentence


def _residual(record: Record) -> float | None:
    """Of the states that a policy visits; none where it stops at once, so that no state has an in-flow to compare."""
    return record["values"].get("residual") or None


class Convergence(Study):
    name = "convergence"
    purpose = "flow matching by kinds of parents, and trajectory balance, along their training"
    title = "Losses and ablations"
    short = "Losses"
    question = "Which loss, and which parents of a state, bring the policy to its target?"
    value = "auc_own"
    datasets: ClassVar = {name: Study.datasets[name] for name in ("ba_shapes", "tree_cycles")}
    methods: ClassVar = {name: title for name, (title, _, _) in TRAININGS.items()}
    variants = ("shipped", "paper")
    variant_titles: ClassVar = {"shipped": "our network", "paper": "the paper's network"}
    seeds = 3
    quick_options: ClassVar = {"limit": 6, "epochs": 3}
    shown = (
        Quantity("distance", "Total variation from R/Z, where subgraphs can be listed", "low"),  # the question's number
        Quantity("auc_own", "AUC, own motif, edge marginals", "high"),
        Quantity(_residual, "|log in-flow − log out-flow| at the end, all valid parents", "low", close=0),
        Quantity("log_reward", "Mean log R of a sample"),
        Quantity("log_z_error", "|learned log Z − log Z|", "low", some=True, close=0),
    )
    axes = Axes(
        "epoch",
        "epoch",
        {"loss": "loss", "residual": "|residual|", "log_reward": "mean log R"},
        variants=True,
        logarithmic=("loss", "residual"),
    )
    costs: ClassVar = {"ba_shapes": 2.0, "ba_community": 4.0}

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.training_runs import train

        return train(cell)

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Which training comes nearest to its target: the rows that the table of distances sets off."""
        table = self.by_method(records, self.shown[0])
        said, nearest = [], []
        for dataset, title in table.columns.items():
            order = dict(sorted(table.means(dataset).items(), key=lambda pair: pair[1]))
            if order:
                said.append(f"{title}: {', '.join(f'{label} {mean:.3f}' for label, mean in order.items())}")
            if best := table.best_of(dataset):
                nearest.append(f"on {title} {_nearest([label for label in order if label in best], len(order))}")
        if not said:
            return []
        found = "; ".join(nearest) or "no training comes nearer to P ∝ R than the others"
        return [
            Verdict(
                "Distance from R/Z",
                f"{found[0].upper()}{found[1:]} (within {CLOSE}: level). All learn the same reward, which is ours; the "
                "paper's network scores a node without seeing the whole set, and learns STOP, in small batches.",
                f"Total variation, nearest first. {'; '.join(said)}.",
                _why(means(records, "distance", self.variants[0])),
            )
        ]

    def line(self, records: Sequence[Record]) -> Mapping[str, Sequence[float]]:
        """What seed 0 came to by epoch."""
        return next((record["values"]["curve"] for record in records if record["seed"] == 0), {})


def _nearest(names: Sequence[str], count: int) -> str:
    """Who comes nearest: by name, or their number where many are level."""
    if len(names) > _NAMED:
        return f"{len(names)} of {count} trainings come about equally near to P ∝ R, {names[0]} nearest of all"
    return f"{listed(names)} {'comes' if len(names) == 1 else 'come'} nearest to P ∝ R"


def _why(distances: Means) -> str:
    """What counting other parents than a state has comes to, where it was measured everywhere and costs something."""
    others = [(by[OWN], by[name]) for by in distances.values() for name in _OTHER_PARENTS if {name, OWN} <= set(by)]
    if not others or any(other <= valid or level(other, valid) for valid, other in others):
        return ""
    return (
        "GFlow-Graph and GFlow-Sequence count other parents than a state has, so they are trained towards another "
        "distribution, and end farther away everywhere."
    )
