"""GFlowExplainer where there is nothing to learn, or nothing to explain: what its real answers are compared with."""

from collections.abc import Sequence
from typing import Any

from gfx_core.bench.cells import Cell
from gfx_core.bench.protocol import CONSTANT, CONTROLS, UNTRAINED
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.gflow_method import GFlowMethod
from gfx_core.explainers.method import Cancelled, Method, Progress
from gfx_core.explainers.registry import chosen_settings, make_method, read_settings, settings_path
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN, constant_gnn
from gfx_core.gnn.predict import SubgraphPredictor


class Untrained(GFlowMethod):
    """A policy with the weights that are drawn for this seed, before anything is known of what it is to learn."""

    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        config = (self.config or policy_config(instances[0].dataset)).sampled
        config = config.with_options(seed=self.seed, parents=self.parents)
        trainer = Trainer(SubgraphPredictor(self.model, instances[:1], self.device), config)  # weights need no more
        self._keep(TrainedPolicy.of(trainer, instances[0].dataset, str(self.model.kind)))


def method_of(cell: Cell, model: GNN) -> Method:
    """The explainer or the control that a cell names; one that learns has learnt nothing yet."""
    epochs = cell.options.get("epochs")
    if cell.method == UNTRAINED:
        return Untrained(model, seed=cell.seed, device=cell.device)
    if cell.method == CONSTANT:
        return GFlowMethod(constant_gnn(model), seed=cell.seed, device=cell.device, epochs=epochs)
    settings = chosen_settings(cell.method, cell.dataset, str(model.kind))
    return make_method(cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=epochs)


def settings_of(cell: Cell, gnn: str) -> dict[str, Any]:
    """The settings that were chosen for an explainer on the tuning half, and all that were tried; often nothing.

    Args:
        cell: Names the explainer and the data set.
        gnn: The kind of GNN.
    """
    if cell.method in CONTROLS:
        return {}
    kept = read_settings(settings_path(cell.dataset, gnn)).get(cell.method)
    if kept is None:
        chosen = chosen_settings(cell.method, cell.dataset, gnn)  # those of another method that it shares
        return {"settings": chosen} if chosen else {}
    tried = [{"settings": one["settings"], "cost": one["cost"]} for one in kept["tried"]]
    return {"settings": kept["chosen"]} | ({"tried": tried} if cell.seed == 0 else {})
