"""The constant-GNN control: how much of an explanation would be the same if the GNN always predicted the same.

Needs torch.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles
from gfx_core.config import FlowSource, data_root
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.answer import marginals_of
from gfx_core.explanation.flows import Region, exact_flows, trained_flows
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.samplers import Flows
from gfx_core.explanation.subject import Subject
from gfx_core.gnn.predict import Predictions, Predictor, Subgraphs
from gfx_core.job_context import Deadline, JobContext
from gfx_core.trace.schema import Trace

_ALIKE, _PARTLY = 0.8, 0.5


@dataclass(frozen=True, eq=False)
class Control:
    """What comes out for a GNN that gives every subgraph the same answer.

    Attributes:
        edge_marginals: Of each undirected edge of the instance. [E]
        correlation: Pearson's, between these and those of the explanation; ``None`` where one of the two does not vary.
    """

    edge_marginals: Doubles
    correlation: float | None

    @property
    def sentence(self) -> str:
        """What that means."""
        if self.correlation is None:
            return (
                "Control: for a GNN that always predicts the same, no edge stands out. This explanation depends on the "
                "GNN."
            )
        start = f"Control: masks for a GNN that always predicts the same correlate {self.correlation:.2f} with these"
        if self.correlation > _ALIKE:
            return f"{start}: this explanation hardly depends on the GNN."
        return f"{start}: this explanation depends on the GNN{' in part' if self.correlation > _PARTLY else ''}."


class ConstantPredictor(Predictor):
    """A GNN that predicts for every part of an instance what the real one predicts for the whole."""

    def __init__(self, real: Predictor, instance: Instance) -> None:
        super().__init__(real.task, [instance], real.device)
        self._answer = real.whole
        self.graphs.x = real.graphs.x

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        count = len(subgraphs.mask)
        return Predictions(self._answer.logits.expand(count, -1), self._answer.embedding.expand(count, -1))

    @property
    def whole(self) -> Predictions:
        return self._answer

    @property
    def node_embedding(self) -> Tensor:
        """It knows nothing of any node."""
        return torch.zeros_like(self.graphs.x[:, :1])


def constant_control(flows: Flows, trace: Trace, job: JobContext, deadline: Deadline) -> Control:
    """Explain a constant GNN in the same way, from the same start node if that can be, and compare.

    Args:
        flows: Those of the real one.
        trace: Its explanation.
        job: Receives progress.
        deadline: When it is to be there.
    """
    instance, nothing = flows.instance, nn.Module()
    if flows.kind is FlowSource.EXACT:
        deadline = Deadline()  # what was listed can be listed again
    question = Question(start=trace.start, user=UserPrediction(nothing, instance))
    subject = Subject(question, instance, nothing, flows.config, None, data_root() / "tuned")
    region = Region(subject, ConstantPredictor(flows.predictor, instance), deadline)
    constant = exact_flows(region, job) or trained_flows(region, subject, job)
    marginals = marginals_of(constant.instance, constant.sample(trace.made["samples"], trace.made["seed"]))
    real = np.array(trace.edge_marginals)
    if len(real) < 2 or real.std() < 1e-9 or marginals.std() < 1e-9:
        return Control(marginals, None)
    return Control(marginals, float(np.corrcoef(real, marginals)[0, 1]))
