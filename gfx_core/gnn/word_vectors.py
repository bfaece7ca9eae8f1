"""Word vectors that a GNN learns for itself: a table of hashed subwords, trained together with its layers.

While it trains, a node's feature is the number of its word, and the GNN looks the vector up. Afterwards the table goes
into the GNN's file, data sets take their features from it (`gfx_core.datasets.sentences`), and the GNN reads vectors
like any other.
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
from gfx_core.gnn.settings import WordTrainingConfig


def numbered(dataset: GraphDataset) -> tuple[GraphDataset, list[str]]:
    """The data set with the number of its word as each node's only feature, and the words; 0 is no word."""
    if not dataset.node_texts:
        raise UserError(f"{dataset.info.title} has no words: its GNN cannot learn vectors for them.")
    words, number = np.unique(np.array([text.lower() for text in dataset.node_texts]), return_inverse=True)
    return replace(dataset, x=(number + 1).astype(np.float32)[:, None]), words.tolist()


class WordGNN(GNN):
    """A GNN in training that looks its words' vectors up.

    Args:
        dataset: The data set to learn.
        words: All its words; word ``i`` has the number ``i + 1``.
        config: Its shape, and how the vectors are learned.
    """

    def __init__(self, dataset: GraphDataset, words: list[str], config: WordTrainingConfig) -> None:
        width, buckets = config.words.width, config.words.buckets
        super().__init__(dataset.task, config.kind, width, dataset.num_classes, config.hidden, config.num_layers)
        self.config = config
        self._generator: torch.Generator | None = None
        self.table = nn.Parameter(config.words.spread * torch.randn(buckets, width))
        rows, counts = (torch.from_numpy(array) for array in bags(words, buckets))
        counts = torch.cat([counts.new_zeros(1), counts])  # a padded node has no word, and the vector 0
        self.register_buffer("rows", rows, persistent=False)
        self.register_buffer("counts", counts, persistent=False)

    def vectors(self, x: Tensor) -> Tensor:
        """Vectors for word numbers. [..., 1] → [..., width]"""
        all_counts = self.get_buffer("counts")
        word, place = x[..., 0].long().unique(return_inverse=True)
        count = all_counts[word]
        first = count.cumsum(0) - count
        shift = ((all_counts.cumsum(0) - all_counts)[word] - first).repeat_interleave(count)
        rows = self.get_buffer("rows")[torch.arange(len(shift), device=x.device) + shift]
        sums = functional.embedding_bag(rows, self.table, first, mode="sum")
        vectors = (sums / count.clamp(min=1).sqrt()[:, None])[place]
        if not self.training:
            return vectors
        if self._generator is None:
            self._generator = torch.Generator(x.device).manual_seed(self.config.seed)

        def kept(size: torch.Size, dropout: float) -> Tensor:
            return torch.rand(size, device=x.device, generator=self._generator) >= dropout

        words = self.config.words
        whole = kept(torch.Size((*vectors.shape[:-1], 1)), words.word_dropout)
        return vectors * whole * kept(vectors.shape, words.dropout) / (1 - words.dropout)

    def embed(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return super().embed(self.vectors(x), edge_index)

    def finished(self) -> GNN:
        """The GNN that reads vectors, with their table in half precision."""
        model = GNN(self.task, self.kind, self.in_channels, self.num_classes, self.hidden, self.num_layers)
        model.load_state_dict({name: value for name, value in self.state_dict().items() if name != "table"})
        model.word_table = self.table.detach().half().cpu()
        return model.to(self.table.device)

    @torch.no_grad()
    def round(self) -> None:
        """Round the table to half precision, as it will be written."""
        self.table.copy_(self.table.half())
