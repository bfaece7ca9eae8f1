"""The first generation of GNNs and reward beside today's: what the change did to every method.

The records of the first generation are gone; their means are kept in ``first_generation.json``, which says where they
come from.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from gfx_core.bench.cells import Record
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Entry, Row, Table
from gfx_core.bench.verdicts import OWN, level, means
from gfx_core.errors import UserError

FILE = "first_generation.json"

_CHANGED = (
    "The first generation of GNNs was trained on whole graphs only, and the reward asked no price for a node (preset "
    "“sharp”). A GNN that has never seen a fragment may say anything of it, and rewards are made of what it says of "
    "fragments. Today's GNNs are trained on random connected fragments too, and every node of an explanation has a "
    "price (preset “occam”)."
)

_RULE = (
    "GFlowExplainer's figures in this comparison are edge marginals as drawn, as they were then; Table 1 now has them "
    "as expected, with STOP averaged over."
)
THEN = "auc_own_marginals"
"""By which rule GFlowExplainer was scored in the first generation."""


def first_generation(folder: Path) -> dict[str, dict[str, float]]:
    """AUC of the own motif in the first generation, by method and data set; nothing if the folder has no such file."""
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        found: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))["auc_own"]
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} does not hold the figures of the first generation: put it back from git.") from error
    return found


def two_generations(study: Study, before: Mapping[str, Mapping[str, float]], records: Sequence[Record]) -> list[str]:
    """A paragraph on what changed and what it did to every method, and a table with both rows of GFlowExplainer.

    Args:
        study: The study of quality.
        before: The first generation's AUC, by method and data set.
        records: Today's records.
    """
    if not any("half" in record["options"] for record in records):
        return []  # these are of the first generation themselves
    table_1 = means(records, study.value)
    drawn = means([r for r in records if r["method"] == OWN], THEN)  # like is compared with like
    now = {name: by_method | drawn.get(name, {}) for name, by_method in table_1.items()}
    rows: list[Row] = []
    changes: dict[str, tuple[float, float]] = {}
    for method in before:
        both = [name for name in now if method in now[name] and name in before[method]]
        if both:
            changes[method] = fmean(before[method][n] for n in both), fmean(now[n][method] for n in both)
    if OWN not in changes:
        return []
    labelled: dict[str, Mapping[str, float]] = {"first generation": before[OWN]}
    if drawn:
        labelled["today, scored as then"] = {name: by_method[OWN] for name, by_method in drawn.items()}
    labelled["today"] = {name: by_method[OWN] for name, by_method in table_1.items() if OWN in by_method}
    for label, by_dataset in labelled.items():
        rows.append(Row(f"{study.titles[OWN]}, {label}", {name: Entry((auc,)) for name, auc in by_dataset.items()}))
    table = Table("AUC, own motif, GFlowExplainer in both generations", study.columns(records), rows, counts=False)
    return [" ".join(filter(None, (_CHANGED, _effect(study, changes), _RULE if drawn else ""))), table.markdown()]


def _effect(study: Study, changes: Mapping[str, tuple[float, float]]) -> str:
    """What the change did to every method, in sentences."""
    moved = {
        "better": {m: pair for m, pair in changes.items() if pair[1] > pair[0] and not level(*pair)},
        "as good as before": {m: pair for m, pair in changes.items() if level(*pair)},
        "worse": {m: pair for m, pair in changes.items() if pair[1] < pair[0] and not level(*pair)},
    }
    said = [
        f"{words}: "
        + ", ".join(f"{study.titles.get(m, m)} {then:.3f} → {today:.3f}" for m, (then, today) in some.items())
        for words, some in moved.items()
        if some
    ]
    moves = "; ".join(said)
    return (
        "Mean AUC of the own motif over the data sets that were measured in both, then (every explainable instance) "
        f"and now (the reporting half, without what the GNN gets wrong). {moves[0].upper()}{moves[1:]}. Part of a "
        "difference may be due to the instances and to the number of seeds, and some methods' settings have changed "
        "as well."
    )
