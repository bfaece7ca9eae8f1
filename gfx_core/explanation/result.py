"""One explanation as it is used in a notebook: looked at, saved, taken on to PyG or networkx; and its control.

The constant-GNN control asks how much of an explanation would be the same if the GNN always said the same.
"""

import webbrowser
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.data import Data

from gfx_core.arrays import Doubles, Ints
from gfx_core.config import data_root
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explanation.answer import marginals_of
from gfx_core.explanation.flows import Region, exact_flows, trained_flows
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.samplers import Flows
from gfx_core.explanation.subject import Subject
from gfx_core.gnn.predict import Predictions, Predictor, Subgraphs
from gfx_core.job_context import Deadline, JobContext
from gfx_core.trace.schema import Trace
from gfx_core.user_models.predictor import inputs_of

if TYPE_CHECKING:
    from pyvis.network import Network
    from torch_geometric.explain import Explanation as PyGExplanation


_ALIKE, _PARTLY = 0.8, 0.5


@dataclass(frozen=True, eq=False)
class Control:
    """What comes out for a GNN that gives every subgraph the same answer.

    Attributes:
        edge_marginals: Of each undirected edge of the instance. [E]
        correlation: Between these and those of the explanation; ``None`` where one of the two is the same on all edges.
        sentence: What that says.
    """

    edge_marginals: Doubles
    correlation: float | None
    sentence: str


class ConstantPredictor(Predictor):
    """A GNN that says of every part of one instance what the real one says of the whole."""

    def __init__(self, real: Predictor, instance: Instance) -> None:
        super().__init__(real.task, [instance], real.device)
        self._answer = real.whole
        self.graphs.x = real.graphs.x

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        return self._same(len(subgraphs.mask))

    @property
    def whole(self) -> Predictions:
        return self._same(1)

    def with_edges(self, instance: Instance, kept: Tensor | NDArray[np.bool_]) -> Predictions:
        return self._same(len(kept))

    @property
    def node_embedding(self) -> Tensor:
        """It knows nothing of any node."""
        return torch.zeros_like(self.graphs.x[:, :1])

    def _same(self, count: int) -> Predictions:
        return Predictions(self._answer.logits.expand(count, -1), self._answer.embedding.expand(count, -1))


def constant_control(source: Flows, trace: Trace, job: JobContext, deadline: Deadline) -> Control:
    """Explain a constant GNN in the same way, from the same start node if that can be, and compare.

    Args:
        source: The flows of the real one.
        trace: Its explanation.
        job: Told how far it is.
        deadline: When it is to be there.
    """
    instance, config = source.instance, source.config
    constant = ConstantPredictor(source.predictor, instance)
    question = Question(start=trace.start, user=UserPrediction(nn.Module(), instance))
    subject = Subject(question, instance, nn.Module(), config, None, data_root() / "tuned")
    region = Region.of(subject, constant, deadline)
    flows = exact_flows(region, job) or trained_flows(region, subject, job)
    samples = flows.sample(int(trace.made.get("samples", 64)), int(trace.made.get("seed", 0)))
    found = marginals_of(flows.instance, samples)
    correlation = correlated(np.array(trace.edge_marginals), found)
    return Control(found, correlation, _sentence(correlation))


def correlated(one: Doubles, other: Doubles) -> float | None:
    """Pearson's correlation; ``None`` where one of the two does not vary."""
    if len(one) < 2 or one.std() < 1e-9 or other.std() < 1e-9:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _sentence(correlation: float | None) -> str:
    if correlation is None:
        return (
            "Control: for a GNN that always predicts the same, no edge stands out. This explanation depends on the GNN."
        )
    start = f"Control: masks for a GNN that always predicts the same correlate {correlation:.2f} with these"
    if correlation > _ALIKE:
        return f"{start}: this explanation hardly depends on the GNN."
    if correlation > _PARTLY:
        return f"{start}: this explanation depends on the GNN in part."
    return f"{start}: this explanation depends on the GNN."


_EXPORT = "gfx_core.drawing.export"
"""What an explanation is drawn with: it stands above this module and is loaded by name, once something is shown."""


@dataclass(frozen=True, eq=False)
class ExplanationResult:
    """Why a GNN says what it says of one node or graph. In a notebook it plays by itself.

    Attributes:
        trace: Everything that is shown of it.
        edge_index: The edges as they were given: of the whole graph, or of the explained one.
        edge_mask: A score for each of them, 0 for those out of sight and for self-loops.
        node_mask: A score for each node.
        control: What comes out for a GNN that always says the same, where that was asked for.
        notes: What is to be read before it is believed.
    """

    trace: Trace
    edge_index: Tensor  # [2, E]
    edge_mask: Tensor  # [E]
    node_mask: Tensor  # [N]
    control: Control | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, trace: Trace, instance: Instance, data: Any) -> "ExplanationResult":
        """Put a trace's scores on the graph that was given.

        Args:
            trace: The explanation.
            instance: What was explained.
            data: Where it was cut out of: one PyG graph, or whatever; then scores are on the instance's own graph.
        """
        edge_index, count = _graph_edges(instance, data)
        scores = instance.both_directions(trace.edge_marginals or np.zeros(len(instance.undirected)))
        members = np.zeros(instance.num_nodes)
        total = max(1, trace.num_drawn)
        for sample in trace.samples:
            members[list(sample.nodes)] += sample.count / total
        node_mask = torch.zeros(count)
        node_mask[torch.from_numpy(instance.nodes)] = torch.from_numpy(members).float()
        return cls(
            trace,
            edge_index,
            scores_on_edges(instance.nodes[instance.edge_index], scores, edge_index),
            node_mask,
            notes=trace.notes,
        )

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        return "" if self.trace.answer is None else self.trace.answer.sentence

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes of the first reason, by their numbers in what was given."""
        held = self.trace.final.nodes if self.trace.answer is None else self.trace.answer.first.nodes
        return tuple(self.trace.nodes[node].id for node in held)

    @property
    def prediction(self) -> str:
        """The explained class by its name."""
        return self.trace.classes[self.trace.prediction.predicted]

    @property
    def words(self) -> str:
        """The sentence, and all that is to be said besides."""
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
        path = Path(mkdtemp(prefix="gfx-")) / "explanation.html"
        self.save(path)
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
        trace = self.trace
        graph: nx.Graph = nx.Graph(sentence=self.sentence)
        held = set(self.nodes)
        answer = set(trace.final.edges if trace.answer is None else trace.answer.first.edges)
        scores = trace.edge_marginals or (0.0,) * len(trace.edges)
        for node in trace.nodes:
            score = float(self.node_mask[node.id])
            graph.add_node(node.id, label=node.label, score=score, in_answer=node.id in held)
        for number, edge in enumerate(trace.edges):
            ends = trace.nodes[edge.source].id, trace.nodes[edge.target].id
            graph.add_edge(*ends, score=scores[number], in_answer=number in answer)
        return graph

    def to_pyvis(self) -> "Network":
        """A network that moves freely; its file holds all that it needs, ``to_pyvis().save_graph("x.html")``."""
        network: Network = import_module("gfx_core.drawing.network").trace_network(self.trace)
        return network

    def to_pyg(self) -> "PyGExplanation":
        """PyG's own object, on the given edges."""
        from torch_geometric.explain import Explanation as PyGExplanation

        made = PyGExplanation(edge_index=self.edge_index, edge_mask=self.edge_mask, node_mask=self.node_mask[:, None])
        made.target = torch.tensor([self.trace.prediction.predicted])
        return made


def _graph_edges(instance: Instance, data: Any) -> tuple[Tensor, int]:
    """The edges of the whole graph in a node task, of the explained graph in a graph task; and how many nodes."""
    if instance.target is not None and isinstance(data, Data):
        return data.edge_index.cpu(), len(data.x)
    if instance.target is not None and hasattr(data, "edge_index"):  # a data set of ours
        return torch.from_numpy(data.edge_index), int(data.num_nodes)
    nodes = torch.from_numpy(instance.nodes)
    return nodes[inputs_of(instance).edge_index.cpu()], int(instance.nodes.max()) + 1


def scores_on_edges(ends: Ints, scores: Doubles, edge_index: Tensor) -> Tensor:
    """Scores of some edges, put on an edge list in any order; 0 for edges that are none of them. [E]

    Args:
        ends: Edges in both directions, by the numbers that the list uses. [2, e]
        scores: Of each. [e]
        edge_index: The list. [2, E]
    """
    source, target = edge_index.cpu().numpy()
    if not ends.shape[1]:
        return torch.zeros(len(source))
    size = int(max(source.max(initial=0), target.max(initial=0), ends.max())) + 1
    keys, wanted = ends[0] * size + ends[1], source * size + target
    order = np.argsort(keys)
    at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    return torch.from_numpy(np.where(keys[at] == wanted, scores[at], 0.0)).float()
