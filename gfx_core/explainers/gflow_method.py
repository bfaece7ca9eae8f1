"""GFlowExplainer as one method among others: edge marginals of subgraphs drawn from a trained policy."""

import copy
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from gfx_core.arrays import first_best
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explainers.draw_many import ManyDraws
from gfx_core.explainers.edge_scores import expected_marginals
from gfx_core.explainers.explanation import Explanation
from gfx_core.explainers.generator import Generator
from gfx_core.explainers.method import Cancelled, CancelledError, Progress
from gfx_core.gfn.policy_file import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.settings import GFNConfig, Parents
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor


class GFlowMethod(Generator):
    """Draws subgraphs from a policy; an edge scores the share of them that is to be expected to hold it.

    Args:
        model: The GNN.
        seed: Of the training and of what is drawn.
        device: Where to compute.
        config: How the policy is trained; by default as the shipped one of the data set.
        epochs: Another length of training.
        samples: How many subgraphs are drawn.
    """

    parents = Parents.VALID

    def __init__(
        self,
        model: GNN,
        *,
        seed: int = 0,
        device: str | torch.device = "cpu",
        config: GFNConfig | None = None,
        epochs: int | None = None,
        samples: int = 64,
    ) -> None:
        super().__init__(model, seed=seed, device=device)
        self.config, self.epochs, self.samples = config, epochs, samples
        self.trained: TrainedPolicy | None = None
        self._trainer: Trainer | None = None  # while it learns

    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        if not instances:
            raise UserError("There is nothing to train on: name at least one node or graph.")
        dataset = instances[0].dataset
        if self.parents is Parents.VALID:
            config = self.config or policy_config(dataset, device=str(self.device))
        else:  # exact flows are those of valid parents
            config = (self.config or policy_config(dataset)).sampled
        config = config.with_options(seed=self.seed, parents=self.parents, epochs=self.epochs)
        trainer = self._trainer = Trainer(SubgraphPredictor(self.model, instances, self.device), config)

        def after(report: EpochReport) -> None:
            progress(report.epoch / report.epochs, f"epoch {report.epoch} of {report.epochs}")

        try:
            trainer.fit(after, cancelled)
        finally:
            self._trainer = None
        if trainer.epoch < config.epochs:
            raise CancelledError
        self._keep(TrainedPolicy.of(trainer, dataset, str(self.model.kind)))

    def so_far(self) -> "GFlowMethod":
        """What can be had already while this one learns: an explainer with a copy of the policy of this moment.

        For use in ``progress``; the training does not notice. Otherwise it is this explainer itself.
        """
        if self._trainer is None:
            return self
        now = copy.copy(self)
        now._trainer = None
        now._keep(copy.deepcopy(TrainedPolicy.of(self._trainer)))
        return now

    def generating_policy(self) -> TrainedPolicy:
        return self._need_trained()

    def explain(self, instance: Instance) -> Explanation:
        return self.explain_many([instance])[0]

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        """Edge marginals as they are to be expected, and the order of the drawn subgraph with the highest reward.

        What is drawn depends on which instances are drawn for together.
        """
        return self.found_in(instances, self.draw(instances))

    def found_in(self, instances: Sequence[Instance], drawn: ManyDraws) -> list[Explanation]:
        """What was drawn as explanations."""
        best = [
            orders[first_best(log_reward)] for orders, log_reward in zip(drawn.orders, drawn.log_reward, strict=True)
        ]
        return [
            Explanation(expected_marginals(instance, grown, reach), order[order >= 0])
            for instance, grown, reach, order in zip(instances, drawn.grown, drawn.reach, best, strict=True)
        ]

    def save(self, path: Path) -> None:
        save_policy(self._need_trained(), path)

    def load(self, path: Path) -> None:
        trained = load_policy(path)
        self._keep(trained)
        self.fit_seconds = sum(report.seconds for report in trained.curve)

    def _keep(self, trained: TrainedPolicy) -> None:
        self.trained = trained
        parts = {"policy": trained.policy} | ({} if trained.locator is None else {"locator": trained.locator})
        self.network = nn.ModuleDict(parts)

    def _need_trained(self) -> TrainedPolicy:
        if self.trained is None:
            raise UserError("No policy is trained yet: call fit, or load one.")
        return self.trained


class GFlowSequence(GFlowMethod):
    """The ablation GFlow-Sequence: the last added node gives a state its only parent."""

    parents = Parents.SEQUENCE
