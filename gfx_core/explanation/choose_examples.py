"""Choose examples: which instances open first, by a rule, from what the shipped GNNs and policies give. Needs torch.

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
from gfx_core.trace.schema import Trace, Verdict

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


def doubts(trace: Trace) -> tuple[Doubt, ...]:
    """Why a trace is no clear case. That the true class is unknown, as of typed molecules, is no doubt."""
    prediction, answer = trace.prediction, trace.answer
    assert answer is not None
    found = {
        Doubt.WRONG: prediction.true is not None and prediction.true != prediction.predicted,
        Doubt.SEVERAL: len(answer.reasons) > 1,
        Doubt.SPREAD: len(answer.reasons) == 1 and answer.first.share < ALONE,
        Doubt.PART: not any(prediction.is_enough(reason.alone) for reason in answer.reasons),
        Doubt.SPARE: not prediction.falls(answer.without_all),
        Doubt.WHOLE: answer.verdict is Verdict.WHOLE,
    }
    return tuple(doubt for doubt, holds in found.items() if holds)


class Candidate:
    """An instance that may become an example."""

    def __init__(self, question: Question, trace: Trace) -> None:
        answer, at = trace.answer, trace.prediction.predicted
        assert answer is not None
        self.question, self.reasons = question, answer.reasons
        self.readable, self.checkable = len(trace.nodes) in _READABLE, trace.has_truth
        self.example = ChosenExample(
            source=question.source,
            name=question.name,
            prediction=trace.classes[at],
            true="" if trace.prediction.true is None else trace.classes[trace.prediction.true],
            doubts=doubts(trace),
            reasons=len(answer.reasons),
            share=round(answer.first.share, 4),
            ends=round(answer.first.drawn / question.samples, 4),
            probability=round(trace.prediction.probability, 4),
            alone=round(answer.first.alone[at], 4),
            without=round(answer.without_all[at], 4),
        )

    @property
    def clarity(self) -> tuple[int, bool, bool, float]:
        """The larger, the clearer; one with a motif, on which the answer can be checked, comes before one without."""
        example = self.example
        clear = min(example.alone, example.probability - example.without, example.ends)
        return -len(example.doubts), self.checkable, self.readable, clear

    @property
    def lesson(self) -> tuple[bool, bool, bool, int, bool, float]:
        """The larger, the more there is to learn from one that is not clear: several reasons, as alike as can be."""
        doubts = self.example.doubts
        alike = min(reason.share for reason in self.reasons)
        kinds = doubts == (Doubt.SEVERAL,), doubts == (Doubt.SPARE,), Doubt.WHOLE not in doubts
        return *kinds, -len(doubts), self.readable, alike


def choose(candidates: Sequence[Candidate]) -> list[ChosenExample]:
    """The examples of one source, the first two as the rule says; then others of each kind, and those that are kept."""
    clear = sorted(candidates, key=lambda each: each.clarity, reverse=True)
    unclear = [each for each in clear if each.example.doubts and Doubt.WRONG not in each.example.doubts]
    unclear.sort(key=lambda each: each.lesson, reverse=True)
    chosen = [
        clear[0],
        *unclear[:1],
        *[each for each in clear if each.example.prediction != clear[0].example.prediction][:1],
        *[each for each in unclear if each.example.doubts != unclear[0].example.doubts][:1],
        *[each for each in clear if Doubt.WRONG in each.example.doubts][:1],
        *[each for each in candidates if each.example.name in _KEPT[each.question.dataset]],
    ]
    return list(dict.fromkeys(each.example for each in chosen))


def questions(dataset: str, source: str) -> list[Question]:
    """All that is asked of a source."""
    where = sources_of(dataset)[source]
    if isinstance(where, Listed):
        return [Question(dataset, name, source) for name in where.names]
    assert isinstance(where, Numbered)
    data = where.dataset()
    wrong = np.flatnonzero(ask_about_all(dataset, model_path(dataset)).argmax(1) != data.y)
    every = np.arange(data.num_instances)
    parts = (data.explainable, CANDIDATES), (wrong, MISTAKES), (every, OTHERS)
    some = [int(index) for indices, most in parts for index in spread(indices, most)]
    kept = [int(name) for name in _KEPT[dataset] if name.isdecimal()]
    small = [index for index in sorted({*some, *kept}) if data.instance(index).num_nodes <= _LARGEST]
    return [Question(dataset, str(index), source) for index in small]


def choose_all(path: Path = FILE, device: str = "cpu") -> Iterator[str]:
    """Choose the examples of all data sets that pages offer and write the file, a sentence for each.

    Where instances must be downloaded first and are not here, those that were chosen before stay.
    """
    made = {}
    for dataset in listed():
        chosen: list[ChosenExample] = []
        named = {name: one for name, one in sources_of(dataset).items() if isinstance(one, Listed | Numbered)}
        for name, one in sorted(named.items(), key=lambda each: isinstance(each[1], Numbered)):
            if not one.ready:
                chosen += examples(dataset, name)
                continue
            candidates = [
                Candidate(question, explain(question, JobContext(device), plays=False))
                for question in questions(dataset, name)
            ]
            found = choose(candidates)
            chosen += found[:3] if isinstance(one, LocalFile) else found
            yield f"{dataset}, {len(candidates)} by {name}: {found[0].name} is {found[0].words}"
        made[dataset] = {
            "gnn": fingerprint(model_path(dataset)),
            "policy": fingerprint(policy_path(dataset, "sum")),
            "examples": [asdict(each) for each in chosen],
        }
    rule = {
        "candidates": CANDIDATES,
        "mistakes": MISTAKES,
        "others": OTHERS,
        "samples": Question("tree_cycles", "511").samples,
    }
    how = {"command": "python -m gfx_core traces --choose", **rule}
    write_text(path, json.dumps({"made": how, "datasets": made}, indent=1, ensure_ascii=False) + "\n")
