"""Growth: node sets that grow by one node at a time, with what a policy reads of them kept up to date."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from gfx_core.gfn.instances import LINKS, Episodes
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Stop


def can_share(policy: FlowPolicy) -> bool:
    """Whether :class:`Growth` serves this kind of policy: STOP is the reward, scores see the whole set."""
    return policy.stop is Stop.REWARD and policy.config.context


@dataclass(frozen=True)
class Noise:
    """The randomness of B trajectories, drawn beforehand.

    Attributes:
        actions: Uniform numbers for every action of every step. [K, B, m + 1]
        explores: Uniform numbers; below ε a step explores. [K, B]
    """

    actions: Tensor
    explores: Tensor

    @classmethod
    def empty(cls, steps: int, batch: int, actions: int, device: torch.device) -> "Noise":
        return cls(torch.empty(steps, batch, actions, device=device), torch.empty(steps, batch, device=device))

    def fill(self, generator: torch.Generator | None) -> "Noise":
        """Draw anew, in place."""
        self.actions.uniform_(generator=generator)
        self.explores.uniform_(generator=generator)
        return self


@dataclass(frozen=True)
class Sets:
    """U node sets of the same size, with what the policy reads of them.

    Attributes:
        base: First row of the set's episode in what is encoded. [U]
        sums: As in ``States``; but nodes that can not be added because they are members, or not there, have −∞
            links. [U, m, 2]
        context: The sum of the members' context. [U, h]
        edges: |E_s|. [U]
        size: |s|.
    """

    base: Tensor
    sums: Tensor
    context: Tensor
    edges: Tensor
    size: int


class Growth:
    """The policy on growing sets of some episodes, with all that does not change along the way computed before."""

    def __init__(self, policy: FlowPolicy, episodes: Episodes) -> None:
        encoded = policy.encode(episodes)
        assert encoded.context is not None
        self.policy, self.episodes, graphs = policy, episodes, episodes.graphs
        # a set's part is affine in the number of its edges: what it is without them and what each adds, by its size
        size = torch.arange(1.0, policy.max_nodes + 1, device=encoded.node.device)  # [K]
        nothing = encoded.context.new_zeros(len(size), encoded.context.shape[1])  # [K, h]
        by_size = policy.first.set_part(nothing, size, torch.zeros_like(size))
        with_edge = policy.first.set_part(nothing, size, torch.ones_like(size))
        assert by_size is not None
        assert with_edge is not None
        self.node, self.context = encoded.node, encoded.context  # [R, h]
        self.by_size, self.by_edge = by_size, with_edge - by_size  # [K, h]
        instance = episodes.instance[episodes.episode]
        self.inverse_degree = episodes.source.inverse_degree[graphs.rows(instance, episodes.node)]  # [R]
        self.cell = graphs.block[instance] + episodes.node * graphs.size[instance]  # [R], where its column begins
        self.column = torch.arange(episodes.width, device=instance.device)  # [m]
        self.second = policy.laid_out()

    def start(self, episode: Tensor) -> Sets:
        """The start nodes alone. [U]"""
        episodes = self.episodes
        base, start = episodes.base[episode], episodes.start[episode][:, None]
        sums = episodes.columns(episode, start[:, 0])
        size = episodes.graphs.size[episodes.instance[episode]][:, None]
        sums[..., LINKS].masked_fill_((self.column >= size) | (self.column == start), -torch.inf)
        return Sets(base, sums, self.context[base + start[:, 0]], torch.zeros_like(base, dtype=sums.dtype), 1)

    def grown(self, sets: Sets, at: Tensor, node: Tensor, row: Tensor) -> Sets:
        """Some sets with one more node each, which has a row in what is encoded. [U] each"""
        before, node = sets.sums[at], node[:, None]
        table = self.episodes.source.table
        cells = (self.cell[row][:, None] + self.column).clamp(max=len(table) - 1)  # beyond the graph it does not matter
        sums = before + table[cells]
        sums[..., LINKS].scatter_(1, node, -torch.inf)
        edges = sets.edges[at] + before[..., LINKS].gather(1, node)[:, 0]
        return Sets(sets.base[at], sums, sets.context[at] + self.context[row], edges, sets.size + 1)

    def log_flows(self, sets: Sets, dense: bool) -> Tensor:
        """log F(s → s∪{a}) for every node a, −∞ where it can not be added. [U, m]

        Args:
            sets: The sets.
            dense: Whether to compute a score for every node, which needs no answer from the device.
        """
        policy, frontier = self.policy, sets.sums[..., LINKS] > 0  # [U, m]
        whole = torch.addcmul(sets.context, sets.edges[:, None], self.by_edge[sets.size - 1])
        whole = whole + self.by_size[sets.size - 1]  # [U, h]
        if dense:
            row = (sets.base[:, None] + self.column).clamp(max=len(self.node) - 1)  # [U, m]
            whole, sums = whole[:, None], sets.sums
        else:
            state, node = frontier.nonzero(as_tuple=True)
            row = sets.base[state] + node
            whole, sums = whole[state], sets.sums[state, node]  # [n, h], [n, 2]
        links, spread = sums.unbind(-1)
        ties = torch.stack([links, links * self.inverse_degree[row], spread], dim=-1)
        score = policy.score(policy.hidden(policy.first(self.node[row], whole, ties), self.second))[..., 0]
        score = score.nan_to_num(-torch.inf, -torch.inf, -torch.inf)  # a flow that is no number is no way to go
        if dense:
            return score.where(frontier, -torch.inf)
        table = torch.full(frontier.shape, -torch.inf, device=score.device)
        table[state, node] = score
        return table


# Draw many subgraphs of few instances: states that coincide are computed once, rewards all at the end.
#
# The outcome is that of :func:`gfx_core.gfn.sampler.sample` for the same random numbers, but for rounding. Two things
# are done in another way:
#
# * **States are shared.** Draws from the same start node soon meet in the same node sets. Only the distinct sets are
#   grown, and every draw remembers which of them it is in. (On a GPU this would mean to ask the device in each step how
#   many there are, so there every draw grows a set of its own.)
# * **Stopping is decided last.** An action is drawn by the Gumbel-max trick: it has the largest sum of log-flow and
#   noise. Which node is best does not depend on STOP. So the draws grow as if none of them stopped; then the rewards of
#   all sets on the way, computed in one go, tell where STOP was better still.


_CELLS = 1 << 20  # node pairs of the subgraphs whose rewards are computed in one go: bounds the memory


@dataclass(frozen=True)
class SubgraphBatch:
    """B subgraphs that were drawn.

    Attributes:
        order: Their nodes in order of addition, padded with -1. [B, K]
        log_reward: log R of each. [B]
        log_forward: Log-probability of each trajectory, STOP included. [B]
        grown: What each would have become had it never stopped, padded with -1. [B, K]
        log_reach: Log of the chance that a trajectory on this way comes as far as each prefix of it. [B, K]
    """

    order: Tensor
    log_reward: Tensor
    log_forward: Tensor
    grown: Tensor
    log_reach: Tensor


@torch.inference_mode()
def sample_distinct(
    policy: FlowPolicy,
    episodes: Episodes,
    episode: Tensor,
    reward: Reward,
    generator: torch.Generator | None = None,
    share: bool | None = None,
) -> SubgraphBatch:
    """Draw one trajectory for each entry of ``episode``.

    Args:
        policy: Where the flows come from; :func:`~gfx_core.gfn.growth.can_share` must hold.
        episodes: Instances and start nodes.
        episode: Which episode each trajectory belongs to. [B]
        reward: Gives STOP its flow.
        generator: Source of randomness, on the episodes' device.
        share: Whether draws that coincide share a set; by default on the CPU only.
    """
    B, K, m, device = len(episode), policy.max_nodes, episodes.width, episode.device
    share = device.type == "cpu" if share is None else share
    noise = Noise.empty(K, B, m + 1, device).fill(generator).actions
    gumbel = noise.clamp_(min=1e-20).log_().neg_().log_().neg_()  # [K, B, m + 1], STOP last
    growth = Growth(policy, episodes)
    each = torch.arange(B, device=device)
    node, base = episodes.start[episode], episodes.base[episode]
    one = at = each  # a draw of each set [U], and the set that each draw has come to [B]
    if share:
        names = _names(len(episodes.node), device)
        name = names[base + node]  # of each draw's set: the sum of its nodes' names. [B]
        one, at = _distinct(name, each)
    sets = growth.start(episode[one])
    ones, path, nodes, bests = [one], [at], [node], []
    taken, going = [], []  # log-flow of the best node, and of all nodes together
    first = 0  # the sets of all steps are numbered: where those of this one begin
    for t in range(K - 1):
        log_flows = growth.log_flows(sets, dense=not share)
        best, node = (log_flows[at] + gumbel[t, :, :m]).max(1)
        if share and bool((best == -torch.inf).all()):
            break  # nothing is left to add
        row, before, first = base + node, at, first + len(one)
        if share:
            name = name + names[row]
            one, at = _distinct(name, each)
            sets = growth.grown(sets, before[one], node[one], row[one])
        else:
            sets = growth.grown(sets, before, node, row)
        ones.append(one)
        path.append(at + first)
        nodes.append(node)
        bests.append(best)
        taken.append(log_flows[before, node])
        going.append(log_flows.logsumexp(1)[before])

    # the draws' rows of nodes, and of them one for each set, as long as it was by then
    steps, position = len(path), torch.arange(K, device=device)
    order = functional.pad(torch.stack(nodes, dim=1), (0, K - steps), value=-1)  # [B, K]
    drawn = torch.cat(ones)
    when = torch.cat([torch.full_like(one, t) for t, one in enumerate(ones)])
    subsets = order[drawn].where(position <= when[:, None], -1)
    rows = max(1, _CELLS // K**2)
    parts = zip(subsets.split(rows), episodes.instance[episode[drawn]].split(rows), strict=True)
    log_reward = torch.cat([reward(*part) for part in parts])[torch.stack(path)]  # [T, B]

    log_stop = log_reward.where(log_reward.isfinite(), -torch.inf)  # no number: no way to go
    stop = log_stop + gumbel[:steps, :, m]
    nothing = torch.full_like(stop[0], -torch.inf)
    best = torch.stack([*bests, nothing])
    last = ((stop > best) | (best == -torch.inf)).to(torch.uint8).argmax(0)  # [B], the step in which each stops
    step = position[:steps, None]
    log_pi = torch.stack([*taken, nothing]).where(step < last, log_stop)
    log_going = torch.stack([*going, nothing])
    log_all = torch.logaddexp(log_going, log_stop)
    log_forward = (log_pi - log_all).where(step <= last, 0.0).sum(0)
    ends = (best == -torch.inf).to(torch.uint8).argmax(0)  # [B], the step from which on nothing can be added
    log_reach = (log_going - log_all)[:-1].cumsum(0).T  # [B, T - 1]
    log_reach = functional.pad(functional.pad(log_reach, (1, 0)), (0, K - steps), value=-torch.inf)
    return SubgraphBatch(
        order.where(position <= last[:, None], -1),
        log_reward.gather(0, last[None])[0],
        log_forward,
        order.where(position <= ends[:, None], -1),
        log_reach,
    )


def _names(count: int, device: torch.device) -> Tensor:
    """Random numbers of 64 bits: their sums tell sets apart, but for a chance below n² · 10⁻¹⁹ among n sets. [R]"""
    most, generator = torch.iinfo(torch.int64), torch.Generator(device).manual_seed(0)
    return torch.empty(count, dtype=torch.int64, device=device).random_(most.min, most.max, generator=generator)


def _distinct(names: Tensor, each: Tensor) -> tuple[Tensor, Tensor]:
    """The position of one entry of each name [U], and which of these every entry has [B]; ``each`` counts them."""
    found, which = torch.unique(names, return_inverse=True)
    return torch.empty_like(found).scatter_(0, which, each), which
