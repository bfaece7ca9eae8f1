"""What a live training takes, before it is begun. Needs no torch."""

from gfx_core.training.setting import LaneSetting

SOON_S = 60.0
"""A training that takes longer is worth a word before it begins."""
_STEP_S, _NODE_S, _BATCH = 0.02, 0.0005, 64
"""Seconds of a step of so many trajectories on one core, and what each node adds: measured on BA-Shapes and
BA-Community, from 196 to 1,248 nodes. Hubs take up to twice as long."""


def step_seconds(setting: LaneSetting, num_nodes: int) -> float:
    """What a step takes on an instance of so many nodes, about."""
    return (_STEP_S + _NODE_S * num_nodes) * setting.batch / _BATCH


def shorter(step_s: float) -> int:
    """About as many steps of so many seconds as are done soon: 10, 20, 50, 100, …"""
    return max(
        (steps for steps in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if steps * step_s <= SOON_S), default=10
    )
