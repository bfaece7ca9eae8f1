"""Examples: which instances open first, by a rule, from what the shipped GNNs and policies give. Needs torch.

A *clear case*: the GNN is right, one mode has at least 80 % of the samples, it alone is enough for the prediction, and
the prediction falls without it (`gfx_core.explanation.answer`). The first example is the clearest of readable size:
the one whose least number is the largest, among what it gives alone, how far the prediction falls without it, and the
share of samples that end exactly there. The second is instructive because it is not clear: two reasons, or one that the
GNN does not need. Where nothing is clear, the first is the one with the fewest doubts, and pages name them. Most
candidates have a motif; whether the explanation is that motif has no part in the rule.
"""

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from gfx_core.arrays import spread
from gfx_core.config import ASSETS
from gfx_core.datasets.chosen_examples import FILE, ChosenExample, Doubt, examples
from gfx_core.datasets.registry import listed, sources_of
from gfx_core.datasets.source import Listed, LocalFile, Numbered
from gfx_core.explanation.answer import ALONE
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import ask_about_all, explain
from gfx_core.files import write_text
from gfx_core.gnn.checkpoint import model_path
from gfx_core.job_context import JobContext
from gfx_core.trace.schema import Answer, Trace, Verdict

RULE: dict[str, Any] = tomllib.loads((ASSETS / "content" / "examples.toml").read_text(encoding="utf-8"))


def answer_of(trace: Trace) -> Answer:
    assert trace.answer is not None
    return trace.answer


def doubts(trace: Trace) -> tuple[Doubt, ...]:
    """Why a trace is no clear case. That the true class is unknown, as of typed molecules, is no doubt."""
    prediction, answer = trace.prediction, answer_of(trace)
    holds = {
        Doubt.WRONG: prediction.true is not None and prediction.true != prediction.predicted,
        Doubt.SEVERAL: len(answer.reasons) > 1,
        Doubt.SPREAD: len(answer.reasons) == 1 and answer.first.share < ALONE,
        Doubt.PART: not any(prediction.is_enough(reason.alone) for reason in answer.reasons),
        Doubt.SPARE: not prediction.falls(answer.without_all),
        Doubt.WHOLE: answer.verdict is Verdict.WHOLE,
        Doubt.UNDECIDED: answer.verdict is Verdict.UNDECIDED,
    }
    return tuple(filter(holds.__getitem__, holds))


def example_of(question: Question, trace: Trace) -> ChosenExample:
    answer, predicted, true = answer_of(trace), trace.prediction.predicted, trace.prediction.true
    return ChosenExample(
        source=question.source,
        name=question.name,
        prediction=trace.classes[predicted],
        true="" if true is None else trace.classes[true],
        doubts=doubts(trace),
        reasons=len(answer.reasons),
        share=round(answer.first.share, 4),
        ends=round(answer.first.drawn / question.samples, 4),
        probability=round(trace.prediction.probability, 4),
        alone=round(answer.first.alone[predicted], 4),
        without=round(answer.without_all[predicted], 4),
    )


def is_readable(trace: Trace) -> bool:
    fewest, most = RULE["readable"]
    return bool(fewest <= len(trace.nodes) <= most)


def clarity(candidate: tuple[ChosenExample, Trace]) -> tuple[Any, ...]:
    """The larger, the clearer; one with a motif, on which the answer can be checked, comes before one without."""
    example, trace = candidate
    clear = min(example.alone, example.probability - example.without, example.ends)
    return -len(example.doubts), trace.has_truth, is_readable(trace), clear


def instructiveness(candidate: tuple[ChosenExample, Trace]) -> tuple[Any, ...]:
    """The larger, the more there is to learn from one that is not clear: several reasons, as alike as can be."""
    example, trace = candidate
    kinds = example.doubts == (Doubt.SEVERAL,), example.doubts == (Doubt.SPARE,), Doubt.WHOLE not in example.doubts
    least = min(reason.share for reason in answer_of(trace).reasons)
    return *kinds, -len(example.doubts), is_readable(trace), least


def choose(dataset: str, candidates: Sequence[tuple[ChosenExample, Trace]]) -> list[ChosenExample]:
    """The examples of one source, the first two by the rule; then others of each kind, and those that are kept."""
    clear = sorted(candidates, key=clarity, reverse=True)
    examples = [example for example, _ in clear]
    unclear = [(example, trace) for example, trace in clear if example.doubts and Doubt.WRONG not in example.doubts]
    lessons = [example for example, _ in sorted(unclear, key=instructiveness, reverse=True)]
    kinds = (
        lessons,
        [example for example in examples if example.prediction != examples[0].prediction],
        [example for example in lessons if example.doubts != lessons[0].doubts],
        [example for example in examples if Doubt.WRONG in example.doubts],
    )
    named = [example for example, _ in candidates if example.name in RULE["named"][dataset]]
    return list(dict.fromkeys([examples[0], *(kind[0] for kind in kinds if kind), *named]))


def candidates_of(dataset: str, source: str) -> list[Question]:
    """The questions about the instances of a source among which the rule chooses."""
    where = sources_of(dataset)[source]
    if isinstance(where, Listed):
        return [Question(dataset, name, source) for name in where.names]
    assert isinstance(where, Numbered)
    data = where.dataset()
    wrong = np.flatnonzero(ask_about_all(dataset, model_path(dataset)).argmax(1) != data.y)
    indices = {int(name) for name in RULE["named"][dataset] if name.isdecimal()}
    every = np.arange(data.num_instances)
    for kind, group in ("candidates", data.explainable), ("mistakes", wrong), ("others", every):
        indices |= set(spread(group, RULE[kind]).tolist())
    small = [index for index in sorted(indices) if data.instance(index).num_nodes <= RULE["largest"]]
    return [Question(dataset, str(index), source) for index in small]


def choose_all(device: str) -> Iterator[str]:
    """Choose the examples of all data sets that pages offer and write the file, a sentence for each.

    Where instances must be downloaded first and are not here, those that were chosen before stay.
    """
    chosen: dict[str, list[ChosenExample]] = {}
    for dataset in listed():
        chosen[dataset] = []
        sources = sources_of(dataset).items()
        for name, source in sorted(sources, key=lambda row: isinstance(row[1], Numbered)):
            if not isinstance(source, Listed | Numbered):
                continue
            if not source.ready:
                chosen[dataset] += examples(dataset, name)
                continue
            questions, job = candidates_of(dataset, name), JobContext(device)
            traces = [explain(question, job, plays=False) for question in questions]
            best = choose(dataset, list(zip(map(example_of, questions, traces), traces, strict=True)))
            chosen[dataset] += best[:3] if isinstance(source, LocalFile) else best
            yield f"{dataset}, {len(traces)} by {name}: {best[0].name} is {best[0].words}"
    rows = {dataset: list(map(asdict, examples)) for dataset, examples in chosen.items()}
    write_text(FILE, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
