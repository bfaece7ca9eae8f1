"""StartLocator 𝕃: which node of a graph to start from, in graph tasks."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from gfx_core.gnn.predict import Predictor


class StartLocator(nn.Module):
    """An MLP (64-8-1) on the GNN's embeddings of the graph and of the node gives each node an influence ω.

    Args:
        graph_width: Width of a graph's embedding.
        node_width: Width of a node's embedding.
    """

    def __init__(self, graph_width: int, node_width: int) -> None:
        super().__init__()
        self.widths = (graph_width, node_width)
        self.mlp = nn.Sequential(
            nn.Linear(graph_width + node_width, 64), nn.ReLU(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 1)
        )

    def forward(self, predictor: Predictor, instance: Tensor, node: Tensor) -> Tensor:
        """ω of some nodes. instance [n], local node [n] → [n]"""
        graph = predictor.whole.embedding[instance]
        own = predictor.node_embedding[predictor.graphs.rows(instance, node)]
        return self.mlp(torch.cat([graph, own], dim=1))[:, 0]

    @torch.no_grad()
    def probabilities(self, predictor: Predictor, instance: int) -> Tensor:
        """Softmax of ω over the nodes of one instance. [m]"""
        nodes = torch.arange(int(predictor.graphs.sizes[instance]), device=predictor.device)
        return self(predictor, torch.full_like(nodes, instance), nodes).softmax(0)


def locator_loss(omega: Tensor, log_reward: Tensor) -> Tensor:
    """KL between softmax(ω) and softmax(log R of the subgraph sampled from that node), over starts of a graph.

    Args:
        omega: [G, starts]
        log_reward: [G, starts]
    """
    return functional.kl_div(omega.log_softmax(1), log_reward.softmax(1), reduction="batchmean")
