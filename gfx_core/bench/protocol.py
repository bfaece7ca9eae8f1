"""What studies and what measures their cells agree on. Light: a page reads it too."""

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

Curve = list[dict[str, float]]
"""AUC and seconds along a training."""


def settled(curve: Curve, goal: float | None = None) -> int:
    """From which point on the AUC stays within `TOLERANCE` of its last value or, with a goal, not below the goal."""
    last = curve[-1]["auc"]
    good = [abs(p["auc"] - last) <= TOLERANCE if goal is None else p["auc"] >= goal for p in curve]
    return max((number + 1 for number, fine in enumerate(good) if not fine), default=0)
