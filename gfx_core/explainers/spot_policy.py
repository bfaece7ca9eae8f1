"""A policy for one prediction of somebody's own data set, trained from nothing while they wait.

No policy is shipped for such data. Where all states can be listed, exact flows need none; where they cannot, a policy
is trained on this prediction alone, and kept with the data set. This module is imported in workers: it needs torch.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic

import numpy as np

from gfx_core import storage
from gfx_core.arrays import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explainers.explanation import Explanation
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.method import Method
from gfx_core.explainers.on_the_spot import EPOCHS, RATE, TRAJECTORIES, quickly
from gfx_core.explainers.subgraph_source import Listing
from gfx_core.explainers.tuned import KEPT, UNLISTED
from gfx_core.gfn.policy_file import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictor
from gfx_core.gnn.pyg_import import import_compiler
from gfx_core.job_context import JobContext
from gfx_core.trace.schema import TUNED, Trace

MOST_S = 10.0
"""A training on the spot ends after so long, with what it has learnt by then."""


@dataclass(frozen=True, eq=False)
class Spot:
    """What a policy is trained for.

    Attributes:
        config: K_M and the reward.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        start: The node that all subgraphs hold.
    """

    config: GFNConfig
    predictor: Predictor
    instance: Instance
    start: int


class OneStart(SubgraphSampler):
    """A policy that was trained from one start node, and so draws from that one alone, be it in a graph task.

    Args:
        trained: The policy.
        spot: What it was trained for.
        listings: See `SubgraphSource`.
    """

    def __init__(self, trained: TrainedPolicy, spot: Spot, listings: dict[int, Listing] | None = None) -> None:
        super().__init__(trained, spot.predictor, spot.instance, listings=listings)
        self.start = spot.start

    def locate(self) -> int:
        return self.start

    def draw_anywhere(self, count: int, seed: int) -> Ints:
        return self.draw(count, seed).orders


class Recorded(Method):
    """GFlowExplainer as one method among others where no policy serves all predictions: each is explained by itself.

    Args:
        model: The GNN.
        explained: Explains the one instance that is asked about.
    """

    def __init__(self, model: GNN, explained: Callable[[], Trace]) -> None:
        super().__init__(model)
        self._explained = explained

    def explain(self, instance: Instance) -> Explanation:
        """The edge marginals of the trace."""
        trace = self._explained()
        return Explanation(
            instance.both_directions(trace.edge_marginals), np.array(trace.steps[-1].members, dtype=np.int64)
        )


def trained_on_the_spot(
    job: JobContext, spot: Spot, folder: Path, watch: Callable[[Trainer], None] | None = None
) -> TrainedPolicy:
    """The policy for one prediction: from disk, or trained now, with progress.

    Args:
        job: Told how far it is.
        spot: What it is for.
        folder: Where such policies are kept.
        watch: Given the trainer, if there is something to train.
    """
    predictor, instance = spot.predictor, spot.instance
    spot = replace(spot, config=quickly(replace(spot.config, epochs=EPOCHS), instance.num_nodes))
    path = folder / f"{_digest(spot)}.safetensors"
    if (known := storage.find(path)) is not None:
        with contextlib.suppress(UserError):  # a damaged file is made anew
            return load_policy(known)
    job.take_long()
    job.report(0.1, "loading what a training needs")
    import_compiler()
    fixed = spot.start if instance.target is None else None
    trainer = Trainer(predictor, spot.config, start=fixed, repeats=TRAJECTORIES)
    if watch is not None:
        watch(trainer)
    until = monotonic() + MOST_S

    def tell(report: EpochReport) -> None:
        left = max(report.epoch / report.epochs, 1 - (until - monotonic()) / MOST_S)
        words = f"training on this one: epoch {report.epoch} of {report.epochs}, residual {report.residual:.2f}"
        job.report(0.9 * min(1.0, left), f"{words} ({UNLISTED})")

    trainer.fit(tell, lambda: job.cancelled() or monotonic() > until)
    told = {
        "epochs": trainer.epoch,
        "trajectories": TRAJECTORIES,
        "lr": RATE,
        "seconds": round(sum(report.seconds for report in trainer.curve), 3),
        "residuals": [round(report.residual, 6) for report in trainer.curve],
        "divergences": [],
        "distances": [],
    }
    model = getattr(predictor, "model", None)
    trained = TrainedPolicy.of(trainer, instance.dataset, model.kind if isinstance(model, GNN) else "")
    trained = replace(trained, locator=None, made=trained.made | {TUNED: told})
    storage.keep(path, lambda place: save_policy(trained, place), KEPT)
    return trained


def _digest(spot: Spot) -> str:
    """Names all that the outcome depends on but the computer's speed."""
    found, instance = hashlib.sha256(), spot.instance
    found.update(json.dumps([asdict(spot.config), spot.start, instance.target], sort_keys=True, default=str).encode())
    model = getattr(spot.predictor, "model", None)
    if isinstance(model, GNN):
        for tensor in model.state_dict().values():
            found.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    found.update(instance.x.tobytes())
    found.update(instance.edge_index.tobytes())
    return found.hexdigest()[:40]
