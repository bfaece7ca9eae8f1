"""The constant-GNN control: how much of an explanation would be the same if the GNN always predicted the same.

Needs torch.
"""

from dataclasses import dataclass

import numpy as np
import torch

from gfx_core.arrays import Doubles
from gfx_core.config import FlowSource, FragmentModel
from gfx_core.explanation.answer import marginals_of
from gfx_core.explanation.flows import choose_flows
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.samplers import Flows
from gfx_core.explanation.subject import load
from gfx_core.gnn.models import GNN, constant_gnn
from gfx_core.job_context import JobContext
from gfx_core.trace.schema import Trace
from gfx_core.user_models.adapter import private_copy

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


def constant_control(question: Question, flows: Flows, trace: Trace, job: JobContext) -> Control:
    """Explain a constant GNN in the same way, from the same start node if that can be, and compare.

    Args:
        question: About the real one.
        flows: Its flows.
        trace: Its explanation.
        job: Receives progress.
    """
    assert question.user is not None
    constant = private_copy(question.user.model, job.device)
    if isinstance(constant, GNN):
        constant = constant_gnn(constant)
    else:
        constant.register_forward_hook(lambda _module, _arguments, output: torch.zeros_like(output))
    user = UserPrediction(constant, flows.instance, flows.config)
    seconds = None if flows.kind is FlowSource.EXACT else question.seconds  # what was listed can be again
    again = Question(user=user, start=trace.start, seconds=seconds, fragments=FragmentModel.AS_IS)
    constant_flows = choose_flows(load(again), job)
    marginals = marginals_of(constant_flows.instance, constant_flows.sample(question.samples, question.seed))
    real = np.array(trace.edge_marginals)
    if len(real) < 2 or real.std() < 1e-9 or marginals.std() < 1e-9:
        return Control(marginals, None)
    return Control(marginals, float(np.corrcoef(real, marginals)[0, 1]))
