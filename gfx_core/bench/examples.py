"""Examples: which instances open first, by a rule, from what the shipped GNNs and policies give. Needs torch.

A *clear case*: the GNN is right, one mode has at least 80 % of the samples, it alone is enough for the prediction, and
the prediction falls without it (`gfx_core.explanation.answer`). The first example is the clearest of readable size:
the one whose least number is the largest, among what it gives alone, how far the prediction falls without it, and the
share of samples that end exactly there. The second is instructive because it is not clear: two reasons, or one that the
GNN does not need. Where nothing is clear, the first is the one with the fewest doubts, and pages say which. Most
candidates have a motif; whether it was found has no part in it.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.arrays import spread
from gfx_core.datasets.chosen_examples import FILE, ChosenExample, Doubt, examples
from gfx_core.datasets.registry import listed, sources_of
from gfx_core.datasets.source import Listed, LocalFile, Numbered
from gfx_core.explanation.answer import ALONE
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import ask_about_all, explain
from gfx_core.files import fingerprint, write_text
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gnn.checkpoint import model_path
from gfx_core.job_context import JobContext
from gfx_core.trace.schema import Answer, Trace, Verdict

CANDIDATES, MISTAKES, OTHERS = 60, 6, 12
"""Of each data set at most so many explainable instances, that the GNN gets wrong, and of all; evenly spread."""
_READABLE = range(9, 41)  # nodes of an instance
_LARGEST = 256  # nodes; what is larger cannot be read, and its trace is large
_KEPT = {
    "ba_shapes": ("301", "423", "617"),
    "ba_community": ("304", "1011", "1177"),
    "tree_cycles": ("513", "612", "748"),
    "tree_grid": ("514", "700", "1021"),
    "ba_2motifs": ("0", "1", "42"),
    "mutagenicity": ("Nitrobenzene", "4-Nitroaniline", "Caffeine"),
    "graph_sst2": ("The jokes are not funny.", "The story never gets dull, and the ending is moving."),
}
"""Examples that lessons, documents and links name, whatever the rule says."""


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
    }
    return tuple(filter(holds.__getitem__, holds))


def example_of(question: Question, trace: Trace) -> ChosenExample:
    """What is told of an instance."""
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


def clarity(example: ChosenExample, trace: Trace) -> tuple[Any, ...]:
    """The larger, the clearer; one with a motif, on which the answer can be checked, comes before one without."""
    clear = min(example.alone, example.probability - example.without, example.ends)
    return -len(example.doubts), trace.has_truth, len(trace.nodes) in _READABLE, clear


def lesson(example: ChosenExample, trace: Trace) -> tuple[Any, ...]:
    """The larger, the more there is to learn from one that is not clear: several reasons, as alike as can be."""
    reasons, why = answer_of(trace).reasons, example.doubts
    kinds = why == (Doubt.SEVERAL,), why == (Doubt.SPARE,), Doubt.WHOLE not in why
    return *kinds, -len(why), len(trace.nodes) in _READABLE, min(reason.share for reason in reasons)


def choose(dataset: str, candidates: Sequence[tuple[ChosenExample, Trace]]) -> list[ChosenExample]:
    """The examples of one source, the first two as the rule says; then others of each kind, and those that are kept."""
    clear = sorted(candidates, key=lambda candidate: clarity(*candidate), reverse=True)
    examples = [example for example, _ in clear]
    unclear = [(example, trace) for example, trace in clear if example.doubts and Doubt.WRONG not in example.doubts]
    lessons = [example for example, _ in sorted(unclear, key=lambda candidate: lesson(*candidate), reverse=True)]
    chosen = [
        examples[0],
        *lessons[:1],
        *[example for example in examples if example.prediction != examples[0].prediction][:1],
        *[example for example in lessons if example.doubts != lessons[0].doubts][:1],
        *[example for example in examples if Doubt.WRONG in example.doubts][:1],
        *[example for example, _ in candidates if example.name in _KEPT[dataset]],
    ]
    return list(dict.fromkeys(chosen))


def candidates_of(dataset: str, source: str) -> list[Question]:
    """The questions about the instances of a source among which the rule chooses."""
    where = sources_of(dataset)[source]
    if isinstance(where, Listed):
        return [Question(dataset, name, source) for name in where.names]
    assert isinstance(where, Numbered)
    data = where.dataset()
    wrong = np.flatnonzero(ask_about_all(dataset, model_path(dataset)).argmax(1) != data.y)
    kept = {int(name) for name in _KEPT[dataset] if name.isdecimal()}
    for indices, most in (data.explainable, CANDIDATES), (wrong, MISTAKES), (np.arange(data.num_instances), OTHERS):
        kept |= set(spread(indices, most).tolist())
    small = [index for index in sorted(kept) if data.instance(index).num_nodes <= _LARGEST]
    return [Question(dataset, str(index), source) for index in small]


def choose_all(path: Path = FILE, device: str = "cpu") -> Iterator[str]:
    """Choose the examples of all data sets that pages offer and write the file, a sentence for each.

    Where instances must be downloaded first and are not here, those that were chosen before stay.
    """
    made = {}
    for dataset in listed():
        chosen: list[ChosenExample] = []
        sources = {name: one for name, one in sources_of(dataset).items() if isinstance(one, Listed | Numbered)}
        for name, source in sorted(sources.items(), key=lambda row: isinstance(row[1], Numbered)):
            if not source.ready:
                chosen += examples(dataset, name)
                continue
            questions, job = candidates_of(dataset, name), JobContext(device)
            traces = [explain(question, job, plays=False) for question in questions]
            candidates = [(example_of(*pair), pair[1]) for pair in zip(questions, traces, strict=True)]
            best = choose(dataset, candidates)
            chosen += best[:3] if isinstance(source, LocalFile) else best
            yield f"{dataset}, {len(candidates)} by {name}: {best[0].name} is {best[0].words}"
        made[dataset] = {
            "gnn": fingerprint(model_path(dataset)),
            "policy": fingerprint(policy_path(dataset, "sum")),
            "examples": list(map(asdict, chosen)),
        }
    how = {
        "command": "python -m gfx_core traces --choose",
        "candidates": CANDIDATES,
        "mistakes": MISTAKES,
        "others": OTHERS,
        "samples": 64,
    }
    write_text(path, json.dumps({"made": how, "datasets": made}, indent=1, ensure_ascii=False) + "\n")
