"""How a GNN is trained. Needs no torch: the options of the command line are these fields."""

from dataclasses import dataclass

from gfx_core.errors import UserError
from gfx_core.gnn.kinds import DEFAULT_KIND


@dataclass(frozen=True)
class TrainingConfig:
    """How a GNN is trained.

    Attributes:
        kind: Which convolution, by its name in `gfx_core.gnn.kinds`.
        hidden: Width of each convolution.
        num_layers: Convolutions.
        epochs: At most this many passes over the training part.
        patience: Stop after this many epochs without a better validation loss.
        lr: Adam's learning rate, annealed by a cosine over ``epochs``.
        weight_decay: L2 penalty.
        batch_size: Graphs in a step (graph tasks; a node task takes the whole graph).
        fragments: Random connected subgraphs in a step, new ones each time; 0: whole graphs only.
        fragment_nodes: The most nodes of a fragment; sizes are uniform from 1 on.
        fragment_weight: Of their cross-entropy beside that of whole graphs, in training and in early stopping.
        split_seed: Of the parts for training, validation and test.
        seed: Of the weights, the order of the batches and the fragments.
    """

    kind: str = DEFAULT_KIND
    hidden: int = 32
    num_layers: int = 3
    epochs: int = 3000
    patience: int = 600
    lr: float = 5e-3
    weight_decay: float = 0.0
    batch_size: int = 128
    fragments: int = 2048
    fragment_nodes: int = 12
    fragment_weight: float = 1.0
    split_seed: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.fragments < 0 or self.fragment_nodes < 1 or self.fragment_weight < 0:
            raise UserError("Fragments are 0 or more, of at least 1 node, and their weight is 0 or above.")
