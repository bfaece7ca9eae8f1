"""GNNExplainer (Ying et al., NeurIPS 2019): PyG's algorithm.

What is free (:class:`GNNExplainerConfig`) is chosen for a data set without its ground truth, by
`gfx_core.bench.explainers`.
"""

from dataclasses import dataclass

from torch_geometric.explain import algorithm

from gfx_core.baselines.pyg_algorithm import SoftMaskMethod


@dataclass(frozen=True)
class GNNExplainerConfig:
    """How GNNExplainer fits a mask; by default as in PyG.

    Attributes:
        epochs: Steps of gradient descent.
        lr: Of Adam.
        size: Price of each edge of the mask.
        entropy: Price of the mean entropy of the mask's values.
    """

    epochs: int = 100
    lr: float = 0.01
    size: float = 0.005
    entropy: float = 1.0


class GNNExplainer(SoftMaskMethod):
    """A soft mask over the edges of each instance, fitted so that the prediction survives."""

    config_type = GNNExplainerConfig
    double = True

    def new_algorithm(self) -> algorithm.GNNExplainer:
        config: GNNExplainerConfig = self.config
        return algorithm.GNNExplainer(config.epochs, config.lr, edge_size=config.size, edge_ent=config.entropy)
