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
from collections.abc import Iterator, Mapping
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
from gfx_core.trace.schema import Trace, Verdict

RULE: dict[str, Any] = tomllib.loads((ASSETS / "content" / "examples.toml").read_text(encoding="utf-8"))


def example_of(question: Question, trace: Trace) -> ChosenExample:
    """An instance with all doubts about its trace. That the true class of typed molecules is unknown is no doubt."""
    prediction, answer, true = trace.prediction, trace.answer, trace.prediction.true
    assert answer is not None
    holds = {
        Doubt.WRONG: true is not None and true != prediction.predicted,
        Doubt.SEVERAL: len(answer.reasons) > 1,
        Doubt.SPREAD: len(answer.reasons) == 1 and answer.first.share < ALONE,
        Doubt.PART: not any(prediction.is_enough(reason.alone) for reason in answer.reasons),
        Doubt.SPARE: not prediction.falls(answer.without_all),
        Doubt.WHOLE: answer.verdict is Verdict.WHOLE,
        Doubt.UNDECIDED: answer.verdict is Verdict.UNDECIDED,
    }
    return ChosenExample(
        source=question.source,
        name=question.name,
        prediction=trace.classes[prediction.predicted],
        true="" if true is None else trace.classes[true],
        doubts=tuple(filter(holds.__getitem__, holds)),
        reasons=len(answer.reasons),
    )


def choose(dataset: str, traces: Mapping[ChosenExample, Trace]) -> list[ChosenExample]:
    """The examples of one source: the clearest, the most instructive, others of each kind, and those that are kept."""
    fewest, most = RULE["readable"]

    def clarity(example: ChosenExample) -> tuple[Any, ...]:
        """One with a motif, on which the answer can be checked, comes before one without."""
        trace, answer, explained = traces[example], traces[example].answer, traces[example].prediction.predicted
        assert answer is not None
        falls = trace.prediction.probability - answer.without_all[explained]
        least = min(answer.first.alone[explained], falls, answer.first.drawn / trace.num_drawn)
        return -len(example.doubts), trace.has_truth, fewest <= len(trace.nodes) <= most, least

    def instructiveness(example: ChosenExample) -> tuple[Any, ...]:
        """Of several reasons those that are most alike."""
        trace, answer = traces[example], traces[example].answer
        assert answer is not None
        kind, least = RULE["instructive"].index(example.doubts[0]), min(reason.share for reason in answer.reasons)
        return -len(example.doubts), -kind, fewest <= len(trace.nodes) <= most, least

    clear = sorted(traces, key=clarity, reverse=True)
    unclear = [example for example in clear if example.doubts and Doubt.WRONG not in example.doubts]
    lessons = sorted(unclear, key=instructiveness, reverse=True)
    kinds = (
        clear,
        lessons,
        [example for example in clear if example.prediction != clear[0].prediction],
        [example for example in lessons if example.doubts != lessons[0].doubts],
        [example for example in clear if Doubt.WRONG in example.doubts],
    )
    named = [example for example in traces if example.name in RULE["named"][dataset]]
    return list(dict.fromkeys([*(kind[0] for kind in kinds if kind), *named]))


def candidates_of(dataset: str, source: str) -> list[Question]:
    """The questions about the instances of a source among which the rule chooses."""
    where = sources_of(dataset)[source]
    if isinstance(where, Listed):
        return [Question(dataset, name, source) for name in where.names]
    assert isinstance(where, Numbered)
    data = where.dataset()
    wrong = np.flatnonzero(ask_about_all(dataset, model_path(dataset)).argmax(1) != data.y)
    groups = {"candidates": data.explainable, "mistakes": wrong, "others": np.arange(data.num_instances)}
    indices = {int(name) for name in RULE["named"][dataset] if name.isdecimal()}
    indices |= {index for kind, group in groups.items() for index in spread(group, RULE[kind]).tolist()}
    small = [index for index in sorted(indices) if data.instance(index).num_nodes <= RULE["largest"]]
    return [Question(dataset, str(index), source) for index in small]


def choose_all(device: str) -> Iterator[str]:
    """Choose the examples of all data sets that pages offer and write the file, a sentence for each.

    Where instances must be downloaded first and are not here, those that were chosen before stay.
    """
    chosen: dict[str, list[ChosenExample]] = {dataset: [] for dataset in listed()}
    for dataset, rows in chosen.items():
        for name, source in reversed(sources_of(dataset).items()):
            if not isinstance(source, Listed | Numbered):
                continue
            if not source.ready:
                rows += examples(dataset, name)
                continue
            answers = {
                question: explain(question, JobContext(device), plays=False)
                for question in candidates_of(dataset, name)
            }
            best = choose(dataset, {example_of(*answer): answer[1] for answer in answers.items()})
            rows += best[:3] if isinstance(source, LocalFile) else best
            yield f"{dataset}, {len(answers)} by {name}: {best[0].name} is {best[0].words}"
    lists = {dataset: list(map(asdict, rows)) for dataset, rows in chosen.items()}
    write_text(FILE, json.dumps(lists, indent=1, ensure_ascii=False) + "\n")
