"""What batching and incremental parents buy, and how long an epoch takes, on BA-Shapes."""

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import torch

from gfx_core.bench.measures.stopwatch import median, timed
from gfx_core.datasets.registry import load_dataset
from gfx_core.gfn.cut_vertex_race import race, random_growths
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.sampler import parent_nodes, sample
from gfx_core.gfn.settings import Parents, Stop
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.predict import SubgraphPredictor

_ONE_BY_ONE = 256  # about so many parents are timed one call at a time, evenly spread over all of them
_PART = 1024  # parent states evaluated in one call: their tables would fill the memory if it were all of them


@torch.no_grad()
def parents_ratio(instances: int, max_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """In-flows of all states that a batch visits: incrementally, and by the whole policy on every parent state."""
    trainer = _trainer(instances, device, max_nodes, long=True)
    trajectories, into = trainer.sample(trainer.batches[0], torch.Generator(device).manual_seed(0))
    policy, episodes = trainer.policy, trajectories.episodes
    at = trajectories.visited.flatten().nonzero()[:, 0]
    states = States.along(episodes, trajectories.episode, trajectories.order, max_nodes)[at]
    into = into.flatten(0, 1)[at]  # bool [N, m]
    encoded = policy.encode(episodes)
    state, node = into.nonzero(as_tuple=True)  # one row for each parent

    def incremental() -> torch.Tensor:
        flows = policy(encoded, states, into)
        assert flows.log_in is not None
        return flows.log_in[state, node]

    def parent_states(rows: torch.Tensor) -> States:
        members = states.members[state[rows]]
        members[torch.arange(len(rows), device=rows.device), node[rows]] = False
        return States.of_sets(episodes, states.episode[state[rows]], members, max_nodes)

    def full(rows: torch.Tensor, part: int) -> torch.Tensor:
        flows = [policy(encoded, parent_states(some)).log_out for some in rows.split(part)]
        return torch.cat(flows).gather(1, node[rows][:, None])[:, 0]

    every = torch.arange(len(state), device=state.device)
    some = every[:: max(1, len(every) // _ONE_BY_ONE)]
    apart, batched, single = incremental(), full(every, _PART), full(some, 1)
    built = median(lambda: [parent_states(rows) for rows in every.split(_PART)], repeats, device)
    seconds = {
        "incremental": median(incremental, repeats, device),
        "full_batched": median(lambda: full(every, _PART), repeats, device),
        "full_one_by_one": median(lambda: full(some, 1), repeats, device) * len(every) / len(some),
    }
    return {
        "instances": instances,
        "states": len(states),
        "parents": len(every),
        "part": _PART,
        "seconds": seconds | {"building_parent_states": built},
        "one_by_one_measured": len(some),
        "ratio_batched": seconds["full_batched"] / seconds["incremental"],
        "ratio_batched_policy_alone": (seconds["full_batched"] - built) / seconds["incremental"],
        "ratio_one_by_one": seconds["full_one_by_one"] / seconds["incremental"],
        "max_difference": max(float((apart - batched).abs().max()), float((apart[some] - single).abs().max())),
    }


def sampling_ratio(count: int, max_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """Trajectories (and their valid parents) in lockstep against one after the other, each on its own instance."""
    trainer = _trainer(count, device, max_nodes, long=True)
    generator = torch.Generator(device).manual_seed(0)
    alone = [Episodes.of(trainer.graphs, np.array([number])) for number in range(count)]

    def draw(episodes: Episodes) -> float:
        each = torch.arange(len(episodes), device=device)
        drawn = sample(trainer.policy, episodes, each, trainer.reward, generator=generator)
        parent_nodes(drawn, Parents.VALID)
        return float(drawn.length.float().mean())

    together = Episodes.of(trainer.graphs, np.arange(count))
    seconds = {
        "lockstep": median(lambda: draw(together), repeats, device),
        "one_by_one": median(lambda: [draw(episodes) for episodes in alone], 1, device, warm_up=0),
    }
    if device != "cpu":
        seconds["captured"] = median(lambda: trainer.sample(trainer.batches[0], generator), repeats, device)
    ratio = seconds["one_by_one"] / seconds["lockstep"]
    return {"trajectories": count, "mean_nodes": draw(together), "seconds": seconds, "ratio": ratio}


def tracker_ratio(count: int, max_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """Cut vertices after every added node: the tracker on all subgraphs at once against networkx on each."""
    seconds = race(random_growths(max_nodes, count, seed=0), device=device, repeats=repeats)  # raises if they disagree
    ratios = {f"ratio_{method}": seconds[method] / seconds["tracker"] for method in ("networkx", "tarjan")}
    return {"subgraphs": count, "states": count * max_nodes, "seconds": seconds} | ratios


def epoch_times(instances: int, max_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """One epoch on BA-Shapes under the paper's preset, for both kinds of STOP: at the start, and at its longest."""
    rows = []
    for stop, long in product(Stop, (False, True)):
        setup, trainer = timed(partial(_trainer, instances, device, max_nodes, stop, long))
        seconds = median(trainer.run_epoch, repeats, device, warm_up=2)
        rows.append({"stop": str(stop), "instances": instances, "setup_s": setup, "seconds": seconds})
        rows[-1] |= {"batch_size": trainer.config.batch_size, "mean_nodes": trainer.curve[-1].size}
    return {"rows": rows}


def _trainer(instances: int, device: str, max_nodes: int, stop: Stop = Stop.REWARD, long: bool = False) -> Trainer:
    """An untrained policy on the first instances of BA-Shapes, under the paper's preset.

    Its trajectories are short at first. If they are to be ``long``, all scores are raised so far that hardly one stops
    before it has K_M nodes or all there are: the most that any policy can cost.
    """
    dataset, model = load_dataset("ba_shapes"), load_model("ba_shapes")
    cut = [dataset.instance(int(index), hops=model.hops) for index in dataset.explainable[:instances]]
    config = replace(policy_config("ba_shapes", "paper"), max_nodes=max_nodes, stop=stop)
    if long:
        config = replace(config, lr=1e-9)  # a few steps of training would bring the scores down again
    trainer = Trainer(SubgraphPredictor(model, cut, device), config)
    if long:
        torch.nn.init.constant_(trainer.policy.score.bias, 5.0)
    return trainer
