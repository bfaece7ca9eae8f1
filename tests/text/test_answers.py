"""The answer in a sentence, every turn that it can take, in whole English; a trace as the command line prints it."""

from dataclasses import replace
from typing import Any

import pytest

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
from gfx_core.trace.schema import STUDENT, Prediction, Reason, SampledSubgraph, Trace, Verdict
from tests.toys.traces import make_trace

ONE_LEFT, ALL = (0, 1, 3), (0, 1, 2, 3)  # edges that leave one at the explained node, or none
SURE = Prediction(1, (0.01, 0.99), 1)  # half way to chance are 74.5 %
OPENING = "The GNN predicts cycle (99 %)"


def trace(**changes: Any) -> Trace:
    return replace(make_trace(), prediction=SURE, answer=None, **changes)


def reason(name: str = "the ring 511–514", alone: float = 0.98, without: float = 0.03, **changes: Any) -> Reason:
    first = make_trace().answer.first  # type: ignore[union-attr]
    both = {"alone": (1 - alone, alone), "without": (1 - without, without)}
    return replace(first, name=name, **both, **({"edges": ONE_LEFT} | changes))


def sentence(
    verdict: Verdict,
    *reasons: Reason,
    of: Trace | None = None,
    without: float = 0.03,
    several: tuple[bool, ...] = (),
    exact: bool = False,
) -> str:
    answer = make_trace().answer
    assert answer is not None
    numbers = {"without_all": (1 - without, without), "exact": exact}
    told = replace(answer, reasons=reasons, verdict=verdict, sentence="-", **numbers)
    return answer_sentence(of or trace(), told, several)


HOUSE = {"name": "the house 520–524", "share": 0.3}
REST = "92 % of samples agree with it."


@pytest.mark.parametrize(
    ("verdict", "reasons", "without", "words"),
    [
        (
            Verdict.NEEDED,
            [reason()],
            0.03,
            f"{OPENING} because of the ring 511–514. Alone it gives 98 %; without it the GNN predicts tree (97 %). "
            f"{REST}",
        ),
        (
            Verdict.NEEDED,
            [reason(without=0.6)],
            0.6,
            f"{OPENING} because of the ring 511–514. Alone it gives 98 %; without it the GNN still predicts cycle, at "
            f"only 60 %. {REST}",
        ),
        (
            Verdict.ENOUGH,
            [reason(without=0.97)],
            0.97,
            f"{OPENING}. The ring 511–514 is enough: alone it gives 98 %. Without it the GNN still predicts cycle "
            f"(97 %): it is not needed. {REST}",
        ),
        (
            Verdict.ENOUGH,
            [reason(without=0.97, edges=ALL, share=0.29)],
            0.97,
            f"{OPENING}. The ring 511–514 is enough: alone it gives 98 %. Without it the GNN still predicts cycle "
            "(97 %), though no edge is left at node 511: it needs none. The samples differ: only 29 % agree with "
            "it.",
        ),
        (
            Verdict.NEEDED,
            [reason(share=0.09)],
            0.03,
            f"{OPENING}. No part stands out among the samples. One of many is the ring 511–514: alone it gives "
            "98 %; without it the GNN predicts tree (97 %). The samples differ: only 9 % agree with it.",
        ),
        (
            Verdict.ENOUGH,
            [reason(without=1.0)],
            1.0,
            f"{OPENING}. The ring 511–514 is enough: alone it gives 98 %. Without it the GNN still predicts cycle "
            f"(over 99 %): it is not needed. {REST}",
        ),
        (
            Verdict.NONE,
            [reason(without=0.97, edges=(0,))],
            0.97,
            f"{OPENING}. No part that we found explains this. The ring 511–514 alone gives 98 %, but it is a single "
            f"edge, and without it the GNN still predicts cycle (97 %). {REST}",
        ),
        (
            Verdict.PART,
            [reason(alone=0.4)],
            0.03,
            f"{OPENING} and needs the ring 511–514: without it the GNN predicts tree (97 %). Alone it gives only 40 %: "
            f"it is a part of the reason. {REST}",
        ),
        (
            Verdict.NONE,
            [reason(alone=0.6, without=0.97)],
            0.97,
            f"{OPENING}. No part that we found explains this. The best is the ring 511–514: "
            f"alone it gives 60 %; without it the GNN still predicts cycle (97 %). {REST}",
        ),
        (
            Verdict.NONE,
            [reason("node 511", alone=0.6, without=0.99, edges=())],
            0.99,
            f"{OPENING}. No part that we found explains this. The best is node 511: alone, "
            "without any edge, it gives 60 %. 92 % of samples are this node alone.",
        ),
        (
            Verdict.NONE,
            [reason("node 511", without=0.99, edges=())],
            0.99,
            f"{OPENING}. Node 511 alone, without any edge, already gives 98 %. So no part explains it: it may be what "
            "the GNN predicts by default. 92 % of samples are this node alone.",
        ),
        (
            Verdict.OWN,
            [reason("node 511", edges=())],
            0.99,
            f"{OPENING} from node 511 itself: without any edge it gives 98 %. 92 % of samples are this node alone.",
        ),
        (
            Verdict.WHOLE,
            [reason()],
            0.03,
            f"{OPENING} because of the ring 511–514: that is everything that the GNN can see here.",
        ),
        (
            Verdict.NEEDED,
            [reason(share=0.6, without=0.97), reason(**HOUSE, without=0.96)],
            0.03,
            f"{OPENING}. Two reasons, each enough alone: the ring 511–514 (60 % of samples agree, alone 98 %) "
            "and the house "
            "520–524 (30 % of samples agree, alone 98 %). Without both the GNN predicts tree (97 %). Other "
            "samples: 10 %.",
        ),
        (
            Verdict.NEEDED,
            [reason(share=0.7), reason(**HOUSE)],
            0.03,
            f"{OPENING} because of the ring 511–514. Alone it gives 98 %; without it the GNN predicts tree (97 %). "
            "Some samples end elsewhere: the house 520–524 (30 % of samples agree, alone 98 %).",
        ),
        (
            Verdict.NEEDED,
            [reason(share=0.51), reason(**HOUSE | {"share": 0.49})],
            0.6,
            f"{OPENING}. Two reasons, each enough alone: the ring 511–514 (51 % of samples agree, alone 98 %) "
            "and the house "
            "520–524 (49 % of samples agree, alone 98 %). Without both the GNN still predicts cycle, at only 60 %.",
        ),
        (
            Verdict.NEEDED,
            [reason(share=0.7, without=0.97), reason(**HOUSE, alone=0.5)],
            0.03,
            f"{OPENING}. The samples differ: the ring 511–514 (70 % of samples agree, alone 98 %) and the house "
            "520–524 (30 "
            "% of samples agree, alone 50 %). Without both the GNN predicts tree (97 %).",
        ),
        (
            Verdict.ENOUGH,
            [reason(share=0.4), reason(**HOUSE), reason("the star", share=0.3)],
            0.97,
            f"{OPENING}. Three parts are each enough alone: the ring 511–514 (40 % of samples agree, alone 98 "
            "%), the house "
            "520–524 (30 % of samples agree, alone 98 %) and the star (30 % of samples agree, alone 98 %). "
            "Without all three the "
            "GNN still predicts cycle (97 %): they are not needed.",
        ),
        (
            Verdict.ENOUGH,
            [reason(share=0.7, edges=ALL), reason(**HOUSE)],
            0.97,
            f"{OPENING}. Two parts are each enough alone: the ring 511–514 (70 % of samples agree, alone 98 %) "
            "and the house "
            "520–524 (30 % of samples agree, alone 98 %). Without both the GNN still predicts cycle (97 %), "
            "though no edge "
            "is left at node 511: it needs none.",
        ),
        (
            Verdict.PART,
            [reason(share=0.7, alone=0.4), reason(**HOUSE, alone=0.3)],
            0.03,
            f"{OPENING}. It needs two parts, none enough alone: the ring 511–514 (70 % of samples agree, alone "
            "40 %) and the "
            "house 520–524 (30 % of samples agree, alone 30 %). Without both the GNN predicts tree (97 %).",
        ),
        (
            Verdict.PART,
            [reason(share=0.7, alone=0.4, without=0.97), reason(**HOUSE, alone=0.3)],
            0.6,
            f"{OPENING}. No part alone is enough: the ring 511–514 (70 % of samples agree, alone 40 %) and the "
            "house 520–524 "
            "(30 % of samples agree, alone 30 %). Without both the GNN still predicts cycle, at only 60 %.",
        ),
        (
            Verdict.NEEDED,
            [reason(share=0.51, edges=ALL), reason(**{**HOUSE, "share": 0.49})],
            0.6,
            f"{OPENING}. Two reasons, each enough alone: the ring 511–514 (51 % of samples agree, alone 98 %) "
            "and the house "
            "520–524 (49 % of samples agree, alone 98 %). Without both the GNN still predicts cycle, at only 60 "
            "%, with "
            "no edge left at node 511.",
        ),
        (
            Verdict.NONE,
            [reason(share=0.7, alone=0.6), reason(**HOUSE, alone=0.55)],
            0.97,
            f"{OPENING}. No part that we found explains this. The best are the ring 511–514 "
            "(70 % of samples agree, alone 60 %) and the house 520–524 (30 % of samples agree, alone 55 %). "
            "Without both the GNN "
            "still predicts cycle (97 %).",
        ),
        (
            Verdict.NONE,
            [reason(share=0.7, alone=0.6, without=0.98), reason(**HOUSE, alone=0.3)],  # the second gives another class
            0.97,
            f"{OPENING}. No part that we found explains this. The best is the ring 511–514: alone it gives 60 %; "
            "without it the GNN still predicts cycle (98 %). 70 % of samples agree with it.",
        ),
    ],
)
def test_every_form(verdict: Verdict, reasons: list[Reason], without: float, words: str) -> None:
    assert sentence(verdict, *reasons, without=without) == words


def test_the_same_part_at_other_atoms_is_not_another_reason() -> None:
    molecule = atoms("N", "O", "O", "N", "O", "O", "C")
    sampled = [((0, 1), 4, -0.2), ((0, 2), 3, -0.2), ((3, 4), 2, -0.2), ((3, 5), 2, -0.2), ((0, 6), 1, -0.9)]
    samples = tuple(SampledSubgraph(nodes, nodes, (), count, reward) for nodes, count, reward in sampled)
    first = reason("part of a nitro group: N0 and O1", nodes=(0, 1), share=4 / 12, without=0.97)
    second = reason("part of a nitro group: N0 and O2", nodes=(0, 2), share=3 / 12, without=0.97)
    text = sentence(Verdict.ENOUGH, first, second, of=replace(molecule, samples=samples), without=0.97)
    assert text.endswith("Other samples: 42 %, most of them the same part at other atoms.")
    text = sentence(Verdict.ENOUGH, first, second, of=replace(molecule, samples=(*samples[:2], samples[-1])))
    assert text.endswith("Other samples: 42 %.")


def test_a_single_atom_is_not_called_the_best_part() -> None:
    lone = reason("one hydrogen atom", alone=0.52, edges=(), nodes=(0,))
    assert sentence(Verdict.NONE, lone, of=atoms("H", "C")) == f"{OPENING}. No part that we found explains this."


def test_a_prediction_near_chance_is_called_one() -> None:
    text = sentence(Verdict.NEEDED, reason(), of=replace(trace(), prediction=Prediction(1, (0.47, 0.53), 1)))
    assert text.startswith("The GNN predicts cycle (53 %, hardly more than chance) because of the ring 511–514.")


def test_what_makes_the_gnn_surer_when_it_goes_does_not_support_it() -> None:
    of = replace(trace(), prediction=Prediction(1, (0.35, 0.65), 1))
    text = sentence(Verdict.ENOUGH, reason(alone=0.82, without=0.91), of=of, without=0.91)
    assert "Without it the GNN is even surer: cycle (91 %), so other parts support it more." in text


def test_what_is_typed_is_told_with_how_often_the_gnn_is_right() -> None:
    unknown = Prediction(1, (0.16, 0.84), None)
    molecule = replace(atoms("C", "O"), prediction=unknown)
    assert typed_prediction(molecule, 0.82) == (
        "The GNN predicts **cycle** (84 %). On unseen molecules it is right in 82.0 % of cases. Do not rely on it for "
        "safety."
    )
    words = replace(trace(), drawing=Drawing.SENTENCE, prediction=unknown)
    assert typed_prediction(words, 0.9).startswith("Read as a film review: the GNN predicts **cycle** (84 %). On un")


def test_names_in_the_plural() -> None:
    assert sentence(Verdict.NEEDED, reason("2 methyl groups"), several=(True,)) == (
        f"{OPENING} because of 2 methyl groups. Alone they give 98 %; without them the GNN predicts tree (97 %). 92 % "
        "of samples agree with them."
    )


def test_what_is_rounded_never_reads_as_certain() -> None:
    certain = replace(trace(), prediction=Prediction(1, (0.0, 1.0), 1))
    text = sentence(Verdict.NEEDED, reason(alone=0.999, without=0.0, share=1.0), of=certain)
    assert "predicts cycle (over 99 %)" in text
    assert "gives over 99 %; without it the GNN predicts tree (over 99 %). All samples agree" in text
    exact = sentence(Verdict.NEEDED, reason(alone=0.999, without=0.0, share=1.0), of=certain, exact=True)
    assert "Over 99 % of samples agree" in exact


def atoms(*elements: str) -> Trace:
    """A molecule whose atoms are named N0, O1, …"""
    of = trace()
    nodes = tuple(replace(of.nodes[0], id=number, element=element) for number, element in enumerate(elements))
    return replace(of, nodes=nodes, start=0, target=None)


def half(nodes: tuple[int, ...], name: str, **changes: Any) -> Reason:
    return reason(f"part of {name} (N and one O)", nodes=nodes, **{"share": 0.5, "edges": (0,), **changes})


NITRO = half((0, 1), "the nitro group"), half((0, 2), "the nitro group")


def distinct(*reasons: Reason) -> list[Reason]:
    """The reasons with names that tell them apart."""
    return [replace(each, name=f"{each.name}: O{each.nodes[1]}") for each in reasons]


def test_the_halves_of_one_group_are_told_as_one_part() -> None:
    of = atoms("N", "O", "O")
    assert sentence(Verdict.NEEDED, *distinct(*NITRO), of=of, without=0.6) == (
        f"{OPENING} because of part of the nitro group (N and one O). Alone it gives 98 %, with either O1 or O2 (50 % "
        "and 50 % of samples). Without both the GNN still predicts cycle, at only 60 %."
    )
    assert sentence(Verdict.ENOUGH, *distinct(*NITRO), of=of, without=0.97) == (
        f"{OPENING}. Part of the nitro group (N and one O) is enough: alone it gives 98 %, with either O1 or O2 (50 % "
        "and 50 % of samples). Without both the GNN still predicts cycle (97 %): they are not needed."
    )
    weak = [replace(each, alone=(0.4, 0.6)) for each in distinct(*NITRO)]
    assert "The best is part of the nitro group (N and one O), with either O1 or O2 (50 % and 50 % of samples" in (
        sentence(Verdict.NONE, *weak, of=of, without=0.97)
    )
    needs = sentence(Verdict.PART, *weak, of=of)  # both are needed, so that either would be wrong
    assert "either" not in needs
    assert "two parts" in needs


def test_two_of_three_reasons_may_be_halves_of_one_group() -> None:
    of = atoms("N", "O", "O", "N", "O", "O")
    three = [half(nodes, "a nitro group", share=0.3) for nodes in ((0, 1), (0, 2), (3, 4))]
    one, other, third = distinct(*three)
    text = sentence(Verdict.ENOUGH, one, other, third, of=of, without=0.97)
    assert "Part of any nitro group (N and one O) is enough: alone it gives 98 %. Samples end at N0 with" in text
    assert "with either O1 or O2 (30 % and 30 %) and O4 (30 %)." in text
    text = sentence(Verdict.ENOUGH, one, other, replace(third, alone=(0.1, 0.9)), of=of, without=0.97)
    assert "Two parts are each enough alone: part of one nitro group (N and one O), N0 with either O1 or O2 (" in text
    assert "and part of a nitro group (N and one O): O4 (30 % of samples agree, alone 90 %)." in text


def test_what_gives_different_numbers_alone_is_told_apart() -> None:
    one, other = distinct(*NITRO)
    text = sentence(Verdict.NEEDED, one, replace(other, alone=(0.1, 0.9)), of=atoms("N", "O", "O"))
    assert "Two reasons, each enough alone: part of the nitro group (N and one O): O1 (" in text
    assert "Two reasons" in sentence(Verdict.NEEDED, one, other)  # these are no atoms


def test_the_shares_of_the_reasons_add_up() -> None:
    shares = (0.335, 0.335, 0.33)
    three = [reason(f"part {share}", share=share, without=0.97) for share in shares]
    answer = replace(make_trace().answer, reasons=tuple(three))  # type: ignore[type-var]
    assert reason_shares(answer) == ["34 %", "33 %", "33 %"]
    text = sentence(Verdict.NEEDED, *three)
    assert all(f"({share} of samples" in text for share in reason_shares(answer))


def test_a_molecule_is_called_by_its_name() -> None:
    of = atoms("N", "O", "O")
    assert trace_title(of) == f"{of.dataset_title} {of.index}"
    assert trace_title(replace(of, made={"name": "TNT"})) == f"{of.dataset_title} TNT"
    assert trace_title(replace(of, made={"name": "C" * 100})) == f"{of.dataset_title} {'C' * 48} …"
    assert trace_title(replace(of, made={"name": 7})) == f"{of.dataset_title} {of.index}"


def test_a_student_is_told_of() -> None:
    of = trace(made={STUDENT: {"given_alone": [0.9, 0.1]}})
    text = sentence(Verdict.NEEDED, reason(), of=of)
    assert text.endswith("A student judged the parts; the GNN itself gives it alone 10 %.")
    text = sentence(Verdict.NEEDED, reason(share=0.6), reason(**HOUSE), of=of)
    assert text.endswith("the GNN itself gives the first alone 10 %.")


def test_it_is_never_too_long() -> None:
    long = sentence(Verdict.ENOUGH, reason("x" * 200), of=trace(classes=("t" * 200, "c" * 200)), without=0.97)
    assert len(long) == MAX_LENGTH
    assert long.endswith("…")


def test_what_may_help_is_told_where_nothing_explains() -> None:
    known = make_trace()
    assert known.answer is not None
    assert what_may_help(known) == ""
    none = replace(known, answer=replace(known.answer, verdict=Verdict.NONE))
    assert what_may_help(none).startswith("You can try ")
    assert "exact flows" in what_may_help(none)
    assert what_may_help(none) in summary(none)


def test_a_summary_begins_with_the_answer() -> None:
    trace = make_trace()
    assert trace.answer is not None
    lines = summary(trace)
    assert lines[0] == trace.answer.sentence
    assert "motif edges found 4, missed 0, extra 0" in lines
    assert summary(replace(trace, answer=None)) == lines[1:]
    lines = summary(replace(trace, edges=tuple(replace(edge, in_motif=None) for edge in trace.edges)))
    assert "No true reason is known here, so we do not count found and missed edges." in lines
    assert not [line for line in lines if "motif edges" in line]


def test_residuals_are_told_by_their_size() -> None:
    trace = make_trace()
    residuals = (None, -0.75, 0.5, -0.25)
    steps = tuple(replace(step, residual=each) for step, each in zip(trace.steps, residuals, strict=True))
    known = flow_words(replace(trace, steps=steps))
    assert known == ("Learned flows: largest residual on the way 0.75, total variation from R/Z 0.12.")
    assert flow_words(replace(trace, steps=steps, total_variation=None)) == (
        "Learned flows: largest residual on the way 0.75, mean 0.5; the distance from R/Z is not known, too many "
        "subgraphs to list."
    )


def test_a_node_that_needs_no_edge_is_said_before_any_part() -> None:
    base = trace()
    first = base.steps[0]
    bare = replace(base, steps=(replace(first, reward=replace(first.reward, probability=0.97)), *base.steps[1:]))
    parts = reason(share=0.5, without=0.97), reason(**HOUSE, without=0.96)
    assert sentence(Verdict.ENOUGH, *parts, of=bare, without=0.97) == (
        f"{OPENING}. Node 511 alone, without any edge, already gives 97 %. So no part explains it: it may be what the "
        "GNN predicts by default."
    )


def test_the_truth_is_told_or_how_often_the_gnn_is_right() -> None:
    assert truth_words(trace(), 0.9) == "That is correct."
    assert truth_words(replace(trace(), prediction=replace(SURE, true=0)), 0.9) == "The truth is “tree”."
    unknown = replace(trace(), prediction=replace(SURE, true=None))
    assert truth_words(unknown, 0.934) == "On unseen nodes it is right in 93.4 % of cases."
    assert truth_words(unknown) == ""
