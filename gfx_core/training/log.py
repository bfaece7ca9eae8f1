"""TrainingLog: a recording of anybody's GFlowNet, which Train opens and plays like one of its own. Needs no torch.

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
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Doubles, Ints
from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.state_space import StateSpace, logsumexp_by
from gfx_core.training import codes, recording
from gfx_core.training.frames import rounded
from gfx_core.training.recording import Recording

MAX_STATES, MAX_EDGES = 50_000, 500_000
MAX_LABEL = 60
_SAME = 1e-6  # rewards that differ by less are equally good


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
        config: dict[str, Any] | None = None,
    ) -> None:
        self.title, self._config, self._began = title, config or {}, time.perf_counter()
        labels, pairs = [str(label) for label in states], np.asarray(edges, dtype=np.int64).reshape(-1, 2)
        reward = np.asarray(log_reward, dtype=np.float64)
        if not labels or len(labels) > MAX_STATES or len(pairs) > MAX_EDGES:
            raise UserError(
                f"A log has 1 to {MAX_STATES:,} states and up to {MAX_EDGES:,} edges (got {len(labels):,} and "
                f"{len(pairs):,}): log a smaller problem, or a part of it."
            )
        if any(len(label) > MAX_LABEL for label in labels):
            raise UserError(f"A label has at most {MAX_LABEL} letters.")
        if reward.shape != (len(labels),) or np.isnan(reward).any() or (reward == np.inf).any():
            raise UserError(f"log_reward must be {len(labels):,} numbers, one for each state, −inf where none ends.")
        if not np.isfinite(reward).any():
            raise UserError("No state has a reward: a trajectory must be able to end somewhere.")
        if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(labels)):
            raise UserError(f"An edge names a state that is not there: they are numbered from 0 to {len(labels) - 1}.")
        level = _levels(pairs, labels)
        order = np.argsort(level, kind="stable")  # states by their distance from the start
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        self._order, self._labels = order, [labels[state] for state in order]
        self._edges = np.lexsort((place[pairs[:, 1]], place[pairs[:, 0]]))
        parent, child = place[pairs[self._edges]].T
        self.space = StateSpace(StateDag.of_levels(level[order], parent, child), reward[order])
        chosen = np.flatnonzero(reward >= reward.max() - _SAME) if modes is None else np.array(list(modes))
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < len(labels)):
            raise UserError("A mode is a state that is not there.")
        self._place, self._modes = place, np.sort(place[chosen])
        self._ended = np.zeros(len(labels), dtype=bool)
        self._frames: list[dict[str, Any]] = []

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
                trajectory balance. Then ``log_z`` must be given.
            loss: Of the latest step.
            ended: Where trajectories have ended since the moment before; tells which modes were found.
            seconds: Of training so far; by default since the log was made.
        """
        flow, stop = self._numbers(log_flow, log_stop)
        if self._frames and step < self._frames[-1]["step"]:
            raise UserError(f"Steps must not go back (got {step} after {self._frames[-1]['step']}).")
        space = self.space
        walk = space.walk(flow, stop)
        if policy:
            if log_z is None:
                raise UserError("With a policy’s probabilities (policy=True) give log_z too.")
            flow, stop = log_z + walk.step, log_z + walk.stop
        log_out = np.logaddexp(logsumexp_by(flow, space.parent, space.num_states), space.log_reward)
        log_in = logsumexp_by(flow, space.child, space.num_states)
        with np.errstate(invalid="ignore"):
            apart = np.where(np.isfinite(log_in) & np.isfinite(log_out), log_in - log_out, 0.0)
        apart[0] = 0.0
        self._ended[self._place[np.array(list(ended), dtype=np.int64)]] = True
        passed = time.perf_counter() - self._began if seconds is None else float(seconds)
        stops, visits = np.exp(walk.stop), np.exp(walk.visit)
        there = stops > 0
        self._frames.append(
            {
                "step": int(step),
                "seconds": round(passed, 3),
                "scene": 0,
                "loss": rounded(None if loss is None else float(loss)),
                "residual": rounded(
                    float(np.average(np.abs(apart[1:]), weights=visits[1:])) if visits[1:].any() else 0.0
                ),
                "size": rounded(float(stops @ (space.size - 1))),
                "visits": codes.encode_probabilities(visits),
                "residuals": codes.encode_residuals(apart),
                "marginals": [],
                "log_reward": rounded(float(stops[there] @ space.log_reward[there])),
                "total_variation": rounded(space.total_variation(walk.stop)),
                "log_z": rounded(float(log_out[0]) if log_z is None else float(log_z)),
                "auc": None,
                "modes": rounded(float(self._ended[self._modes].mean())) if self._ended.any() else None,
                "stop": codes.encode_probabilities(stops),
                "flow": codes.encode_probabilities(np.exp(walk.step)),
            }
        )

    def _numbers(self, log_flow: ArrayLike, log_stop: ArrayLike | None) -> tuple[Doubles, Doubles]:
        """The flows by the log's own order of states and edges, checked."""
        flow = np.asarray(log_flow, dtype=np.float64)
        if flow.shape != (self.space.num_edges,) or np.isnan(flow).any():
            raise UserError(
                f"log_flow must be {self.space.num_edges:,} numbers, one for each edge (got {list(flow.shape)}, "
                f"{int(np.isnan(flow).sum())} of them no number)."
            )
        if log_stop is None:
            return flow[self._edges], self.space.log_reward
        stop = np.asarray(log_stop, dtype=np.float64)
        if stop.shape != (self.space.num_states,) or np.isnan(stop).any():
            raise UserError(f"log_stop must be {self.space.num_states:,} numbers, one for each state.")
        return flow[self._edges], np.where(np.isfinite(self.space.log_reward), stop[self._order], -np.inf)

    def recording(self) -> Recording:
        """What was recorded so far, as Train reads it."""
        space, target = self.space, np.exp(self.space.log_target)
        scene = {
            "from": 0,
            "nodes": [],
            "edges": [],
            "start": 0,
            "classes": [],
            "predicted": 0,
            "probability": 1.0,
            "has_truth": False,
            "listed": True,
            "labels": self._labels,
            "states": [[] for _ in self._labels],
            "log_reward": [rounded(value) for value in space.log_reward.tolist()],
            "links": np.stack([space.parent, space.child, space.node], 1).tolist(),
            "target": codes.encode_probabilities(target),
            "exact": codes.encode_probabilities(np.exp(space.log_edge - space.log_z[0])),
            "log_z": rounded(float(space.log_z[0])),
            "target_marginals": [],
            "modes": self._modes.tolist(),
        }
        lane = {"name": self.title, "question": {}, "config": self._config, "scenes": [scene], "frames": self._frames}
        return Recording.from_dict(
            {
                "schema": recording.SCHEMA,
                "kind": "training",
                "title": self.title,
                "made": provenance("cpu", time.perf_counter() - self._began),
                "lanes": [lane | {"end": None}],
            }
        )

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


def _levels(edges: Ints, labels: Sequence[str]) -> Ints:
    """The length of the longest way from the start to each state. [S]"""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(labels)))
    graph.add_edges_from(edges.tolist())
    if graph.in_degree(0):
        raise UserError(f"An edge leads back to the start, “{labels[0]}”: the first state must have no parent.")
    if orphan := next((state for state in graph if state and not graph.in_degree(state)), 0):
        raise UserError(f"The state “{labels[orphan]}” has no parent: no trajectory can reach it.")
    level = np.zeros(len(labels), dtype=np.int64)
    try:
        for distance, states in enumerate(nx.topological_generations(graph)):
            level[states] = distance
    except nx.NetworkXUnfeasible as error:
        through = labels[min(min(nx.find_cycle(graph)))]
        raise UserError(f"The states form a cycle through “{through}”: a DAG has none.") from error
    return level
