"""Replay: good subgraphs that a training met, and new trajectories to them, walked backwards from there.

A rare good subgraph is learnt from only when a trajectory ends there. So the best ones from each start node are kept,
drawn again with probability ∝ R, and taken apart node by node: at every step a node that leaves the rest connected, all
of them alike, which is the uniform P_B. Read forwards, that is a trajectory which the policy might have sampled.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories

KEPT = 16
"""Subgraphs that are kept of each start node."""


class Replay(nn.Module):
    """The best subgraphs so far, by start node.

    Args:
        graphs: The instances.
        max_nodes: K_M.
        kept: How many of each start node.
    """

    nodes: Tensor
    log_reward: Tensor
    _name: Tensor

    def __init__(self, graphs: FlowGraphs, max_nodes: int, kept: int = KEPT) -> None:
        super().__init__()
        rows, device = len(graphs.features), graphs.device
        self.register_buffer("nodes", torch.full((rows, kept, max_nodes), -1, dtype=torch.int16, device=device))
        self.register_buffer("log_reward", torch.full((rows, kept), -torch.inf, device=device))
        # of each set: a sum over its nodes
        self.register_buffer("_name", torch.zeros(rows, kept, dtype=torch.int64, device=device))
        generator = torch.Generator().manual_seed(0)
        high = 1 << 55  # sums of K_M such numbers do not overflow
        self._names = torch.randint(1, high, (rows,), generator=generator).to(device)

    def add(self, trajectories: Trajectories, log_reward: Tensor) -> None:
        """Keep where some trajectories ended, if it is new and better than what is kept. log_reward [B]"""
        graphs, order = trajectories.episodes.graphs, trajectories.order
        instance = trajectories.instance
        start = graphs.rows(instance, order[:, 0])
        own = self._names[graphs.rows(instance[:, None], order.clamp(min=0))]
        name = own.where(order >= 0, 0).sum(1)
        each = torch.arange(len(order), device=order.device)
        left = torch.ones_like(start, dtype=torch.bool)
        while bool(left.any()):  # a start node takes one at a time
            turn = torch.full((len(self.nodes),), -1, device=order.device).scatter_reduce(
                0, start, each.where(left, -1), "amax"
            )
            chosen = turn[turn >= 0]
            left[chosen] = False
            self._keep(start[chosen], order[chosen], log_reward[chosen], name[chosen])

    def _keep(self, start: Tensor, order: Tensor, log_reward: Tensor, name: Tensor) -> None:
        """The same of trajectories whose start nodes all differ."""
        worst, place = self.log_reward[start].min(1)
        new = ((self._name[start] != name[:, None]).all(1)) & (log_reward > worst) & log_reward.isfinite()
        start, place = start[new], place[new]
        self.nodes[start, place] = order[new].to(torch.int16)
        self.log_reward[start, place], self._name[start, place] = log_reward[new].float(), name[new]

    @torch.no_grad()
    def draw(self, episodes: Episodes, episode: Tensor, reward: Reward, generator: torch.Generator) -> Trajectories:
        """A trajectory to a good subgraph of each of some episodes, where one is kept. [n]"""
        start = episodes.graphs.rows(episodes.instance[episode], episodes.start[episode])
        known = self.log_reward[start].isfinite().any(1)
        episode, start = episode[known], start[known]
        if not len(episode):
            nodes = self.nodes.new_full((0, self.nodes.shape[2]), -1).long()
        else:
            chance = self.log_reward[start].softmax(1)
            nodes = self.nodes[start, torch.multinomial(chance, 1, generator=generator)[:, 0]].long()
        instance = episodes.instance[episode]
        held = nodes.clamp(min=0)
        links = episodes.graphs.joined(instance[:, None, None], held[:, :, None], held[:, None, :])
        order = walk_back(nodes, links, generator)
        found = Trajectories(episodes, episode, order, None, torch.zeros(len(order), device=order.device))
        B, K = order.shape
        rewards = reward(found.prefixes().flatten(0, 1), instance.repeat_interleave(K)) if B else order.new_zeros(0)
        return Trajectories(episodes, episode, order, rewards.view(B, K).float(), found.log_forward)


@torch.no_grad()
def walk_back(nodes: Tensor, links: Tensor, generator: torch.Generator) -> Tensor:
    """Orders in which connected sets can be built, the first node staying first, by taking them apart at random.

    Args:
        nodes: The sets, padded with -1. [B, K]
        links: Which places of a set hold neighbours. bool [B, K, K]
        generator: Of the randomness.

    Returns:
        The same nodes in another order. [B, K]
    """
    B, K = nodes.shape
    alive, order = nodes >= 0, torch.full_like(nodes, -1)
    links = links & alive[:, :, None] & alive[:, None, :]
    others = ~torch.eye(K, dtype=torch.bool, device=nodes.device)
    rows = torch.arange(B, device=nodes.device)
    for place in range(K - 1, 0, -1):
        without = alive[:, None, :] & others  # [B, K, K]: the set without each of its places
        reached = functional.one_hot(torch.zeros(B, K, dtype=torch.long, device=nodes.device), K).bool() & without
        for _ in range(place):
            reached = reached | ((reached.float() @ links.float() > 0) & without)
        removable = (reached == without).all(2) & alive
        removable[:, 0] = False
        taken = torch.multinomial(removable.float() + 1e-9 * (~removable.any(1, keepdim=True)), 1, generator=generator)
        going = alive.sum(1) == place + 1  # smaller sets wait until it is their turn
        node = nodes.gather(1, taken)[:, 0]
        order[:, place] = node.where(going, -1)
        alive[rows, taken[:, 0]] &= ~going
    order[:, 0] = nodes[:, 0]
    return order
