"""The answer in a sentence: what each verdict may claim, and every number that it rests on."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from gfx_core.config import Drawing
from gfx_core.text.answers import (
    MAX_LENGTH,
    answer_sentence,
    flow_words,
    reason_shares,
    summary,
    trace_title,
    truth_words,
    typed_prediction,
    what_may_help,
)
from gfx_core.trace.schema import STUDENT, Answer, Prediction, Reason, Trace, Verdict
from tests.toys.traces import make_trace

ONE_LEFT, ALL = (0, 1, 3), (0, 1, 2, 3)  # edges that leave one at the explained node, or none
SURE = Prediction(1, (0.01, 0.99), 1)  # half way to chance are 74.5 %
OPENING = "The GNN predicts cycle (99 %)"
ANSWER: Answer = make_trace().answer  # type: ignore[assignment]
NEEDED, ENOUGH, PART, NONE, UNDECIDED = map(Verdict, ("needed", "enough", "part", "none", "undecided"))


def trace(**changes: Any) -> Trace:
    return replace(make_trace(), **{"prediction": SURE, "answer": None, **changes})


def reason(name: str = "the ring", alone: float = 0.98, without: float = 0.03, **changes: Any) -> Reason:
    both = {"alone": (1 - alone, alone), "without": (1 - without, without)}
    return replace(ANSWER.first, name=name, **both, **({"edges": ONE_LEFT} | changes))


def house(alone: float = 0.98, share: float = 0.3, without: float = 0.03) -> Reason:
    return reason("the house", alone, without, share=share)


def sentence(verdict: Verdict, *reasons: Reason, of: Trace | None = None, without: float = 0.03, **more: Any) -> str:
    """The answer's sentence where the GNN keeps its class with probability ``without`` once all reasons are gone."""
    answer = replace(ANSWER, reasons=reasons, verdict=verdict, without_all=(1 - without, without), **more)
    return answer_sentence(of or trace(), answer)


@pytest.mark.parametrize(
    ("verdict", "reasons", "without", "claims"),
    [
        (NEEDED, [reason()], 0.03, r"because of the ring.* 98 %.*tree \(97 %\).* 92 % of samples"),
        (NEEDED, [reason(without=0.6)], 0.6, r"because of the ring.* 98 %.*still predicts cycle.*only 60 %"),
        (NEEDED, [reason(share=0.09)], 0.03, r"No part stands out.*the ring.* 98 %.*tree \(97 %\).*only 9 %"),
        (ENOUGH, [reason(without=0.97)], 0.97, r"The ring is enough.* 98 %.*cycle \(97 %\): it is not needed.* 92 %"),
        (ENOUGH, [reason(without=0.93)], 0.93, r"cycle \(93 %\): it helps, but is not needed"),
        (ENOUGH, [reason(without=0.97, edges=ALL, share=0.29)], 0.97, r"no edge is left at node 511.*only 29 %"),
        (PART, [reason(alone=0.4)], 0.03, r"needs the ring.*tree \(97 %\).*only 40 %.*a part"),
        (NONE, [reason(without=0.97, edges=(0,))], 0.97, r"No part.* 98 %.*single edge.*cycle \(97 %\)"),
        (NONE, [reason(alone=0.6, without=0.97)], 0.97, r"No part.*best is the ring.* 60 %.*cycle \(97 %\)"),
        (NONE, [reason(alone=0.6, edges=())], 0.99, r"No part.*best is the ring.*without any edge.* 60 %.*node alone"),
        (NONE, [reason(edges=())], 0.99, r"already gives 98 %.*no part explains it"),
        (Verdict.OWN, [reason("node 511", edges=())], 0.99, r"from node 511 itself.* 98 %"),
        (Verdict.WHOLE, [reason()], 0.03, r"because of the ring: .*everything"),
        (
            UNDECIDED,
            [reason()],
            0.03,
            r"the ring gives 98 %.*tree \(97 %\) if nodes.*stay, .*it is needed is undecided",
        ),
        (UNDECIDED, [reason(share=0.7), house()], 0.03, r"parts are the ring.*the house.*both.*parts are needed is"),
        (
            NEEDED,
            [reason(share=0.6, without=0.97), house(without=0.96)],
            0.03,
            r"Two reasons.*the ring \(60 %.*alone 98 %.*the house \(30 %.*Without both.*tree \(97 %.*Other.* 10 %",
        ),
        (NEEDED, [reason(share=0.7), house()], 0.03, r"because of the ring\..*elsewhere: the house \(30 %"),
        (NEEDED, [reason(share=0.51), house(share=0.49)], 0.6, r"Two reasons.*51 %.*49 %.*only 60 %\.$"),
        (NEEDED, [reason(share=0.51, edges=ALL), house(share=0.49)], 0.6, r"only 60 %, with no edge left at node 511"),
        (NEEDED, [reason(share=0.7, without=0.97), house(0.5)], 0.03, r"samples differ: .*98 %.*alone 50 %"),
        (
            ENOUGH,
            [reason(share=0.4), house(), reason("the star", share=0.3)],
            0.97,
            r"Three parts.*ring.*house.*star.*Without all three.*cycle \(97 %\): they are not needed",
        ),
        (ENOUGH, [reason(share=0.7, edges=ALL), house()], 0.97, r"Two parts.*though no edge is left"),
        (PART, [reason(share=0.7, alone=0.4), house(0.3)], 0.03, r"needs two parts.*alone 40 %.*alone 30 %.*tree"),
        (PART, [reason(share=0.7, alone=0.4, without=0.97), house(0.3)], 0.6, r"No part alone.*only 60 %"),
        (NONE, [reason(share=0.7, alone=0.6), house(0.55)], 0.97, r"No part.*best are the ring.*the house.* 55 %"),
        (NONE, [reason(share=0.7, alone=0.6, without=0.98), house(0.3)], 0.97, r"best is the ring.*\(98 %\).* 70 %"),
    ],
)
def test_a_verdict_claims_what_its_numbers_allow(
    verdict: Verdict, reasons: list[Reason], without: float, claims: str
) -> None:
    text = sentence(verdict, *reasons, without=without)
    assert text.startswith(OPENING)
    assert re.search(claims, text), text
    if verdict not in (NEEDED, Verdict.WHOLE):
        assert "because" not in text


def test_the_explained_node_that_needs_no_edge_comes_before_any_part() -> None:
    first, *rest = make_trace().steps
    of = trace(steps=(replace(first, reward=replace(first.reward, probability=0.97)), *rest))
    text = sentence(ENOUGH, reason(share=0.5, without=0.97), house(without=0.96), of=of, without=0.97)
    assert re.search(r"Node 511 alone.*already gives 97 %.*no part explains it", text)


@pytest.mark.parametrize(
    ("probabilities", "without", "claims"),
    [
        ((0.47, 0.53), 0.03, r"cycle \(53 %, hardly more than chance\) because"),
        ((0.35, 0.65), 0.91, r"even surer: cycle \(91 %\), so other parts"),
        ((0.01, 0.99), 0.499, r"undecided between cycle and tree \(50 % each\)"),
        ((0.0, 1.0), 0.0, r"cycle \(over 99 %\).*tree \(over 99 %\)"),
    ],
)
def test_rounded_numbers_claim_no_more(probabilities: tuple[float, float], without: float, claims: str) -> None:
    verdict = ENOUGH if without > 0.9 else NEEDED
    of = trace(prediction=Prediction(1, probabilities, 1))
    assert re.search(claims, sentence(verdict, reason(without=without), of=of, without=without))


def test_only_samples_can_all_agree() -> None:
    assert "All samples" in sentence(NEEDED, reason(share=1.0))
    assert "Over 99 % of samples" in sentence(NEEDED, reason(share=1.0), exact=True)


# Molecules, whose parts are often the same but for some atoms


def atoms(*elements: str, **changes: Any) -> Trace:
    """A molecule whose atoms are named N0, O1, …"""
    node = make_trace().nodes[0]
    nodes = tuple(replace(node, id=number, element=element) for number, element in enumerate(elements))
    return trace(nodes=nodes, start=0, target=None, **changes)


def halves(group: str, *ends: tuple[int, int], share: float, alone: float = 0.98) -> list[Reason]:
    """N with one O of a nitro group each, with names that tell them apart."""
    name = f"part of {group} (N and one O)"
    return [reason(f"{name}: O{o}", alone, nodes=(n, o), share=share, edges=(0,)) for n, o in ends]


def test_halves_of_one_group_are_one_part() -> None:
    nitro, of = halves("the nitro group", (0, 1), (0, 2), share=0.5), atoms("N", "O", "O")
    either = r"art of the nitro group.* 98 %, with either O1 or O2 \(50 % and 50 % of samples\)"
    assert re.search(rf"because of p{either}.*Without both.* 60 %", sentence(NEEDED, *nitro, of=of, without=0.6))
    assert re.search(rf"P{either}.*not needed", sentence(ENOUGH, *nitro, of=of, without=0.97))
    weak = [replace(half, alone=(0.4, 0.6)) for half in nitro]
    assert "either O1 or O2" in sentence(NONE, *weak, of=of, without=0.97)
    assert "two parts" in sentence(PART, *weak, of=of)  # both are needed: either would be wrong
    apart = sentence(NEEDED, nitro[0], replace(nitro[1], alone=(0.1, 0.9)), of=of)  # alone they give other numbers
    assert "Two reasons" in apart
    assert "Two reasons" in sentence(NEEDED, *nitro)  # these are no atoms


def test_two_of_three_reasons_may_be_halves_of_one_group() -> None:
    of = atoms("N", "O", "O", "N", "O", "O")
    one, other, third = halves("a nitro group", (0, 1), (0, 2), (3, 4), share=0.3)
    for alone in (third.alone, (0.1, 0.9)):
        text = sentence(ENOUGH, one, other, replace(third, alone=alone), of=of, without=0.97)
        assert re.search(r"Two parts.* N0 with either O1 or O2 \(.* and part of a nitro group .*: O4 \(30 %", text)


def test_a_single_atom_is_not_the_best_part() -> None:
    lone = reason("one hydrogen atom", alone=0.52, edges=(), nodes=(0,))
    assert "hydrogen" not in sentence(NONE, lone, of=atoms("H", "C"))


# What stands beside the answer


def test_shares_of_reasons_add_up() -> None:
    three = tuple(reason(f"part {share}", share=share, without=0.97) for share in (0.335, 0.335, 0.33))
    shares = reason_shares(replace(ANSWER, reasons=three))
    assert shares == ["34 %", "33 %", "33 %"]
    assert all(f"({share} of" in sentence(NEEDED, *three) for share in shares)


def test_a_student_is_named_with_what_the_gnn_itself_gives() -> None:
    of = trace(made={STUDENT: {"given_alone": [0.9, 0.1]}})
    assert re.search(r"student.* it alone 10 %\.$", sentence(NEEDED, reason(), of=of))
    assert re.search(r"student.* the first alone 10 %\.$", sentence(NEEDED, reason(share=0.6), house(), of=of))


def test_long_names_and_sentences_have_an_end() -> None:
    of = atoms("N", "O", "O")
    for name, title in ((None, "511"), ("TNT", "TNT"), ("C" * 100, f"{'C' * 48} …")):
        assert trace_title(replace(of, made={"name": name})) == f"{of.dataset_title} {title}"
    text = sentence(ENOUGH, reason("x" * 200), of=trace(classes=("t" * 200, "c" * 200)), without=0.97)
    assert (len(text), text[-1]) == (MAX_LENGTH, "…")


def test_a_summary_begins_with_the_answer_and_counts_only_a_known_truth() -> None:
    of = make_trace()
    lines = summary(of)
    assert lines[0] == ANSWER.sentence
    assert "4 of 4 motif edges found, 0 extra" in lines
    assert summary(replace(of, answer=None)) == lines[1:]
    unknown = replace(of, edges=tuple(replace(edge, in_motif=None) for edge in of.edges))
    assert not [line for line in summary(unknown) if "motif edges" in line]
    none = replace(of, answer=replace(ANSWER, verdict=NONE))
    assert what_may_help(of) == ""
    assert "exact flows" in what_may_help(none)
    assert what_may_help(none) in summary(none)


def test_residuals_are_absolute_and_an_unknown_distance_is_not_zero() -> None:
    of = make_trace()
    residuals = zip(of.steps, (None, -0.75, 0.5, -0.25), strict=True)
    of = replace(of, steps=tuple(replace(step, residual=residual) for step, residual in residuals))
    assert re.search(r"residual[^−-]* 0\.75, total variation .*0\.12\.$", flow_words(of))
    assert re.search(r"residual[^−-]* 0\.75, mean 0\.5; .*not known", flow_words(replace(of, total_variation=None)))


def test_the_truth_or_else_the_accuracy() -> None:
    assert "correct" in truth_words(trace(), 0.9)
    assert "“tree”" in truth_words(trace(prediction=replace(SURE, true=0)), 0.9)
    unknown = replace(SURE, true=None)
    assert "nodes it is right in 93.4 %" in truth_words(trace(prediction=unknown), 0.934)
    assert truth_words(trace(prediction=unknown)) == ""
    assert re.search(
        r"\*\*cycle\*\* \(99 %\).*molecules.* 82\.0 %.*safety",
        typed_prediction(atoms("C", "O", prediction=unknown), 0.82),
    )
    words = trace(drawing=Drawing.SENTENCE, prediction=unknown)
    assert "film review" in typed_prediction(words, 0.9)
