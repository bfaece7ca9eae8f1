"""The state DAG of an instance as the policy sees it. Needs torch."""

from collections.abc import Sequence

import numpy as np

from gfx_core.config import FlowSource
from gfx_core.drawing.dag_picture import DagNumbers, dag_picture
from gfx_core.drawing.state_space import PolicyDag
from gfx_core.exact import exact_flows
from gfx_core.exact.state_dag import neighbourhood
from gfx_core.explain.question import Question
from gfx_core.explain.run import generator_along
from gfx_core.job_context import JobContext


def policy_dag(question: Question, order: Sequence[int], job: JobContext | None = None) -> PolicyDag:
    """List the states of an instance and ask the policy about each.

    Args:
        question: Which prediction and policy.
        order: Local nodes in the order in which the trajectory adds them, the start node first.
        job: Told how far it is.
    """
    job = job or JobContext()
    job.report(0.1, "loading the GNN")
    generator, path = generator_along(question, order, job)
    instance, most = generator.instance, generator.config.max_nodes
    job.report(0.4, "listing the states")
    exactly = generator.flows is FlowSource.EXACT  # then there is nothing to show beyond the cap
    listing = generator.listing(path[0]) if exactly else generator.listed(path[0])
    dag = neighbourhood(instance, path, most) if listing is None else listing.dag
    job.report(0.6, f"asking the GNN about {dag.num_states:,} states")
    log_reward = generator.log_rewards(dag.subsets) if listing is None else listing.log_reward
    log_edge, log_stop = generator.flows_on(dag, log_reward)
    shown = [dag.index_of(path[: k + 1]) for k in range(len(path))]
    if listing is None:
        numbers = DagNumbers(log_edge, reward=np.exp(log_reward))
        picture = dag_picture(dag, instance, numbers, names=False, path=shown, excerpt=True)
        return PolicyDag(picture, most, generator.cap, None)
    _, log_policy, log_passed = exact_flows.walk(dag, log_edge, log_stop)
    log_target = exact_flows.target_distribution(log_reward)
    numbers = DagNumbers(log_passed, stop=np.exp(log_policy), target=np.exp(log_target), reward=np.exp(log_reward))
    picture = dag_picture(dag, instance, numbers, names=False, path=shown)
    return PolicyDag(picture, most, generator.cap, exact_flows.total_variation(log_policy, log_target), generator.flows)
