"""The predictions whose traces are shipped: a few telling ones of each data set; and how the traces are recorded."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gfx_core.explainers import answers
from gfx_core.explainers.registry import METHODS, learnt_path
from gfx_core.job_context import JobContext
from gfx_core.question import Question
from gfx_core.trace import serialize

_BY_NUMBER = {
    "ba_shapes": (301, 423, 617),
    "ba_community": (304, 1011, 1177),
    "tree_cycles": (513, 612, 748),
    "tree_grid": (514, 700, 1021),
    "ba_2motifs": (0, 1, 42),
}
_SENTENCES = (
    "The jokes are not funny.",
    "The story never gets dull, and the ending is moving.",
    "I wanted to like this film, but it is too long and too loud.",
)
_COMPOUNDS = ("Nitrobenzene", "4-Nitroaniline", "Caffeine")

SHIPPED: tuple[Question, ...] = (
    *(Question(dataset, str(index)) for dataset, indices in _BY_NUMBER.items() for index in indices),
    *(Question("mutagenicity", compound, "compound") for compound in _COMPOUNDS),
    *(Question("graph_sst2", sentence, "example") for sentence in _SENTENCES),
)
"""Different places in the motif, small and large neighbourhoods, one of each class."""


def record_shipped(folder: Path | None = None, device: str = "cpu") -> Iterator[Path]:
    """Record the shipped traces: 64 samples, seed 0, and the masks of all methods that are ready."""
    job = JobContext(device)
    for question in SHIPPED:
        masks = tuple(answers.score_edges(question, method, job) for method in _ready_methods(question))
        path = (folder or question.shipped_trace.parent) / question.shipped_trace.name
        serialize.save(replace(answers.explain(question, job), masks=masks), path)
        yield path


def _ready_methods(question: Question) -> list[str]:
    """The explainers that need not learn first, or whose weights are shipped."""
    return [
        name
        for name, info in METHODS.items()
        if not info.learns or learnt_path(name, question.dataset, question.gnn).is_file()
    ]
