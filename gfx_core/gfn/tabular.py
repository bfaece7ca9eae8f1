"""A GFlowNet without a network: one free log-flow for each edge of the state DAG.

With nothing to generalise, what is learned depends on the objective alone. So this is where to see what flow matching
and trajectory balance converge to, which parents matter (the paper's ablations), and how far a state is from balance
while it is learned. It trains in about a second and can be stopped, watched or drawn after any step.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gfx_core.errors import UserError
from gfx_core.gfn import exact
from gfx_core.gfn.dag_flows import DagFlows, Paths, rows
from gfx_core.gfn.descent import descend
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.losses import flow_matching_loss, raised, trajectory_balance_loss
from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.gfn.state_dag import StateDag


@dataclass(frozen=True)
class TabularConfig:
    """How a table of flows is trained; the entries shared with GFNConfig mean the same.

    Attributes:
        loss: What training makes small; there is one start node, so both kinds of log Z are one number.
        parents: Which parents count.
        stop: Where STOP's flow comes from.
        full: Whether each step looks at all states. If not, only at those on sampled trajectories.
        epsilon: Share of sampled actions drawn uniformly.
        epochs: Gradient steps.
        batch_size: Trajectories sampled in a step.
        lr: Adam's learning rate, annealed by a cosine; the linear loss on samples wants a small one, 0.03.
        lr_log_z: Learning rate of log Z in trajectory balance.
        delta: As in GFNConfig: flows this far below the best reward, in log space, need not match; None: all must.
        seed: Of the trajectories.
    """

    loss: Loss = Loss.FLOW_MATCHING
    parents: Parents = Parents.VALID
    stop: Stop = Stop.REWARD
    full: bool = True
    epsilon: float = 0.1
    epochs: int = 400
    batch_size: int = 128
    lr: float = 0.3
    lr_log_z: float = 0.2
    delta: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise UserError(f"ε must lie between 0 and 1 (got {self.epsilon}).")
        if self.epochs < 1 or self.batch_size < 1:
            raise UserError("epochs and batch_size must be at least 1.")


class TabularPolicy(DagFlows):
    """One free log-flow for each edge of the DAG, on the CPU.

    Args:
        dag: The states.
        log_reward: Of each state, finite. [S]
        parents: Which parents count as in-flow; one that is no state has a free parameter too.
        stop: LEARNED adds a parameter for each state; otherwise F(s→STOP) is R(s).

    Attributes:
        log_stop_free: Log-flow to STOP, if it is learned. [S]
    """

    def __init__(
        self, dag: StateDag, log_reward: ArrayLike, parents: Parents = Parents.VALID, stop: Stop = Stop.REWARD
    ) -> None:
        super().__init__(dag, log_reward, parents)
        self.stop = stop
        # Begin high: a flow far below the others of its state gets hardly any gradient in log space, so it would not
        # come up. Beginning at the best reward, not at 0, also makes the scale of the rewards immaterial.
        top = self.log_reward.max()
        self.log_edge = nn.Parameter(top.repeat(dag.num_edges))
        self.log_phantom = nn.Parameter(top.repeat(self.num_phantoms))
        self.log_stop_free = nn.Parameter(top.repeat(dag.num_states)) if stop is Stop.LEARNED else None
        self.log_z = nn.Parameter(top.clone())

    @property
    def log_stop(self) -> Tensor:
        """Log-flow of each state to STOP. [S]"""
        return self.log_reward if self.log_stop_free is None else self.log_stop_free


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1)


def objective(flows: DagFlows, config: TabularConfig, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """The loss, and how far the two sides that it compares are apart in log space, one by one.

    A state that was visited n times counts n times, so the sampled loss is the full one with other weights.
    """
    return loss_on(flows, config, draw(flows, config, generator))


def draw(flows: DagFlows, config: TabularConfig, generator: torch.Generator) -> Paths | None:
    """The trajectories that one step looks at; none where flow matching looks at all states."""
    if not config.full:
        return flows.sample(config.batch_size, generator, config.epsilon)
    if config.loss.is_trajectory_balance:
        return flows.sample_back(torch.arange(flows.dag.num_states, device=flows.device), generator)
    return None


def loss_on(flows: DagFlows, config: TabularConfig, paths: Paths | None) -> tuple[Tensor, Tensor]:
    """The :func:`objective` on trajectories that were drawn before."""
    dag = flows.dag
    if config.loss.is_trajectory_balance:
        assert paths is not None
        log_step, log_stop = flows.log_steps()
        none = log_step.new_zeros(1)
        log_forward = rows(torch.cat([log_step, none]), paths.edges).sum(0) + log_stop[paths.terminal]  # [B]
        log_backward = rows(torch.cat([flows.log_backward, none]), paths.edges).sum(0)  # [B]
        losses = trajectory_balance_loss(flows.log_z, log_forward, log_backward, flows.log_reward[paths.terminal])
        return losses.mean(), losses.detach().sqrt()

    linear = config.loss is Loss.FLOW_MATCHING_LINEAR
    states, edges = torch.ones_like(flows.log_reward), torch.ones_like(flows.log_edge)  # how often each counts
    if paths is not None:
        states = paths.states.flatten().bincount(minlength=dag.num_states + 1)[:-1]
        edges = paths.edges.flatten().bincount(minlength=dag.num_edges + 1)[:-1]
    log_out, log_in = flows.log_out(), flows.log_in()
    if config.parents is Parents.SEQUENCE:
        log_in, log_out, weights = flows.log_edge, log_out[flows._child], edges
    else:
        log_in, log_out, weights = log_in[1:], log_out[1:], states[1:]  # nothing flows into the start
    apart = (log_in - log_out).detach()
    if config.delta is not None:
        floor = flows.log_reward.max() - config.delta
        log_in, log_out = raised(log_in, floor), raised(log_out, floor)
    loss = _mean(flow_matching_loss(log_in, log_out, linear), weights)
    if config.stop is Stop.LEARNED:
        loss = loss + _mean(flow_matching_loss(flows.log_stop, flows.log_reward, linear), states)
    return loss, apart


@dataclass(frozen=True, eq=False)
class TabularStep:
    """Where training stands after some steps.

    Attributes:
        step: Gradient steps so far.
        loss: What the next step would make smaller.
        residual: Root mean square, in log space, of what the loss compares: in-flow and out-flow over all states,
            each counting alike however unlikely; in trajectory balance both sides over the step's trajectories.
        total_variation: Between the distribution that the flows stop with and R/Z.
        log_edge_flow: A copy of the flows. [E]
        log_stop: A copy of the flows to STOP. [S]
        policy: The policy itself, which goes on changing.
    """

    step: int
    loss: float
    residual: float
    total_variation: float
    log_edge_flow: Doubles
    log_stop: Doubles
    policy: TabularPolicy


def iterate_tabular(
    dag: StateDag, log_reward: ArrayLike, config: TabularConfig | None = None, every: int = 10
) -> Iterator[TabularStep]:
    """Trains step by step and says every now and then where it stands.

    Args:
        dag: The states.
        log_reward: Of each state. [S]
        config: How.
        every: Steps from one yield to the next; the beginning and the end are always among them.
    """
    config = config or TabularConfig()
    policy = TabularPolicy(dag, log_reward, config.parents, config.stop)
    generator = torch.Generator().manual_seed(config.seed)
    log_target = exact.target_distribution(log_reward)
    flows = [parameter for name, parameter in policy.named_parameters() if name != "log_z"]
    groups = [{"params": flows, "lr": config.lr}, {"params": [policy.log_z], "lr": config.lr_log_z}]
    apart = torch.empty(0)

    def compared() -> Tensor:
        nonlocal apart
        loss, apart = objective(policy, config, generator)
        return loss

    for step, loss in descend(groups, compared, config.epochs):
        if step % every == 0 or step == config.epochs:
            residual = apart.square().mean().sqrt().item() if len(apart) else 0.0
            distance = exact.total_variation(policy.terminal_distribution(), log_target)
            edge, stop = (values.detach().numpy().copy() for values in (policy.log_edge, policy.log_stop))
            yield TabularStep(step, loss, residual, distance, edge, stop, policy)
        if not dag.num_edges:
            return


def train_tabular(
    dag: StateDag,
    log_reward: ArrayLike,
    config: TabularConfig | None = None,
    on_step: Callable[[TabularStep], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    every: int = 10,
) -> TabularPolicy:
    """Trains to the end, or until `cancel` says so; both are asked every so many steps."""
    for step in iterate_tabular(dag, log_reward, config, every):
        if on_step is not None:
            on_step(step)
        if cancel is not None and cancel():
            break
    return step.policy
