"""Recordings of trainings that never took place: consistent numbers on a small state DAG, made in no time.

The states are the connected subsets of a grid with a tail that hold the start node. The flows of a frame lie on the way
from random ones to the exact ones, and everything else of the frame is computed from them as of a training.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.paths import DagPaths
from gfx_core.exact.state_space import StateSpace
from gfx_core.training.codes import FARTHEST, decode_probabilities
from gfx_core.training.frames import StateFrames, as_json, instance_part, rounded
from gfx_core.training.lesson_graphs import LessonGraph, small_instance
from gfx_core.training.training import defaults_for

_MOTIF = (0, 1, 2, 3)
_EDGES = ((0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5), (5, 6), (6, 7))
_POSITIONS = ((0, 0), (1, 0), (2, 0), (0, -1), (1, -1), (2, -1), (2.9, -1.4), (3.7, -1))
_INSTANCE = replace(small_instance(_EDGES, _POSITIONS), node_names=tuple("01234567"))


def decode_residuals(text: str) -> Doubles:
    """Back from `encode_residuals`, as the browser does it. [n]"""
    return np.sqrt(decode_probabilities(text)) * (2 * FARTHEST) - FARTHEST


@dataclass(frozen=True)
class Toy:
    """What is made.

    Attributes:
        lanes: One or two; a second lane learns more slowly and towards less.
        frames: How many in each lane.
        changed: The frame at which β was changed, which gives a second scene; 0 for none.
    """

    lanes: int = 1
    frames: int = 24
    changed: int = 0


def toy_recording(toy: Toy = Toy()) -> dict[str, Any]:  # noqa: B008
    """A Recording as JSON has it."""
    return {
        "schema": 2,
        "kind": "training",
        "title": "A grid with a tail",
        "made": {"by": "toy_recording"},
        "lanes": [_lane(toy, number) for number in range(toy.lanes)],
    }


def _lane(toy: Toy, number: int) -> dict[str, Any]:
    dag, rng = enumerate_states(_INSTANCE, max_nodes=5), np.random.default_rng(number)
    fits = np.isin(dag.subsets, _MOTIF).sum(1) - 0.7 * ((dag.subsets >= 0) & ~np.isin(dag.subsets, _MOTIF)).sum(1)
    rewards = [beta * fits for beta in ((0.9, 2.0) if toy.changed else (0.9,))]
    noise = rng.normal(size=dag.num_edges + dag.num_states)
    frames = []
    for at in range(toy.frames):
        scene = int(0 < toy.changed <= at)
        learned = (0.97 - 0.3 * number) * (1 - np.exp(-4 * at / toy.frames / (1 + number)))
        frame = {"step": 50 * at, "seconds": round(0.4 * at, 2), "scene": scene, "loss": rounded(4 * (1 - learned))}
        frame |= _flows(dag, rewards[scene], learned, noise) | {"auc": rounded(0.5 + 0.5 * learned)}
        frame |= {"change": {"beta": 2.0}} if at == toy.changed > 0 else {}
        frames.append(frame)
    return {
        "name": ("Flow matching", "GFlow-Sequence")[number],
        **defaults_for(LessonGraph("toy")).as_dict(),
        "scenes": [_scene(dag, log_reward, number * toy.changed) for number, log_reward in enumerate(rewards)],
        "frames": frames,
        "end": "Done.",
    }


def _scene(dag: StateDag, log_reward: Doubles, first: int) -> dict[str, Any]:
    graph = instance_part(_INSTANCE, reasons=False, atoms=False)
    for number, node in enumerate(graph["nodes"]):
        node["motif"] = number in _MOTIF
    graph["edges"] = [[a, b, order, {a, b} <= set(_MOTIF)] for a, b, order, _ in graph["edges"]]
    about = {"start": 0, "classes": ["plain", "corner"], "predicted": 1, "probability": 0.97, "has_truth": True}
    return {
        "from": first,
        **graph,
        **about,
        **as_json(StateFrames(StateSpace(dag, log_reward), _INSTANCE).scene_part()),
    }


def _flows(dag: StateDag, log_reward: Doubles, learned: float, noise: Doubles) -> dict[str, Any]:
    """A frame's numbers for flows that have come this far."""
    space = StateSpace(dag, log_reward)
    states = StateFrames(space, _INSTANCE)
    edge = learned * space.log_edge + (1 - learned) * noise[: dag.num_edges]
    stop = learned * log_reward + (1 - learned) * noise[dag.num_edges :]
    paths = DagPaths(dag)
    sampled = paths.sample(edge, stop, np.random.default_rng(0).random((dag.num_levels, 100)))
    states.see(paths.orders(sampled, dag.num_levels))
    return as_json(states.frame_part(space.walk(edge, stop), edge, stop) | {"modes": learned})
