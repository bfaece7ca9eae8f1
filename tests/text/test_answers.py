"""The answer in a sentence, every turn that it can take, in whole English; a trace as the command line prints it."""

from dataclasses import replace
from typing import Any

import pytest

from gfx_core.config import FlowSource, Task
from gfx_core.text.answers import MAX_LENGTH, answer_sentence, flow_words, summary
from gfx_core.trace.schema import Prediction, SampledSubgraph, Trace
from tests.toys.traces import make_trace

RING = SampledSubgraph((0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2, 3), 61, -1.0)
MORE = SampledSubgraph((0, 1, 2, 3, 4), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4), 3, -2.0)
PATH = SampledSubgraph((0, 1, 2), (0, 1, 2), (0, 1), 1, -2.0)


def trace(*samples: SampledSubgraph, **changes: Any) -> Trace:
    sure = Prediction(1, (0.01, 0.99), 1)
    return replace(make_trace(), prediction=sure, answer=None, samples=samples or (RING, MORE), **changes)


def sentence(of: Trace | None = None, several: bool = False, **changes: Any) -> str:
    of = of or trace()
    answer = make_trace().answer
    assert answer is not None
    answer = replace(answer, name="the ring 511–514", alone=(0.02, 0.98), without=(0.97, 0.03), sentence="")
    answer = replace(answer, **changes)
    drawn = sum(sample.count for sample in of.samples if set(sample.nodes) == set(answer.nodes))
    return answer_sentence(of, replace(answer, drawn=drawn), several)


BECAUSE = "The GNN says cycle (99 %) because of the ring 511–514:"
END = "61 of 64 draws end there."


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, f"{BECAUSE} alone it gives 98 %, without it 3 %; {END}"),
        ({"several": True}, f"{BECAUSE} alone they give 98 %, without them 3 %; {END}"),
        (
            {"alone": (0.6, 0.4)},
            "The GNN says cycle (99 %); the draws agree on the ring 511–514, but alone it gives only 40 % (the GNN "
            f"would say tree), without it 3 %; {END} Adding more of what was drawn does not make the GNN keep its "
            "class.",
        ),
        (
            {"alone": (0.42, 0.58)},
            "The GNN says cycle (99 %); the draws agree on the ring 511–514: alone it gives only 58 %, without it 3 %; "
            f"{END}",
        ),
        (
            {"without": (0.03, 0.97)},
            f"{BECAUSE} alone it gives 98 %; {END} Without it the GNN still says cycle (97 %): there is more than one "
            "reason.",
        ),
        (
            {"without": (0.4, 0.6)},
            f"{BECAUSE} alone it gives 98 %; {END} Without it the GNN still says cycle, but less surely (60 %).",
        ),
        ({"whole": True}, f"{BECAUSE} that is everything the GNN can see here; {END}"),
        (
            {"of": trace(replace(RING, count=5), MORE, flows=FlowSource.EXACT), "probability": 0.453, "exact": True},
            f"{BECAUSE} alone it gives 98 %, without it 3 %; 45 % of all flow ends there, and so do 5 of 8 draws.",
        ),
        ({"of": replace(trace(), samples=())}, f"{BECAUSE} alone it gives 98 %, without it 3 %."),
        (
            {"of": trace(PATH), "nodes": (0, 1), "edges": (0,)},
            f"{BECAUSE} alone it gives 98 %, without it 3 %; the one draw does not end exactly there, but it has its "
            "edge and 1 more.",
        ),
    ],
    ids=str,
)
def test_every_turn(changes: dict[str, Any], words: str) -> None:
    assert sentence(**changes) == words


def test_what_is_rounded_never_reads_as_certain() -> None:
    certain = replace(trace(), prediction=Prediction(1, (0.0, 1.0), 1))
    text = sentence(certain, alone=(0.001, 0.999), without=(1.0, 0.0))
    assert "says cycle (over 99 %)" in text
    assert "alone it gives over 99 %, without it under 1 %;" in text


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        ((RING,), "all 61 draws end there."),
        ((replace(RING, count=1),), "the one draw ends there."),
        ((replace(RING, count=1), MORE), "1 of 4 draws ends there."),
        ((MORE,), "no draw ends exactly there; the nearest has all 4 edges and 1 more."),
        ((PATH, replace(MORE, edges=(0, 1, 2, 4))), "no draw ends exactly there; the nearest shares 3 of 4 edges."),
        ((PATH,), "the one draw does not end exactly there, but it shares 2 of 4 edges."),
    ],
)
def test_counts_of_draws(samples: tuple[SampledSubgraph, ...], words: str) -> None:
    assert sentence(trace(*samples)).endswith(f"without it 3 %; {words}")


@pytest.mark.parametrize(("grown", "words"), [(1, "1 node of it was added"), (2, "2 nodes of it were added")])
def test_grown_until_the_class_is_kept(grown: int, words: str) -> None:
    assert sentence(grown=grown).endswith(f" The draws agree on less: {words} until the GNN kept its class.")
    assert f" {words.replace('it', 'them')} until" in sentence(grown=grown, several=True)
    assert sentence(grown=grown, alone=(0.6, 0.4)).endswith(
        f"{words}, and adding more of what was drawn does not make the GNN keep its class."
    )


def test_a_lone_node() -> None:
    alone = SampledSubgraph((0,), (0,), (), 64, -1.0)
    assert sentence(trace(alone), nodes=(0,), edges=(), name="node 511", without=(0.01, 0.99)) == (
        "The GNN says cycle (99 %) because of node 511: alone, without any edge, it gives 98 %; all 64 draws end there."
    )
    assert sentence(trace(PATH), nodes=(0,), edges=(), name="node 511").endswith("exactly there, but it has 3 nodes.")


def test_molecules_have_atoms_and_bonds() -> None:
    of = trace(PATH, MORE)
    of = replace(of, task=Task.GRAPH, nodes=tuple(replace(node, element="C") for node in of.nodes))
    text = sentence(of, grown=1)
    assert "the nearest has all 4 bonds and 1 more" in text
    assert "1 atom of it was added" in text


def test_it_is_never_too_long() -> None:
    long = sentence(replace(trace(), classes=("t" * 200, "c" * 200)), name="x" * 200, without=(0.03, 0.97))
    assert len(long) == MAX_LENGTH
    assert long.endswith("…")


def test_a_summary_begins_with_the_answer() -> None:
    trace = make_trace()
    assert trace.answer is not None
    lines = summary(trace)
    assert lines[0] == trace.answer.sentence
    assert "motif edges found 4, missed 0, extra 0" in lines
    assert summary(replace(trace, answer=None)) == lines[1:]
    lines = summary(replace(trace, edges=tuple(replace(edge, in_motif=None) for edge in trace.edges)))
    assert "No true reason is known here, so that nothing is called found or missed." in lines
    assert not [line for line in lines if "motif edges" in line]


def test_residuals_are_told_by_their_size() -> None:
    trace = make_trace()
    residuals = (None, -0.75, 0.5, -0.25)
    steps = tuple(replace(step, residual=each) for step, each in zip(trace.steps, residuals, strict=True))
    known = flow_words(replace(trace, steps=steps))
    assert known == (
        "Learned flows: largest residual on the way 0.75, total variation between what is drawn and R/Z 0.12."
    )
    assert flow_words(replace(trace, steps=steps, total_variation=None)) == (
        "Learned flows: largest residual on the way 0.75, mean 0.5; the distance from R/Z is not known, too many "
        "subgraphs to list."
    )
