"""The state DAG of an instance as the policy sees it. This module is imported in workers only: it needs torch."""

from typing import Any

import numpy as np

from gfx_core.drawing.state_dag import dag_picture
from gfx_core.explainers.generate import Doubles
from gfx_core.explainers.record import ENUMERATION_CAP
from gfx_core.gfn import exact
from gfx_core.gfn.neighbourhood import neighbourhood
from gfx_core.gfn.state_dag import StateDag, TooManyStates, enumerate_states
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.jobs.context import JobContext
from gfx_core.jobs.tasks import generator_along


def state_space(
    job: JobContext,
    *,
    dataset: str,
    order: list[int],
    index: int | None = None,
    smiles: str | None = None,
    kind: str = DEFAULT_KIND,
    beta: float | None = None,
    max_nodes: int | None = None,
    tuned: bool = False,
    cap: int = ENUMERATION_CAP,
) -> dict[str, Any]:
    """All states of an instance with what the policy does in them, or those around one trajectory.

    Args:
        job: Of this job.
        dataset: The data set.
        order: Local nodes in the order in which the trajectory adds them, the start node first.
        index: The node or graph, or
        smiles: a molecule.
        kind: The GNN's kind.
        beta: Another β than the policy's.
        max_nodes: A smaller K_M than the policy's.
        tuned: Whether the policy is trained further on this prediction alone before.
        cap: The most states that are listed.

    Returns:
        ``picture``, a `gfx_core.drawing.state_dag.DagPicture`. ``listed``: whether all states could be listed; then
        flows are probabilities to go that way, and each state has P(stop) and R/Z, with ``total_variation`` between
        the two. If not, flows are the policy's own. ``max_nodes`` and ``cap``, as they were used.
    """
    job.report(0.1, "loading GNN and policy")
    generator, order = generator_along(
        job, order, dataset=dataset, index=index, smiles=smiles, kind=kind, beta=beta, max_nodes=max_nodes, tuned=tuned
    )
    instance, most = generator.instance, generator.trained.config.max_nodes
    job.report(0.4, "listing the states")
    try:
        dag, listed = enumerate_states(instance, order[0], most, cap), True
    except TooManyStates:
        dag, listed = neighbourhood(instance, order, most), False
    job.report(0.6, f"asking the GNN about {dag.num_states:,} states")
    log_reward = generator.log_rewards(dag.subsets)
    log_edge, log_stop = generator.learned_flows(dag, log_reward)
    path = [dag.index_of(order[: k + 1]) for k in range(len(order))]
    told = {"listed": listed, "max_nodes": most, "cap": cap}
    if not listed:
        picture = dag_picture(
            dag, instance, log_edge_flow=log_edge, reward=np.exp(log_reward), names=False, path=path, excerpt=True
        )
        return {**told, "picture": picture, "total_variation": None}
    log_policy = exact.terminal_distribution_from_edges(dag, log_edge, log_stop)
    log_target = exact.target_distribution(log_reward)
    picture = dag_picture(
        dag,
        instance,
        log_edge_flow=walked(dag, log_edge, log_stop),
        stop_probability=np.exp(log_policy),
        target_probability=np.exp(log_target),
        reward=np.exp(log_reward),
        names=False,
        path=path,
    )
    return {**told, "picture": picture, "total_variation": exact.total_variation(log_policy, log_target)}


def walked(dag: StateDag, log_edge: Doubles, log_stop: Doubles) -> Doubles:
    """log P(a trajectory goes along each edge), for learned flows that need not balance. [E]"""
    log_out = exact.state_flows(dag, log_edge, log_stop)[1]
    return exact.visit_distribution(dag, log_edge, log_stop)[dag.parent] + log_edge - log_out[dag.parent]
