"""What a recorded training shows of each state: its orders, how often it should be drawn, how often it is.

It needs no torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.text.numbers import counted, listed, ranges, solid_percent
from gfx_core.training.recording import Recording, Scene, decode_probabilities


@dataclass(frozen=True)
class WatchedState:
    """A state at the end of a training.

    Attributes:
        name: Its nodes.
        orders: In how many orders it can be built.
        target: R/Z.
        by_orders: What it would be if every order had the whole reward: orders · R over the sum of all of these.
        drawn: P(stop) under the policy of each lane.
    """

    name: str
    orders: int
    target: float
    by_orders: float
    drawn: tuple[float, ...]


def orders(scene: Scene) -> Doubles:
    """In how many orders each state of a listed scene can be built. [S]"""
    found = np.zeros(len(scene.states))
    found[[len(state) == 1 for state in scene.states]] = 1
    for parent, child, _ in sorted(scene.links, key=lambda link: len(scene.states[link[1]])):
        found[child] += found[parent]
    return found


def watched_states(recording: Recording) -> tuple[WatchedState, ...]:
    """All states of a recording whose lanes train on one instance under one reward, at its end.

    Raises:
        ValueError: Its states are not listed.
    """
    scene = recording.lanes[0].scenes[-1]
    last = [lane.frames[-1].stop for lane in recording.lanes]
    if scene.target is None or None in last:
        raise ValueError("the states of this recording are not listed")
    target, ways = decode_probabilities(scene.target), orders(scene)
    weight = ways * np.exp(np.array(scene.log_reward) - max(scene.log_reward))
    drawn = np.stack([decode_probabilities(stop) for stop in last if stop is not None], axis=1)  # [S, lanes]
    labels = [node.label for node in scene.nodes]
    return tuple(
        WatchedState(
            _named([labels[node] for node in state]),
            int(ways[at]),
            float(target[at]),
            float(weight[at] / weight.sum()),
            tuple(map(float, drawn[at])),
        )
        for at, state in enumerate(scene.states)
    )


def _named(labels: Sequence[str]) -> str:
    """The nodes of a set as one word where they are letters, or as few numbers as say it."""
    if all(label.isdecimal() for label in labels):
        return ranges(sorted(map(int, labels)))
    return ("" if max(map(len, labels)) == 1 else "–").join(sorted(labels))


def most_wrong(states: tuple[WatchedState, ...], lane: int) -> int:
    """The state that a lane draws too often by most."""
    return max(range(len(states)), key=lambda at: states[at].drawn[lane] - states[at].target)


def state_words(state: WatchedState, names: tuple[str, ...]) -> str:
    """What is to be seen of a state, in sentences."""
    drawn = listed([f"{name}: **{solid_percent(share)}**" for name, share in zip(names, state.drawn, strict=True)])
    return (
        f"**{state.name}** can be built in **{counted(state.orders, 'order')}** and should be drawn in "
        f"**{solid_percent(state.target)}** of cases (R/Z). {drawn}. If every order had the whole reward, it would be "
        f"{solid_percent(state.by_orders)}."
    )
