"""Word vectors that a GNN learns for itself: a table of hashed subwords, trained together with its layers.

While it trains, a node's feature is the number of its word, and the GNN looks the vector up. Afterwards the table goes
into the GNN's file, data sets take their features from it (`gfx_core.datasets.sentences`), and the GNN is one like any
other: it reads vectors.
"""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.sentences import bags
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.gnn.settings import WordsConfig


def numbered(dataset: GraphDataset) -> tuple[GraphDataset, list[str]]:
    """The data set with the number of its word as each node's only feature, and the words; 0 stands for no word."""
    if not dataset.node_texts:
        raise UserError(f"{dataset.info.title} has no words: its GNN cannot learn vectors for them.")
    words, number = np.unique(np.array([text.lower() for text in dataset.node_texts]), return_inverse=True)
    return replace(dataset, x=(number + 1).astype(np.float32)[:, None]), words.tolist()


class WordGNN(GNN):
    """A GNN in training that looks its words' vectors up.

    Args:
        dataset: What it is to learn.
        words: All that occur; word ``i`` has the number ``i + 1``.
        shape: Kind, hidden width and number of layers of the GNN.
        config: How the vectors are learned.
        seed: Of what is dropped.
    """

    def __init__(
        self, dataset: GraphDataset, words: list[str], shape: tuple[str, int, int], config: WordsConfig, seed: int = 0
    ) -> None:
        kind, hidden, num_layers = shape
        super().__init__(dataset.task, kind, config.width, dataset.num_classes, hidden, num_layers)
        self.words, self._seed = config, seed
        self._generator: torch.Generator | None = None
        self.table = nn.Parameter(config.spread * torch.randn(config.buckets, config.width))
        rows, counts = (torch.from_numpy(array) for array in bags(words, config.buckets))
        counts = torch.cat([counts.new_zeros(1), counts])  # a padded node has no word, and the vector 0
        self.register_buffer("rows", rows, persistent=False)
        self.register_buffer("counts", counts, persistent=False)
        self.register_buffer("begin", counts.cumsum(0) - counts, persistent=False)

    def vectors(self, x: Tensor) -> Tensor:
        """Vectors for word numbers. [..., 1] → [..., width]"""
        different, place = x[..., 0].long().unique(return_inverse=True)
        count = self.get_buffer("counts")[different]
        first = count.cumsum(0) - count
        shift = (self.get_buffer("begin")[different] - first).repeat_interleave(count)
        at = self.get_buffer("rows")[torch.arange(len(shift), device=x.device) + shift]
        summed = functional.embedding_bag(at, self.table, first, mode="sum")
        vectors = (summed / count.clamp(min=1).sqrt()[:, None])[place]
        if not self.training:
            return vectors
        if self._generator is None:
            self._generator = torch.Generator(x.device).manual_seed(self._seed)

        def kept(size: torch.Size, dropped: float) -> Tensor:
            return torch.rand(size, device=x.device, generator=self._generator) >= dropped

        whole = kept(torch.Size((*vectors.shape[:-1], 1)), self.words.word_dropout)
        return vectors * whole * kept(vectors.shape, self.words.dropout) / (1 - self.words.dropout)

    def embed(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return super().embed(self.vectors(x), edge_index)

    def finished(self) -> GNN:
        """The GNN that reads vectors, with the table that they come from, as it will be kept: in half precision."""
        model = GNN(self.task, self.kind, self.in_channels, self.num_classes, self.hidden, self.num_layers)
        model.load_state_dict({name: value for name, value in self.state_dict().items() if name != "table"})
        model.word_table = self.table.detach().half().cpu()
        return model.to(self.table.device)

    @torch.no_grad()
    def round(self) -> None:
        """Make the table what it will be once it is kept."""
        self.table.copy_(self.table.half())
