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
from gfx_core.training.frames import StateFrames, as_json
from gfx_core.training.recording import Recording

MAX_STATES, MAX_EDGES = 50_000, 500_000
MAX_LABEL = 60
"""Longer labels are cut."""
SAME = 1e-6
"""Rewards that differ by less are equally good: the states of the highest one are the modes."""


class TrainingLog:
    """What was recorded of one training.

    Args:
        title: What the recording is called.
        states: A label for each state; the first is the start.
        edges: The state that each action leaves and the one that it leads to, by number. [E, 2]
        log_reward: log R of each state; −inf where a trajectory cannot end. [S]
        config: How it was trained, as plain JSON, to be kept with it.

    Raises:
        UserError: There is a cycle, a state that cannot be reached, or too many of them; the sentence names which.
    """

    def __init__(
        self,
        title: str,
        states: Sequence[str],
        edges: Sequence[Sequence[int]] | Ints,
        log_reward: ArrayLike,
        config: Json | None = None,
    ) -> None:
        self.title, self._config, self._began = title, config or {}, time.perf_counter()
        labels, pairs = [str(label)[:MAX_LABEL] for label in states], np.asarray(edges, dtype=np.int64).reshape(-1, 2)
        if not 0 < len(labels) <= MAX_STATES or len(pairs) > MAX_EDGES:
            raise UserError(
                f"A log has 1 to {MAX_STATES:,} states and up to {MAX_EDGES:,} edges (got {len(labels):,} and "
                f"{len(pairs):,}): log a smaller problem, or a part of it."
            )
        reward = _numbers("log_reward", log_reward, len(labels))
        if not np.isfinite(reward.max()):
            raise UserError("log_reward must be finite where a trajectory can end, and −inf where it cannot.")
        generations = _generations(pairs, labels)
        self._order = np.concatenate(generations)  # states by their distance from the start
        number = np.argsort(self._order)
        self._edges = np.lexsort(number[pairs[:, ::-1]].T)
        self._labels = [labels[state] for state in self._order]
        level = np.repeat(np.arange(len(generations)), list(map(len, generations)))
        self.space = StateSpace(StateDag.of_levels(level, *number[pairs[self._edges]].T), reward[self._order])
        modes = np.flatnonzero(self.space.log_reward >= reward.max() - SAME)
        self._states = StateFrames(self.space, modes=modes.tolist())
        self._number, self._frames = number, list[Json]()

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
        """
        space, stop = self.space, self.space.log_reward
        flow = _numbers("log_flow", log_flow, len(self._edges))[self._edges]
        if log_stop is not None:
            log_stop = _numbers("log_stop", log_stop, len(self._order))[self._order]
            stop = np.where(np.isfinite(stop), log_stop, -np.inf)
        if self._frames and step < self._frames[-1]["step"]:
            raise UserError(f"Steps must not go back (got {step} after {self._frames[-1]['step']}).")
        walk = space.walk(flow, stop)
        if policy:
            if log_z is None:
                raise UserError("With a policy’s probabilities (policy=True) give log_z too.")
            flow, stop = log_z + walk.step, space.log_reward
        self._states.ended[self._number[list(ended)]] = True
        part = self._states.frame_part(walk, flow, stop)
        part["size"] -= 1  # actions: the start is no node
        if log_z is not None:
            part["log_z"] = float(log_z)
        seconds = round(time.perf_counter() - self._began, 3)
        head = {"step": int(step), "seconds": seconds, "scene": 0, "loss": None if loss is None else float(loss)}
        self._frames.append(as_json(head | part | {"auc": None}))

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
        about = {"title": self.title, "made": provenance("cpu", time.perf_counter() - self._began)}
        return Recording.from_dict(about | {"lanes": [lane | {"end": None}]})

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


def _numbers(name: str, values: ArrayLike, count: int) -> Doubles:
    """One number for each state or edge."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (count,) or np.isnan(numbers).any():
        raise UserError(
            f"{name} must be {count:,} numbers, one for each {'edge' if name == 'log_flow' else 'state'} (got "
            f"{list(numbers.shape)}, {np.isnan(numbers).sum()} of them no number)."
        )
    return numbers


def _generations(edges: Ints, labels: Sequence[str]) -> list[list[int]]:
    """The states by the length of the longest way from the start."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(labels)))
    graph.add_edges_from(edges.tolist())
    if len(graph) > len(labels):
        raise UserError(f"An edge names a state that is not there: they are numbered from 0 to {len(labels) - 1}.")
    try:
        generations = list(map(sorted, nx.topological_generations(graph)))
    except nx.NetworkXUnfeasible as error:
        through = labels[min(min(nx.find_cycle(graph)))]
        raise UserError(f"The states form a cycle through “{through}”: a DAG has none.") from error
    if generations[0] != [0]:
        raise UserError(f"The state “{labels[generations[0][-1]]}” has no parent: no trajectory can reach it.")
    return generations
