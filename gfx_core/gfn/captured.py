"""CapturedSampler: a whole batch of trajectories and their valid parents in one CUDA graph.

Sampling is a loop of hundreds of tiny kernels; launching them one by one takes far longer than running them. The
loop has a fixed length and asks the device nothing, so it is recorded once and replayed with new randomness, new
start nodes and the weights as they are by then.
"""

import torch
from torch import Tensor

from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Draws, Trajectories, parent_nodes, sample
from gfx_core.gfn.settings import Parents


class CapturedSampler:
    """Samples one trajectory from each of some fixed episodes.

    Args:
        policy: Where the flows come from; its weights may change in place between calls.
        episodes: Instances and start nodes; the start nodes may change in place.
        reward: Gives STOP its flow where the policy has no head for it.
        epsilon: Share of actions drawn uniformly.
        parents: Which parents are wanted.
    """

    def __init__(
        self, policy: FlowPolicy, episodes: Episodes, reward: Reward, epsilon: float, parents: Parents
    ) -> None:
        device = episodes.instance.device
        self._draws = Draws.empty(policy.max_nodes, len(episodes), episodes.width + 1, device)
        each = torch.arange(len(episodes), device=device)

        def run() -> tuple[Trajectories, Tensor]:
            trajectories = sample(policy, episodes, each, reward, epsilon=epsilon, generator=self._draws)
            return trajectories, parent_nodes(trajectories, parents)

        self._draws.fill(None)
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):  # libraries allocate on first use: not while capturing
            run()
        torch.cuda.current_stream().wait_stream(aside)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._result = run()

    def __call__(self, generator: torch.Generator) -> tuple[Trajectories, Tensor]:
        """Trajectories and the parents of their states; both are overwritten by the next call."""
        self._draws.fill(generator)
        self._graph.replay()
        return self._result
