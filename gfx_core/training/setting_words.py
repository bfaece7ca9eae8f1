"""What the choices of a training are called, and names for lanes that differ in some of them. Needs no torch."""

from collections.abc import Sequence
from dataclasses import fields

from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.training.setting import Begin, LaneSetting, Learner, LearnsFrom, Network

WORDS: dict[str, dict[str, str]] = {
    "learner": {Learner.NETWORK: "network", Learner.TABLE: "table"},
    "learns_from": {LearnsFrom.TRAJECTORIES: "from trajectories", LearnsFrom.ALL: "from all states"},
    "loss": {
        Loss.FLOW_MATCHING: "flow matching",
        Loss.FLOW_MATCHING_LINEAR: "linear flow matching",
        Loss.TRAJECTORY_BALANCE: "trajectory balance, one log Z",
        Loss.TRAJECTORY_BALANCE_CONDITIONAL: "trajectory balance, log Z from the start node",
    },
    "parents": {Parents.VALID: "GFlowExplainer", Parents.SEQUENCE: "GFlow-Sequence", Parents.GRAPH: "GFlow-Graph"},
    "stop": {Stop.REWARD: "STOP from the reward", Stop.LEARNED: "STOP learned"},
    "network": {Network.OURS: "our network", Network.PAPER: "the paper’s network"},
    "begin": {Begin.SCRATCH: "from scratch", Begin.SHIPPED: "from the shipped policy"},
    "plain": {"True": "GNN of whole graphs only", "False": "GNN that knows fragments"},
}
"""What the choices are called."""

_SYMBOLS = {
    "seed": "seed {}",
    "epsilon": "ε = {:g}",
    "lr": "learning rate {:g}",
    "batch": "{} trajectories",
    "beta": "β = {:g}",
    "node_price": "node price {:g}",
    "similarity": "embedding price {:g}",
    "max_nodes": "K_M = {}",
    "steps": "{} steps",
}


def in_words(setting: LaneSetting, name: str) -> str:
    """One entry of a setting for people, such as “ε = 0.1” or “trajectory balance, one log Z”."""
    value = getattr(setting, name)
    if name in WORDS:
        return WORDS[name][str(value)]
    return setting.title if name == "question" else _SYMBOLS[name].format(value)


def lane_names(settings: Sequence[LaneSetting]) -> tuple[str, ...]:
    """A name for each lane: what tells it from the others, or what it is where it is alone."""
    differ = [f.name for f in fields(LaneSetting) if len({getattr(s, f.name) for s in settings}) > 1]
    shown = [name for name in differ if name != "steps"] or differ or ["learner", "loss"]
    return tuple(", ".join(in_words(setting, name) for name in shown) for setting in settings)
