"""One explanation as it is used in a notebook: looked at, saved, taken on to PyG or networkx. Needs torch."""

import webbrowser
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from gfx_core.arrays import Doubles, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.trace.schema import Answer, Trace
from gfx_core.user_models.predictor import inputs_of

if TYPE_CHECKING:
    from pyvis.network import Network
    from torch_geometric.explain import Explanation as PyGExplanation

_EXPORT = "gfx_core.drawing.export"
"""What an explanation is drawn with: it stands above this module and is loaded by name, once something is shown."""


@dataclass(frozen=True, eq=False)
class ExplanationResult:
    """Why a GNN predicts what it predicts for one node or graph. In a notebook it plays by itself.

    Attributes:
        trace: Everything that is shown of it.
        edge_index: The edges as they were given: of the whole graph, or of the explained one. [2, E]
        edge_mask: A score for each of them, 0 for those out of sight and for self-loops. [E]
        node_mask: A score for each node. [N]
        control: What comes out for a GNN whose prediction never changes (`gfx_core.bench.control`), where it is wanted.
    """

    trace: Trace
    edge_index: Tensor
    edge_mask: Tensor
    node_mask: Tensor
    control: Any = None

    @classmethod
    def of(cls, trace: Trace, instance: Instance, data: Any, control: Any = None) -> "ExplanationResult":
        """Put a trace's scores on the graph that was given.

        Args:
            trace: The explanation.
            instance: What was explained.
            data: Where it was cut out of: one PyG graph, or else scores are on the instance's own graph.
            control: Of the explanation.
        """
        nodes = torch.from_numpy(instance.nodes)
        single = isinstance(data, Data) and not isinstance(data, Batch)
        if hasattr(data, "edge_index") and (single or instance.target is not None):
            edge_index, count = torch.as_tensor(data.edge_index).cpu(), len(data.x)
        else:
            edge_index, count = nodes[inputs_of(instance).edge_index.cpu()], int(nodes.max()) + 1
        scores = instance.both_directions(trace.edge_marginals)
        edge_mask = scores_on_edges(instance.nodes[instance.edge_index], scores, edge_index)
        members, node_mask = np.zeros(instance.num_nodes), torch.zeros(count)
        for sample in trace.samples:
            members[list(sample.nodes)] += sample.count / trace.num_drawn
        node_mask[nodes] = torch.from_numpy(members).float()
        return cls(trace, edge_index, edge_mask, node_mask, control)

    @property
    def _answer(self) -> Answer:
        assert self.trace.answer is not None
        return self.trace.answer

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        return self._answer.sentence

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be read before it is believed."""
        return self.trace.notes

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes of the first reason, by their numbers in what was given."""
        return tuple(self.trace.nodes[node].id for node in self._answer.first.nodes)

    @property
    def prediction(self) -> str:
        """The explained class by its name."""
        return self.trace.classes[self.trace.prediction.predicted]

    @property
    def words(self) -> str:
        """The sentence, the notes and the control."""
        control = () if self.control is None else (self.control.sentence,)
        return "\n".join((self.sentence, *self.notes, *control))

    def __repr__(self) -> str:
        return f"ExplanationResult({self.words})"

    def _repr_html_(self) -> str:
        return str(import_module(_EXPORT).in_notebook(self.trace, self.words))

    def html(self) -> str:
        """One page that plays it without a server or a network."""
        return str(import_module(_EXPORT).player_html(self.trace))

    def show(self) -> Path:
        """Open it in the browser; returns where the page lies."""
        path = self.save(Path(mkdtemp(prefix="gfx-")) / "explanation.html")
        webbrowser.open(path.as_uri())
        return path

    def save(self, path: str | Path) -> Path:
        """Write it as ``.html`` (plays offline), ``.json`` (a Trace, opens in the explorer) or ``.gif``."""
        path = Path(path)
        content = import_module(_EXPORT).content(self.trace, path.suffix.lower())
        try:
            path.write_bytes(content)
        except OSError as error:
            raise UserError(f"The file cannot be written to {path.parent}: choose another folder.") from error
        return path

    def to_networkx(self) -> nx.Graph:
        """What the GNN saw, under the numbers that were given, with a mark on what is the answer.

        Nodes have ``label``, ``score`` and ``in_answer``; edges ``score`` and ``in_answer``.
        """
        trace, reason = self.trace, self._answer.first
        ids = [node.id for node in trace.nodes]
        graph: nx.Graph = nx.Graph(sentence=self.sentence)
        for number, node in enumerate(trace.nodes):
            score = float(self.node_mask[node.id])
            graph.add_node(node.id, label=node.label, score=score, in_answer=number in reason.nodes)
        for number, (edge, score) in enumerate(zip(trace.edges, trace.edge_marginals, strict=True)):
            graph.add_edge(ids[edge.source], ids[edge.target], score=score, in_answer=number in reason.edges)
        return graph

    def to_pyvis(self) -> "Network":
        """A network that moves freely; its file holds all that it needs, ``to_pyvis().save_graph("x.html")``."""
        network: Network = import_module("gfx_core.drawing.network").trace_network(self.trace)
        return network

    def to_pyg(self) -> "PyGExplanation":
        """PyG's own object, on the given edges."""
        from torch_geometric.explain import Explanation as PyGExplanation

        return PyGExplanation(
            edge_index=self.edge_index,
            edge_mask=self.edge_mask,
            node_mask=self.node_mask[:, None],
            target=torch.tensor([self.trace.prediction.predicted]),
        )


def scores_on_edges(ends: Ints, scores: Doubles, edge_index: Tensor) -> Tensor:
    """Scores of some edges, put on an edge list in any order; 0 for edges that are none of them. [E]

    Args:
        ends: Edges in both directions, by the numbers that the list uses. [2, e]
        scores: Of each. [e]
        edge_index: The list. [2, E]
    """
    score_of = dict(zip(zip(*ends.tolist(), strict=True), scores.tolist(), strict=True))
    return torch.tensor([score_of.get(edge, 0.0) for edge in zip(*edge_index.tolist(), strict=True)])
