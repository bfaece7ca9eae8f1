"""Recordings of trainings that never took place: consistent numbers on a small state DAG, made in no time.

The states are the connected subsets of a grid with a tail that hold the start node. The policy of a frame lies on the
way from a random one to the exact one, and everything else of the frame is computed from it.
"""

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
State = tuple[int, ...]


@dataclass(frozen=True)
class Toy:
    """What is made.

    Attributes:
        lanes: One or two; a second lane learns more slowly and towards less.
        listed: Whether all states are listed, else they appear as they are visited.
        frames: How many in each lane.
        rows, columns: Of the grid.
        max_nodes: Of a state.
        most: The most states; those beyond are left out.
        changed: The frame at which β was changed, which gives a second scene; 0 for none.
        seed: Of all that is random.
    """

    lanes: int = 1
    listed: bool = True
    frames: int = 24
    rows: int = 2
    columns: int = 3
    max_nodes: int = 5
    most: int = 2000
    changed: int = 0
    seed: int = 0


LARGE = Toy(lanes=2, frames=16, rows=2, columns=8, max_nodes=12, most=1500)
"""As many states as are ever listed, in both lanes."""


def toy_recording(toy: Toy = Toy()) -> dict[str, Any]:  # noqa: B008
    """A Recording as JSON has it."""
    lanes = [_lane(toy, lane) for lane in range(toy.lanes)]
    return {
        "schema": 1,
        "kind": "training",
        "title": "A grid with a tail",
        "made": {"by": "toy_recording"},
        "lanes": lanes,
    }


def code(values: Numbers) -> str:
    """Probabilities as text. [n]"""
    return _text(np.sqrt(np.clip(values, 0, 1)) * 65535)


def residual_code(values: Numbers) -> str:
    """Residuals as text. [n]"""
    return _text((np.clip(values, -8, 8) + 8) / 16 * 65535)


def _text(values: Numbers) -> str:
    return base64.b64encode(np.round(values).astype("<u2").tobytes()).decode()


@dataclass(frozen=True)
class _World:
    """The state DAG of a toy, with its exact flows."""

    edges: list[tuple[int, int]]
    states: list[State]
    links: list[tuple[int, int, int]]
    log_reward: Numbers  # [S]
    target: Numbers  # [S]
    exact: Numbers  # [E]
    log_z: float

    def marginals(self, stop: Numbers) -> list[float]:
        """How probable each edge of the graph is where a trajectory ends. [edges]"""
        inside = [set(state) for state in self.states]
        holds = [[a in nodes and b in nodes for nodes in inside] for a, b in self.edges]
        return [round(float(stop[np.array(row, dtype=bool)].sum()), 4) for row in holds]

    def flow(self, share: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Through each link, to STOP, and through each state, by the policy's share of each link. [E], [S], [S]"""
        through, links = np.zeros(len(self.states)), np.zeros(len(self.links))
        through[0] = 1
        stop = np.ones(len(self.states))
        for index, (parent, child, _) in enumerate(self.links):  # parents come before their children
            links[index] = through[parent] * share[index]
            through[child] += links[index]
            stop[parent] -= share[index]
        return links, through * stop, through


def _grid(toy: Toy) -> list[tuple[int, int]]:
    """A grid, and a tail of two nodes at its last corner."""
    at = lambda row, column: row * toy.columns + column  # noqa: E731
    across = [(at(r, c), at(r, c + 1)) for r in range(toy.rows) for c in range(toy.columns - 1)]
    down = [(at(r, c), at(r + 1, c)) for r in range(toy.rows - 1) for c in range(toy.columns)]
    last = toy.rows * toy.columns
    return [*across, *down, (last - 1, last), (last, last + 1)]


def _world(toy: Toy, beta: float) -> _World:
    edges = _grid(toy)
    near: dict[int, set[int]] = {}
    for a, b in edges:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    states: list[State] = [(0,)]
    index = {frozenset(states[0]): 0}
    links = []
    at = 0
    while at < len(states):
        state = states[at]
        reach = sorted(set().union(*(near[node] for node in state)) - set(state)) if len(state) < toy.max_nodes else []
        for node in reach:
            key = frozenset((*state, node))
            if key not in index and len(states) < toy.most:
                index[key] = len(states)
                states.append((*state, node))
            if key in index:
                links.append((at, index[key], node))
        at += 1
    wanted = set(range(toy.columns)) | {toy.columns}
    rng = np.random.default_rng(7)
    fits = np.array([len(wanted & set(state)) - 0.7 * len(set(state) - wanted) for state in states])
    log_reward = beta * (fits + 0.4 * rng.normal(size=len(states)))
    parents = np.bincount([child for _, child, _ in links], minlength=len(states))
    total = np.exp(log_reward)
    for parent, child, _ in reversed(links):  # children come after their parents
        total[parent] += total[child] / parents[child]
    exact = np.array([total[child] / parents[child] for _, child, _ in links]) / total[0]
    target = np.exp(log_reward) / total[0]
    return _World(edges, states, links, log_reward, target, exact, float(np.log(total[0])))


def _scene(toy: Toy, world: _World, first: int) -> dict[str, Any]:
    count = toy.rows * toy.columns
    places = [(k % toy.columns, -(k // toy.columns)) for k in range(count)]
    places += [(toy.columns - 0.1, 1 - toy.rows - 0.4), (toy.columns + 0.7, 1 - toy.rows)]
    motif = set(range(toy.columns + 1))
    scene: dict[str, Any] = {
        "from": first,
        "nodes": [
            {"x": float(x), "y": float(y), "label": str(k), "element": None, "motif": k in motif}
            for k, (x, y) in enumerate(places)
        ],
        "edges": [[a, b, 1, a in motif and b in motif] for a, b in world.edges],
        "start": 0,
        "classes": ["plain", "corner"],
        "predicted": 1,
        "probability": 0.97,
        "has_truth": True,
        "listed": toy.listed,
        "states": [list(state) for state in world.states] if toy.listed else [list(world.states[0])],
        "log_reward": [round(float(value), 4) for value in world.log_reward[: None if toy.listed else 1]],
        "links": [list(link) for link in world.links] if toy.listed else [],
    }
    known = {
        "target": code(world.target),
        "exact": code(world.exact),
        "log_z": round(world.log_z, 4),
        "target_marginals": world.marginals(world.target),
    }
    return {**scene, **(known if toy.listed else dict.fromkeys(known))}


def _lane(toy: Toy, lane: int) -> dict[str, Any]:
    rng = np.random.default_rng(toy.seed + lane)
    worlds = [_world(toy, beta) for beta in ((0.9, 2.0) if toy.changed else (0.9,))]
    scenes = [_scene(toy, world, first) for world, first in zip(worlds, (0, toy.changed), strict=False)]
    noise = rng.normal(size=len(worlds[0].links)) - 0.6
    seen = _Seen(toy, [[0] for _ in worlds], [[] for _ in worlds])
    frames = []
    for number in range(toy.frames):
        scene = int(0 < toy.changed <= number)
        learned = (0.97 - 0.3 * lane) * (1 - np.exp(-4 * number / toy.frames / (1 + lane)))
        change = {"change": {"beta": 2.0}} if toy.changed and number == toy.changed else {}
        frames.append({**_frame(worlds[scene], seen, (number, scene, learned), noise, rng), **change})
    name = ("Flow matching", "GFlow-Sequence")[lane]
    setting = {"learner": "network", "loss": "fm", "seed": lane, "beta": 0.9, "steps": 50 * (toy.frames - 1)}
    return {"name": name, "setting": setting, "scenes": scenes, "frames": frames, "end": "Done."}


@dataclass
class _Seen:
    """What an unlisted training has come across, by scene: states and links of the world, in this order."""

    toy: Toy
    states: list[list[int]]
    links: list[list[int]]


def _frame(
    world: _World, seen: _Seen, moment: tuple[int, int, float], noise: Numbers, rng: np.random.Generator
) -> dict[str, Any]:
    number, scene, learned = moment
    through = np.zeros(len(world.states))
    through[0] = 1
    for index, (_, child, _) in enumerate(world.links):
        through[child] += world.exact[index]
    parent = np.array([link[0] for link in world.links])
    ideal = np.log(world.exact / through[parent])
    share = np.exp(learned * ideal + (1 - learned) * noise)
    stop = np.exp(learned * np.log(world.target / through) + (1 - learned) * 0.5)
    total = stop + np.bincount(parent, share, minlength=len(world.states))
    policy = share / total[parent]
    flow, stops, passed = world.flow(policy)
    residuals = (1 - learned) * 2.5 * rng.normal(size=len(world.states))
    residuals[0] = 0
    paths = [_path(world, policy, rng) for _ in range(8)]
    ends = [world.states.index(tuple(p)) if tuple(p) in world.states else _find(world, p) for p in paths]
    frame: dict[str, Any] = {
        "step": 50 * number,
        "seconds": round(0.4 * number, 2),
        "scene": scene,
        "loss": round(float((residuals**2).mean()) + 0.002, 5),
        "residual": round(float(np.abs(residuals).mean()), 4),
        "log_reward": round(float(world.log_reward[ends].mean()), 4),
        "size": round(float(np.mean([len(path) for path in paths])), 3),
    }
    if seen.toy.listed:
        return frame | {
            "total_variation": round(float(np.abs(stops - world.target).sum() / 2), 4),
            "log_z": round(world.log_z - (1 - learned), 4),
            "auc": round(0.5 + 0.5 * learned, 4),
            "stop": code(stops),
            "flow": code(flow),
            "residuals": residual_code(residuals),
            "visits": code(passed * (passed > 0.02 * (1 - learned))),
            "marginals": world.marginals(stops),
        }
    return frame | _unlisted(world, seen, scene, paths, policy, residuals)


def _unlisted(
    world: _World, seen: _Seen, scene: int, paths: list[list[int]], policy: Numbers, residuals: Numbers
) -> dict[str, Any]:
    states, links = seen.states[scene], seen.links[scene]
    before = len(states), len(links)
    between = {(parent, node): (index, child) for index, (parent, child, node) in enumerate(world.links)}
    for path in paths:
        at = 0
        for node in path[1:]:
            link, at = between[at, node]
            if at not in states:
                states.append(at)
            if link not in links:
                links.append(link)
    place = {state: k for k, state in enumerate(states)}
    new_links = [world.links[link] for link in links[before[1] :]]
    held = np.mean([[a in path and b in path for a, b in world.edges] for path in paths], axis=0)
    return {
        "total_variation": None,
        "log_z": 1.0,
        "auc": None,
        "states": [list(world.states[state]) for state in states[before[0] :]],
        "log_rewards": [round(float(world.log_reward[state]), 4) for state in states[before[0] :]],
        "links": [[place[parent], place[child], node] for parent, child, node in new_links],
        "stop": None,
        "flow": code(policy[links]),
        "residuals": residual_code(residuals[states]),
        "visits": code(1 / (1 + np.arange(len(states)))),
        "marginals": [round(float(value), 4) for value in held],
    }


def _path(world: _World, policy: Numbers, rng: np.random.Generator) -> list[int]:
    """The nodes of one trajectory, in order."""
    out: dict[int, list[int]] = {}
    for index, (parent, _, _) in enumerate(world.links):
        out.setdefault(parent, []).append(index)
    at, path = 0, [0]
    while True:
        mine = out.get(at, [])
        shares = np.append(policy[mine], max(0.0, 1 - policy[mine].sum())) if mine else np.ones(1)
        chosen = int(rng.choice(len(shares), p=shares / shares.sum()))
        if chosen == len(mine):
            return path
        _, at, node = world.links[mine[chosen]]
        path.append(node)


def _find(world: _World, path: list[int]) -> int:
    return next(k for k, state in enumerate(world.states) if set(state) == set(path))
