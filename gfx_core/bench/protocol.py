"""What studies and what measures their cells agree on. Light: a page reads it too."""

from collections.abc import Mapping, Sequence

from gfx_core.gfn.settings import Loss, Parents

SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5, "70 %": 0.7, "90 %": 0.9}
"""Of the instances that the inductive study trains on, by variant."""

TRAININGS: dict[str, tuple[str, Loss, Parents]] = {
    "gflowexplainer": ("Flow matching, valid parents", Loss.FLOW_MATCHING, Parents.VALID),
    "gflow_graph": ("GFlow-Graph", Loss.FLOW_MATCHING, Parents.GRAPH),
    "gflow_sequence": ("GFlow-Sequence", Loss.FLOW_MATCHING, Parents.SEQUENCE),
    "tb": ("Trajectory balance, log Z constant", Loss.TRAJECTORY_BALANCE, Parents.VALID),
    "tb_conditional": ("Trajectory balance, log Z(v₀)", Loss.TRAJECTORY_BALANCE_CONDITIONAL, Parents.VALID),
}
"""Title, loss and parents of each training of the study of losses."""

EXACT_NODES = {"tree_cycles": 8, "tree_grid": 8, "ba_2motifs": 5}
"""K_M where all states are listed to measure exactness, by data set."""

UNTRAINED, CONSTANT = "untrained", "constant_gnn"
CONTROLS = {UNTRAINED: "GFlowExplainer, untrained", CONSTANT: "GFlowExplainer, constant GNN"}
"""Explainers that cannot know the GNN's reasons, beside those that never ask it: a policy before its training, and one
that was trained on a GNN whose answer never changes."""

ENOUGH = 0.5
"""The motif is called the GNN's reason if the GNN, seeing the motif alone, gives its class at least this probability,
and more than the class's share of the data set."""

TOLERANCE = 0.01
"""An AUC this near to the last one counts as final."""
TV_TOLERANCE = 0.02
"""A total variation this near to the last one counts as final."""

Curve = Sequence[Mapping[str, float]]
"""Seconds, epoch, AUC and, where it is known, total variation along a training."""


def lasting(good: Sequence[bool]) -> int:
    """From which position on everything is good; their number if the last is not."""
    return max((number + 1 for number, fine in enumerate(good) if not fine), default=0)


def settled(values: Sequence[float], tolerance: float) -> int:
    """From which position on the values stay near the last one, on either side of it: a decline is not arrival."""
    return lasting([abs(value - values[-1]) <= tolerance for value in values])


def settling(curve: Curve) -> dict[str, float]:
    """When a training arrived, in seconds and epochs.

    ``auc_settled`` is from when on the AUC stays within `TOLERANCE` of its last value, ``tv_settled`` the same for the
    total variation and `TV_TOLERANCE`, ``tv_best`` when that is smallest, and ``settled`` when all that is known has
    settled. Values: the last AUC and total variation, and the best total variation.
    """
    if not curve:
        return {}
    auc = [point["auc"] for point in curve]
    found = {"auc_own": auc[-1]}
    at = {"auc_settled": settled(auc, TOLERANCE)}
    if all("tv" in point for point in curve):
        tv = [point["tv"] for point in curve]
        found |= {"tv": tv[-1], "tv_best": min(tv)}
        at |= {"tv_settled": settled(tv, TV_TOLERANCE), "tv_best": tv.index(min(tv))}
    at["settled"] = max(at[name] for name in ("auc_settled", "tv_settled") if name in at)
    for name, position in at.items():
        found |= {f"{name}_s": curve[position]["seconds"], f"{name}_epoch": curve[position]["epoch"]}
    return found
