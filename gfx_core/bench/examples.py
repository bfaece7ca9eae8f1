"""Examples: which instances open first, by a rule, from what the shipped GNNs and policies give. Needs torch.

A *clear case*: the GNN is right, one mode has at least 80 % of the samples, it alone is enough for the prediction, and
the prediction falls without it (`gfx_core.explanation.answer`). The first example is the clearest of readable size:
the one whose least number is the largest, among what it gives alone, how far the prediction falls without it, and the
share of samples that end exactly there. The second is instructive because it is not clear: two reasons, or one that the
GNN does not need. Where nothing is clear, the first is the one with the fewest doubts, and pages name them. Most
candidates have a motif; whether the explanation is that motif has no part in the rule. What was an example stays one:
lessons, documents and links name it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from gfx_core.arrays import spread
from gfx_core.datasets.registry import listed, source_of
from gfx_core.datasets.source import FILE, ChosenExample, Listed, Numbered, examples
from gfx_core.explanation.answer import ALONE
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.files import write_text
from gfx_core.job_context import JobContext
from gfx_core.trace.schema import Trace, Verdict

CANDIDATES = 60
"""At most so many instances with a motif of each data set, evenly spread."""
READABLE = range(9, 41)
"""Nodes of an instance that is easy to read."""
INSTRUCTIVE = ("several", "spare", "spread", "part", "undecided", "whole")
"""Doubts, those first that teach most."""


def example_of(question: Question, trace: Trace) -> ChosenExample:
    """An instance with all doubts about its trace. That the true class of typed molecules is unknown is no doubt."""
    prediction, answer, true = trace.prediction, trace.answer, trace.prediction.true
    assert answer is not None
    holds = {
        "wrong": true is not None and true != prediction.predicted,
        "several": len(answer.reasons) > 1,
        "spread": len(answer.reasons) == 1 and answer.first.share < ALONE,
        "part": not any(prediction.is_enough(reason.alone) for reason in answer.reasons),
        "spare": not prediction.falls(answer.without_all),
        "whole": answer.verdict is Verdict.WHOLE,
        "undecided": answer.verdict is Verdict.UNDECIDED,
    }
    return ChosenExample(
        source=question.source,
        name=question.name,
        prediction=trace.classes[prediction.predicted],
        true="" if true is None else trace.classes[true],
        doubts=tuple(filter(holds.__getitem__, holds)),
        reasons=len(answer.reasons),
    )


def choose(traces: Mapping[ChosenExample, Trace]) -> list[ChosenExample]:
    """The clearest example of a source, and the first of those that are not clear and instructive."""

    def clarity(example: ChosenExample) -> tuple[Any, ...]:
        """One with a motif, on which the answer can be checked, comes before one without."""
        trace, answer, explained = traces[example], traces[example].answer, traces[example].prediction.predicted
        assert answer is not None
        falls = trace.prediction.probability - answer.without_all[explained]
        least = min(answer.first.alone[explained], falls, answer.first.drawn / trace.num_drawn)
        return -len(example.doubts), trace.has_truth, len(trace.nodes) in READABLE, least

    lessons = [example for example in traces if example.doubts and "wrong" not in example.doubts]
    instructive = min(lessons, key=lambda example: (len(example.doubts), INSTRUCTIVE.index(example.doubts[0])))
    return [max(traces, key=clarity), instructive]


def candidates(dataset: str, source: str) -> list[str]:
    """The names of the instances of a source among which the rule chooses."""
    where = source_of(dataset, source)
    if isinstance(where, Listed):
        return list(where.names)
    assert isinstance(where, Numbered)
    return list(map(str, spread(where.dataset().explainable, CANDIDATES).tolist()))


def choose_all(device: str) -> Iterator[str]:
    """Choose the examples of all data sets that pages offer and write the file, a sentence for each.

    Where instances must be downloaded first and are not here, nothing is chosen anew.
    """
    chosen: dict[str, list[ChosenExample]] = {dataset: [] for dataset in listed()}
    for dataset, rows in chosen.items():
        for source in dict.fromkeys(example.source for example in examples(dataset)):
            best = list(examples(dataset, source))
            if source_of(dataset, source).ready:
                names = [example.name for example in best]
                traces = {}
                for name in dict.fromkeys(names + candidates(dataset, source)):
                    question = Question(dataset, name, source)
                    trace = explain(question, JobContext(device), plays=False)
                    traces[example_of(question, trace)] = trace
                best = [*choose(traces), *(example for example in traces if example.name in names)]
                yield f"{dataset}, {len(traces)} by {source}: {best[0].name} is {best[0].words}"
            rows += dict.fromkeys(best)
    lists = {dataset: list(map(asdict, rows)) for dataset, rows in chosen.items()}
    write_text(FILE, json.dumps(lists, indent=1, ensure_ascii=False) + "\n")
