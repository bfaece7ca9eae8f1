"""What training on one instance brings: distance from P ∝ R before and after, and what becomes of the AUC."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from gfx_core.bench.auc import TITLES
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.tables import Table, present, table_of_values
from gfx_core.datasets.registry import DATASETS

BENCHMARK = "tuning"
FUNCTION = "gfx_core.bench.tuning:tune"
VALUE = "distance_after"
INSTANCES, CAP = 8, 4000
"""How many instances of a data set, evenly spread among those with no more states than this."""

_SHOWN = {
    "distance_before": "Total variation from P ∝ R, shipped policy",
    "distance_after": "Total variation after training on the one instance",
    "nearer": "Share of instances that came nearer",
    "auc_before": "AUC, own motif, shipped policy",
    "auc_after": "AUC after training on the one instance",
    "auc_exact": "AUC of exact P ∝ R",
    "seconds": "Seconds of training",
    "instances": "Instances",
}


def cells(
    datasets: Sequence[str], methods: Sequence[str] | None, seeds: int | None, device: str, quick: bool = False
) -> list[Cell]:
    """One for each data set."""
    options = {"device": device, "instances": INSTANCES, "cap": CAP} | ({"instances": 1, "epochs": 2} if quick else {})
    return [Cell(BENCHMARK, name, "gflowexplainer", 0, options=options) for name in datasets]


def cost(cell: Cell) -> float:
    return 1.0


def tune(cell: Cell) -> dict[str, Any]:
    """Train the shipped policy further on some instances, each by itself."""
    import numpy as np

    from gfx_core.bench.scoring import spread
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.explainers.generate import SubgraphSampler
    from gfx_core.explainers.tuning import EPOCHS, tuned_policy
    from gfx_core.gfn.checkpoint import load_policy
    from gfx_core.gfn.exact import edge_marginals, target_distribution, total_variation
    from gfx_core.gfn.paths import policy_path
    from gfx_core.gfn.state_dag import TooManyStates, enumerate_states
    from gfx_core.gnn.checkpoint import load_model
    from gfx_core.gnn.predict import SubgraphPredictor
    from gfx_core.metrics.auc import pooled_auc
    from gfx_core.trace.schema import TUNED

    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset)
    trained, wanted = load_policy(policy_path(cell.dataset)), cell.options["instances"]
    most = trained.config.max_nodes
    found = []
    for index in spread(dataset.explainable, 10 * wanted):
        instance = dataset.instance(int(index))
        before = SubgraphSampler(trained, SubgraphPredictor(model, [instance], cell.device), instance)
        with suppress(TooManyStates):
            found.append((before, enumerate_states(instance, before.locate(), most, cell.options["cap"])))
    instances, seconds = [], []
    distances: dict[str, list[float]] = {"before": [], "after": []}
    scores: dict[str, list[np.ndarray]] = {"before": [], "after": [], "exact": []}
    for at in spread(np.arange(len(found)), wanted):
        before, dag = found[at]
        instance, log_reward = before.instance, before.log_rewards(dag.subsets)
        log_target = target_distribution(log_reward)
        tuned = tuned_policy(before, epochs=cell.options.get("epochs", EPOCHS))
        after = SubgraphSampler(tuned, before.predictor, instance)
        instances.append(instance)
        seconds.append(tuned.made[TUNED]["seconds"])
        scores["exact"].append(edge_marginals(dag, instance, np.exp(log_target)))
        for name, generator in (("before", before), ("after", after)):
            log_policy = generator.terminal_distribution(dag, log_reward)
            distances[name].append(total_variation(log_policy, log_target))
            scores[name].append(edge_marginals(dag, instance, np.exp(log_policy)))
    values: dict[str, Any] = {"instances": len(instances), "explained": " ".join(str(i.index) for i in instances)}
    if instances:
        values |= {f"distance_{name}": float(np.mean(each)) for name, each in distances.items()}
        values |= {f"auc_{name}": pooled_auc(instances, each) for name, each in scores.items()}
        nearer = [after < before for before, after in zip(distances["before"], distances["after"], strict=True)]
        values |= {"nearer": float(np.mean(nearer)), "seconds": float(np.mean(seconds)), "distances": distances}
    return values


def tables(records: Iterable[Record]) -> list[Table]:
    """A row for each number, a column for each data set."""
    records = list(records)
    columns = {name: TITLES[name] for name in present(DATASETS, records, "dataset")}
    return [table_of_values(records, _SHOWN, columns=columns, digits={"seconds": 1, "instances": 0}, counts=False)]
