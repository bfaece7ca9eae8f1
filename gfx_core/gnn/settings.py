"""How GNNs are trained: the options of the command line, and the shipped GNNs' own values. Needs no torch."""

import tomllib
from dataclasses import dataclass, field
from typing import Any

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.gnn.kinds import DEFAULT_KIND

_SHIPPED: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    (ASSETS / "content" / "gnns.toml").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class TrainingConfig:
    """How a GNN is trained.

    Attributes:
        kind: The convolution, by its name in `gfx_core.gnn.kinds`.
        hidden: Width of each convolution.
        num_layers: Convolutions.
        epochs: The most passes over the training set.
        patience: Stop after this many epochs without a better validation loss.
        lr: Adam's learning rate, annealed by a cosine over ``epochs``.
        weight_decay: L2 penalty.
        batch_size: Graphs in a step (graph tasks; a node task takes the whole graph).
        fragments: Random connected subgraphs in a step, new ones in every step; 0: whole graphs only.
        fragment_nodes: The most nodes of a fragment; sizes are uniform from 1 on.
        fragment_weight: Of their cross-entropy beside that of whole graphs, in training and in early stopping.
        split_seed: Of the split into training, validation and test set.
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


@dataclass(frozen=True)
class WordsConfig:
    """How word vectors are learned.

    Attributes:
        width: Numbers of a vector.
        buckets: Rows of the table.
        dropout: Share of a vector's numbers that are hidden in a step.
        word_dropout: Share of the words that are hidden in a step.
        spread: Standard deviation of a fresh table.
    """

    width: int = 32
    buckets: int = 1 << 15
    dropout: float = 0.5
    word_dropout: float = 0.3
    spread: float = 0.02


@dataclass(frozen=True)
class WordTrainingConfig(TrainingConfig):
    """How a GNN is trained that learns vectors for words besides.

    Attributes:
        average: Share of the running average of the weights that a step keeps; 0: the last weights count.
        words: How the vectors are learned.
    """

    average: float = 0.995
    words: WordsConfig = field(default_factory=WordsConfig)


def default_config(dataset: str, kind: str = DEFAULT_KIND, *, plain: bool = False) -> TrainingConfig:
    """The settings of a data set's shipped GNN.

    Args:
        dataset: Its name.
        kind: The convolution.
        plain: Of the GNN that saw whole graphs only.
    """
    table = _SHIPPED["plain"] if plain else _SHIPPED.get(kind, _SHIPPED[DEFAULT_KIND])
    values = ({"fragments": 0} if plain else {}) | table.get(dataset, {})
    config = WordTrainingConfig if "average" in values else TrainingConfig
    return config(kind=kind, **values)
