"""TrainingLog: a recording of any GFlowNet, which Train opens and plays like one of its own. Needs no torch.

    log = TrainingLog("Hypergrid", states=labels, edges=edges, log_reward=log_reward)
    for step in range(1000):
        loss = my_training_step()
        if step % 20 == 0:
            log.add(step, log_flow=my_log_flows(), loss=loss)
    log.write("hypergrid.json")

In a notebook a log plays by itself. All states are listed, so what the policy does is known exactly: where it stops,
how far that is from R/Z, and by how much in-flow and out-flow of each state differ.
"""

import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Doubles, Ints
from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.state_space import StateSpace
from gfx_core.json_files import Json
from gfx_core.training import recording
from gfx_core.training.frames import ListedFrames, as_json, balance
from gfx_core.training.recording import Recording

MAX_STATES, MAX_EDGES = 50_000, 500_000
MAX_LABEL = 60
SAME = 1e-6
"""Rewards that differ by less are equally good."""


class TrainingLog:
    """What was recorded of one training.

    Args:
        title: What the recording is called.
        states: A label for each state; the first is the start.
        edges: The state that each action leaves and the one that it leads to, by number. [E, 2]
        log_reward: log R of each state; −inf where a trajectory cannot end. [S]
        modes: The states that count as modes; by default those of the highest reward.
        config: How it was trained, as plain JSON, to be kept with it.

    Raises:
        UserError: There is a cycle, a state that cannot be reached, or too many of them; the sentence says which.
    """

    def __init__(
        self,
        title: str,
        states: Sequence[str],
        edges: Sequence[Sequence[int]] | Ints,
        log_reward: ArrayLike,
        modes: Iterable[int] | None = None,
        config: Json | None = None,
    ) -> None:
        self.title, self._config, self._began = title, config or {}, time.perf_counter()
        labels, pairs = [str(label) for label in states], np.asarray(edges, dtype=np.int64).reshape(-1, 2)
        count, reward = len(labels), np.asarray(log_reward, dtype=np.float64)
        best = range(count) if modes is None else list(modes)
        if not 0 < count <= MAX_STATES or len(pairs) > MAX_EDGES:
            raise UserError(
                f"A log has 1 to {MAX_STATES:,} states and up to {MAX_EDGES:,} edges (got {count:,} and "
                f"{len(pairs):,}): log a smaller problem, or a part of it."
            )
        if max(map(len, labels)) > MAX_LABEL:
            raise UserError(f"A label has at most {MAX_LABEL} letters.")
        if reward.shape != (count,) or not (reward < np.inf).all():
            raise UserError(f"log_reward must be {count:,} numbers, one for each state, −inf where none ends.")
        if not np.isfinite(reward).any():
            raise UserError("No state has a reward: a trajectory must be able to end somewhere.")
        if not {*pairs.ravel().tolist(), *best} <= set(range(count)):
            raise UserError(
                f"An edge or a mode names a state that is not there: they are numbered from 0 to {count - 1}."
            )
        if modes is None:
            best = np.flatnonzero(reward >= reward.max() - SAME).tolist()
        generations = _generations(pairs, labels)
        self._order = np.concatenate(generations)  # states by their distance from the start
        self._number = np.argsort(self._order)
        self._edges = np.lexsort(self._number[pairs[:, ::-1]].T)
        self._labels = [labels[state] for state in self._order]
        level = np.repeat(np.arange(len(generations)), list(map(len, generations)))
        dag = StateDag.of_levels(level, *self._number[pairs[self._edges]].T)
        self.space = StateSpace(dag, reward[self._order])
        self._states = ListedFrames(self.space, modes=np.sort(self._number[best]).tolist())
        self._frames: list[Json] = []

    def add(
        self,
        step: int,
        log_flow: ArrayLike,
        log_stop: ArrayLike | None = None,
        *,
        log_z: float | None = None,
        policy: bool = False,
        loss: float | None = None,
        ended: Iterable[int] = (),
        seconds: float | None = None,
    ) -> None:
        """Record one moment.

        Args:
            step: Gradient steps so far, not fewer than before.
            log_flow: log F along each edge, in the order of the edges. [E]
            log_stop: log F from each state to STOP; by default log R. [S]
            log_z: What the training takes for log Z; by default what leaves the start.
            policy: Whether ``log_flow`` and ``log_stop`` are log P_F instead: log-probabilities of a policy, as of
                trajectory balance. Then ``log_z`` must be given. As in-flow and out-flow of a policy always match,
                residuals compare its flows with R.
            loss: Of the latest step.
            ended: Where trajectories have ended since the moment before; shows which modes were reached.
            seconds: Of training so far; by default since the log was made.
        """
        space, reward = self.space, self.space.log_reward
        flow = self._numbers("log_flow", log_flow, self._edges)
        stop = reward if log_stop is None else self._numbers("log_stop", log_stop, self._order)
        stop = np.where(np.isfinite(reward), stop, -np.inf)
        if self._frames and step < self._frames[-1]["step"]:
            raise UserError(f"Steps must not go back (got {step} after {self._frames[-1]['step']}).")
        walk = space.walk(flow, stop)
        if policy:
            if log_z is None:
                raise UserError("With a policy’s probabilities (policy=True) give log_z too.")
            flow, stop = log_z + walk.step, reward
        self._states.ended[self._number[list(ended)]] = True
        part = self._states.frame_part(walk, *balance(space, flow, stop))
        part["size"] -= 1  # actions: the start is no node
        if log_z is not None:
            part["log_z"] = float(log_z)
        passed = time.perf_counter() - self._began if seconds is None else float(seconds)
        loss = None if loss is None else float(loss)
        head = {"step": int(step), "seconds": round(passed, 3), "scene": 0, "loss": loss, "auc": None}
        self._frames.append(as_json(head | part))

    def _numbers(self, name: str, values: ArrayLike, order: Ints) -> Doubles:
        """One number for each state or edge, in the log's own order."""
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.shape != order.shape or np.isnan(numbers).any():
            raise UserError(
                f"{name} must be {len(order):,} numbers, one for each {'edge' if name == 'log_flow' else 'state'} (got "
                f"{list(numbers.shape)}, {np.isnan(numbers).sum()} of them no number)."
            )
        return numbers[order]

    def recording(self) -> Recording:
        """What was recorded so far, as Train reads it."""
        scene = {
            "from": 0,
            "nodes": [],
            "edges": [],
            "start": 0,
            "classes": [],
            "predicted": 0,
            "probability": 1.0,
            "has_truth": False,
            "labels": self._labels,
            **as_json(self._states.scene_part()),
        }
        lane = {"name": self.title, "question": {}, "config": self._config, "scenes": [scene], "frames": self._frames}
        made = provenance("cpu", time.perf_counter() - self._began)
        return Recording.from_dict({"title": self.title, "made": made, "lanes": [lane | {"end": None}]})

    def __repr__(self) -> str:
        return f"TrainingLog({self.title}: {self.space.num_states} states, {len(self._frames)} moments)"

    def _repr_html_(self) -> str:
        """In a notebook it plays by itself."""
        if not self._frames:
            return "<p>Nothing was recorded yet.</p>"
        export = import_module("gfx_core.drawing.export")  # drawing stands above training
        return str(export.framed(export.train_html(self.recording().as_dict()), self.title))

    def write(self, path: str | Path) -> Path:
        """Write it to a JSON file; ``UserError`` where there is nothing to see yet."""
        if not self._frames:
            raise UserError("Nothing was recorded yet: call add() in the training loop.")
        recording.write(self.recording(), Path(path))
        return Path(path)


def _generations(edges: Ints, labels: Sequence[str]) -> list[list[int]]:
    """The states by the length of the longest way from the start."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(labels)))
    graph.add_edges_from(edges.tolist())
    try:
        first, *later = (sorted(states) for states in nx.topological_generations(graph))
    except (nx.NetworkXUnfeasible, ValueError) as error:
        through = labels[min(min(nx.find_cycle(graph)))]
        raise UserError(f"The states form a cycle through “{through}”: a DAG has none.") from error
    if orphans := [state for state in first if state]:
        raise UserError(f"The state “{labels[orphans[0]]}” has no parent: no trajectory can reach it.")
    return [first, *later]
