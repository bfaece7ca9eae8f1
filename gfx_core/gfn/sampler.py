"""Sample a whole batch of trajectories in lockstep, without gradients."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from gfx_core.arrays import NEAR_TIE
from gfx_core.gfn.cut_vertices import CutVertexTracker
from gfx_core.gfn.instances import LINKS, Episodes
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Parents, Stop
from gfx_core.gfn.states import States


@dataclass(frozen=True)
class Trajectories:
    """B trajectories of at most K nodes.

    Attributes:
        episodes: Where they live.
        episode: Episode of each. [B]
        order: Local node ids in the order of addition, padded with -1. [B, K]
        log_reward: log R of each prefix, where it was computed on the way. [B, K] or None
        log_forward: log-probability of the trajectory under the policy, STOP included. [B]
        grown: What each becomes if it never stops, where that is known, padded with -1. [B, K] or None
        log_reach: Log of the chance that a trajectory on this way, which may stop, comes as far as each prefix of it.
            [B, K], or None where there is no ``grown``
    """

    episodes: Episodes
    episode: Tensor
    order: Tensor
    log_reward: Tensor | None
    log_forward: Tensor
    grown: Tensor | None = None
    log_reach: Tensor | None = None

    def __len__(self) -> int:
        return len(self.episode)

    @property
    def visited(self) -> Tensor:
        """Which prefixes are states of the trajectory. bool [B, K]"""
        return self.order >= 0

    @property
    def length(self) -> Tensor:
        """Nodes of the final state. [B]"""
        return self.visited.sum(1)

    @property
    def instance(self) -> Tensor:
        """Instance of each trajectory. [B]"""
        return self.episodes.instance[self.episode]

    def and_also(self, others: "Trajectories") -> "Trajectories":
        """These and others of the same episodes."""
        log_reward = None
        if self.log_reward is not None and others.log_reward is not None:
            log_reward = torch.cat([self.log_reward, others.log_reward])
        return Trajectories(
            self.episodes,
            torch.cat([self.episode, others.episode]),
            torch.cat([self.order, others.order]),
            log_reward,
            torch.cat([self.log_forward, others.log_forward]),
        )

    def prefixes(self) -> Tensor:
        """Every state as a padded row of nodes. [B, K, K]"""
        K = self.order.shape[1]
        upto = torch.ones(K, K, dtype=torch.bool, device=self.order.device).tril()
        return self.order[:, None, :].where(upto, -1)

    def final_log_reward(self, reward: Reward) -> Tensor:
        """log R of where each ended. [B]"""
        if self.log_reward is None:
            return reward(self.order, self.instance)
        return self.log_reward.gather(1, self.length[:, None] - 1)[:, 0]


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


DENSE_WIDTH = 64
"""Graphs of at most this many nodes are evaluated densely on the CPU too: padding is cheaper than indexing."""

_CELLS = 1 << 21  # node pairs of the subgraphs whose rewards are computed in one go: bounds the memory


@torch.no_grad()
def sample(
    policy: FlowPolicy,
    episodes: Episodes,
    episode: Tensor,
    reward: Reward,
    *,
    epsilon: float = 0.0,
    generator: torch.Generator | Noise | None = None,
    stops: bool = True,
    share: bool = False,
) -> Trajectories:
    """Draw one trajectory for each entry of ``episode``.

    Args:
        policy: Where the flows come from.
        episodes: Instances and start nodes.
        episode: Which of them each trajectory belongs to; the same may be named many times. [B]
        reward: Gives STOP its flow where the policy has no head for it.
        epsilon: Share of actions drawn uniformly from the possible ones.
        generator: Source of randomness, on the episodes' device, or the randomness itself, drawn beforehand. Without it
            nothing is drawn: always the action of largest flow is taken.
        stops: Whether STOP is an action. Without it they grow while they can, and say how likely they would have come
            so far (``log_reach``); ``log_forward`` is then that of the nodes' choices.
        share: Whether many trajectories start from few nodes, so that it pays to look on the CPU too which of them meet
            (:func:`grow_then_stop`), where the policy allows it.
    """
    device, B, K = episode.device, len(episode), policy.max_nodes
    noise = generator
    if isinstance(noise, torch.Generator):
        noise = Noise.empty(K, B, episodes.width + 1, device).fill(noise)
    on_cpu = device.type == "cpu"
    if stops and policy.stop is Stop.REWARD and policy.config.context and (share or not on_cpu):
        return grow_then_stop(policy, episodes, episode, reward, epsilon, noise, share and on_cpu)
    encoded = policy.encode(episodes)
    states = States.initial(episodes, episode, K)
    padded = policy.pad(encoded, states) if not on_cpu or episodes.width <= DENSE_WIDTH else None
    instance = episodes.instance[episode]
    order = torch.full((B, K), -1, dtype=torch.long, device=device)
    order[:, 0] = episodes.start[episode]
    active = torch.ones(B, dtype=torch.bool, device=device)
    log_forward = torch.zeros(B, device=device)
    wants_reward = policy.stop is Stop.REWARD or policy.config.forward_looking
    log_reward = torch.zeros(B, K, device=device) if wants_reward else None
    log_reach = None if stops else torch.zeros(B, K, device=device)
    for t in range(K):
        flows = policy(encoded, states) if padded is None else policy.out_flows(padded, states)
        if log_reward is not None:
            log_reward[:, t] = reward(order[:, : t + 1], instance)
            flows = flows.given(log_reward[:, t])
        assert flows.log_stop is not None  # a policy without a STOP head has the reward
        logits = torch.cat([flows.log_out, flows.log_stop[:, None]], dim=1)  # [B, m + 1], STOP last
        possible = logits.isfinite()  # flows that are no number are no way to go either: the loss will tell
        log_pi = logits.masked_fill(~possible, -torch.inf).log_softmax(1)
        if log_reach is not None:
            log_reach[:, t + 1 :] += log_pi[:, :-1].logsumexp(1)[:, None]
            log_pi[:, -1] = torch.where(possible[:, :-1].any(1), -torch.inf, 0.0)
            log_pi = log_pi.log_softmax(1)
        choice = _largest(log_pi) if noise is None else _draw(log_pi, epsilon, noise.actions[t], noise.explores[t])
        choice = choice.where(possible.any(1), episodes.width)
        log_forward += log_pi.gather(1, choice[:, None])[:, 0].where(active, 0.0)
        active = active & (choice < episodes.width)
        if t + 1 == K or (on_cpu and not active.any()):
            break
        node = choice.where(active, 0)
        order[:, t + 1] = node.where(active, -1)
        states.add(node, active)
    return Trajectories(episodes, episode, order, log_reward, log_forward, None if stops else order, log_reach)


@torch.no_grad()
def grow_then_stop(
    policy: FlowPolicy,
    episodes: Episodes,
    episode: Tensor,
    reward: Reward,
    epsilon: float,
    noise: Noise | None,
    share: bool,
) -> Trajectories:
    """The trajectories of :func:`sample` in far fewer operations: all rewards are computed in one go, at the end.

    An action is drawn by the Gumbel-max trick: it has the largest sum of log-flow and noise. Which node is best does
    not depend on STOP. So the trajectories grow as if none of them stopped, and then the rewards of all sets on the way
    tell where STOP would have been better still.

    Args:
        policy: Where the flows come from; STOP must be the reward, and scores must see the whole set.
        episodes: Instances and start nodes.
        episode: Which of them each trajectory belongs to. [B]
        reward: Gives STOP its flow.
        epsilon: Share of actions drawn uniformly from the possible ones.
        noise: The randomness; without it always the action of largest flow is taken.
        share: Whether trajectories that meet in a node set share it, so that only distinct sets are grown. (On a GPU
            this would mean to ask the device in each step how many there are.)
    """
    device, B, K, m = episode.device, len(episode), policy.max_nodes, episodes.width
    gumbel, uniformly = torch.zeros(K, 1, m + 1, device=device), None
    if noise is not None:
        gumbel = _gumbel(noise.actions)
        uniformly = (noise.explores < epsilon)[..., None] if epsilon else None  # [K, B, 1]
    growth, each = Growth(policy, episodes), torch.arange(B, device=device)
    node, base = episodes.start[episode], episodes.base[episode]
    one = at = each  # a trajectory of each set [U], and the set that each trajectory has come to [B]
    if share:
        names = _names(len(episodes.node), device)
        name = names[base + node]  # of each trajectory's set: the sum of its nodes' names. [B]
        one, at = _distinct(name, each)
    sets = growth.start(episode[one])
    ones, path, nodes = [one], [at], [node]
    first = 0  # the sets of all steps are numbered: where those of this one begin
    bests, taken, going = [], [], []  # the best node's flow with its noise; its log-flow; that of all nodes together
    for t in range(K - 1):
        log_out = growth.log_flows(sets, dense=not share)  # [U, m]
        wanted = _explored(log_out[at], uniformly, t) + gumbel[t, :, :m]
        best, node = wanted.max(1)
        if share and bool((best == -torch.inf).all()):
            break  # nothing is left to add
        node = _largest(wanted) if noise is None else node
        row, before, first = base + node, at, first + len(one)
        if share:
            name = name + names[row]
            one, at = _distinct(name, each)
        sets = growth.grown(sets, before[one], node[one], row[one])
        ones.append(one)
        path.append(at + first)
        nodes.append(node.where(best > -torch.inf, -1))
        bests.append(best)
        taken.append(log_out[before, node])
        going.append(log_out.logsumexp(1)[before])

    # the trajectories' rows of nodes, and of them one for each set, as long as it was by then
    steps, position = len(path), torch.arange(K, device=device)
    grown = functional.pad(torch.stack(nodes, dim=1), (0, K - steps), value=-1)  # [B, K]
    drawn = torch.cat(ones)
    when = torch.cat([torch.full_like(one, t) for t, one in enumerate(ones)])
    rows = max(1, _CELLS // K**2)
    parts = zip(
        grown[drawn].where(position <= when[:, None], -1).split(rows),
        episodes.instance[episode[drawn]].split(rows),
        strict=True,
    )
    log_reward = torch.cat([reward(*part) for part in parts])[torch.stack(path)]  # [T, B]

    log_stop = torch.zeros_like(log_reward) if policy.config.forward_looking else log_reward  # flows are relative to R
    log_stop = log_stop.where(log_reward.isfinite(), -torch.inf)  # no number: no way to go
    nothing = torch.full_like(log_stop[0], -torch.inf)
    best, log_going = torch.stack([*bests, nothing]), torch.stack([*going, nothing])
    stops = _explored(log_stop[..., None], uniformly, slice(steps))[..., 0] + gumbel[:steps, :, m] > best
    last = (stops | (best == -torch.inf)).to(torch.uint8).argmax(0)  # [B], the step in which each stops
    step = position[:steps, None]
    log_all = torch.logaddexp(log_going, log_stop)
    log_pi = torch.stack([*taken, nothing]).where(step < last, log_stop) - log_all
    log_reach = functional.pad((log_going - log_all)[:-1].cumsum(0).T, (1, 0))  # [B, T]
    return Trajectories(
        episodes,
        episode,
        order=grown.where(position <= last[:, None], -1),
        # beyond its end a trajectory stays where it is
        log_reward=log_reward.T.gather(1, torch.minimum(position, last[:, None])),
        log_forward=log_pi.where(step <= last, 0.0).sum(0),
        grown=grown,
        log_reach=functional.pad(log_reach, (0, K - steps), value=-torch.inf),
    )


def _explored(values: Tensor, uniformly: Tensor | None, step: int | slice = slice(None)) -> Tensor:
    """Log-flows, all possible ones equal where a step explores. [..., B, A]"""
    return values if uniformly is None else torch.where(uniformly[step] & (values > -torch.inf), 0.0, values)


def _gumbel(uniform: Tensor) -> Tensor:
    """Gumbel noise from uniform numbers."""
    return uniform.clamp(min=1e-20).log_().neg_().log_().neg_()


def _largest(log_flows: Tensor) -> Tensor:
    """The number of the largest of each row; of those that are equal but for rounding the first. [B, A] → [B]"""
    best = log_flows.amax(1, keepdim=True)
    return (log_flows >= best - NEAR_TIE * best.abs().clamp(min=1.0)).to(torch.uint8).argmax(1)


def _draw(log_pi: Tensor, epsilon: float, noise: Tensor, explores: Tensor) -> Tensor:
    """One action for each row, by the Gumbel-max trick; some rows explore uniformly. [B, A] → [B]"""
    uniformly = (explores < epsilon)[:, None] if epsilon else None
    return (_explored(log_pi, uniformly) + _gumbel(noise)).argmax(1)


def _names(count: int, device: torch.device) -> Tensor:
    """Random numbers of 64 bits: their sums tell sets apart, but for a chance below n² · 10⁻¹⁹ among n sets. [R]"""
    most, generator = torch.iinfo(torch.int64), torch.Generator(device).manual_seed(0)
    return torch.empty(count, dtype=torch.int64, device=device).random_(most.min, most.max, generator=generator)


def _distinct(names: Tensor, each: Tensor) -> tuple[Tensor, Tensor]:
    """The position of one entry of each name [U], and which of these every entry has [B]; ``each`` counts them."""
    found, which = torch.unique(names, return_inverse=True)
    return torch.empty_like(found).scatter_(0, which, each), which


# Growth: node sets that grow by one node at a time, with what a policy reads of them kept up to date.


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


# Parents: which nodes may be taken out of the sets on the way.


def parent_nodes(trajectories: Trajectories, parents: Parents, where: str | None = None) -> Tensor:
    """Which nodes' removal counts as a parent of each prefix. bool [B, K, m]

    Args:
        trajectories: Whose prefixes.
        parents: Which parents count.
        where: The device that finds valid ones, if not theirs: hundreds of small operations on a single trajectory are
            faster on the CPU than it takes to launch them on a GPU.
    """
    order, visited = trajectories.order, trajectories.visited
    B, K = order.shape
    position = torch.arange(K, device=order.device)
    along = position[:, None] == position if parents is Parents.SEQUENCE else position[:, None] >= position
    by_order = along & (position > 0) & visited[:, :, None]  # [B, K, K], nodes by order of addition
    if parents is Parents.VALID and K > 1:  # Theorem 1
        nodes, device = order.clamp(min=0), where or order.device
        graphs, instance = trajectories.episodes.graphs, trajectories.instance[:, None, None]
        links = graphs.joined(instance, nodes[:, :, None], nodes[:, None, :]).to(device)  # [B, K, K]
        tracker, growing, removable = CutVertexTracker(B, K, device), visited.to(device), []
        for t in range(K):
            tracker.add(links[:, t], growing[:, t])
            removable.append(tracker.removable)
        by_order &= torch.stack(removable, dim=1).to(order.device)
    width = trajectories.episodes.width
    table = torch.zeros(B, K, width + 1, dtype=torch.bool, device=order.device)
    at = order.where(visited, width)[:, None, :].expand(B, K, K)  # padding goes to a spare column
    return table.scatter_(2, at, by_order)[:, :, :width]
