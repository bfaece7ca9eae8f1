"""The lessons' questions: the answer that counts as right is right, and every answer has words of its own."""

from itertools import permutations

import numpy as np
import pytest

from gfx_core.job_context import JobContext
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching import questions
from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS
from gfx_core.teaching.lab_graphs import ring_with_a_tail
from gfx_core.teaching.lesson_jobs import ask_all
from gfx_core.teaching.practice import Practice, final_states, ground, true_log_z
from gfx_core.teaching.questions import LessonQuestion
from gfx_core.training.lesson_graphs import FAR, NEAR
from gfx_core.training.recording import read as read_recording
from gfx_core.training.stories import STORIES


def orders_of(word: str) -> list[str]:
    """All orders in which a set of the toy graph can be built, by trying."""
    links = {"ab", "ac", "bc", "cd", "de"}

    def touches(node: str, before: str) -> bool:
        return any("".join(sorted(node + other)) in links for other in before)

    tried = ("a" + "".join(rest) for rest in permutations(word.replace("a", "")))
    return [order for order in tried if all(touches(order[i], order[:i]) for i in range(1, len(order)))]


@pytest.mark.parametrize("name", sorted(set(questions.contents()) - {"orders", "rule"}))
def test_a_question_is_whole(name: str) -> None:
    content = questions.contents()[name]
    assert content["text"].endswith("?")
    assert 0 <= content["right"] < len(content["answers"])
    options, replies = ([answer[part] for answer in content["answers"]] for part in ("option", "reply"))
    assert len(set(options)) == len(set(replies)) == len(replies) >= 3
    assert [reply.startswith(("Right. ", "Yes. ")) for reply in replies].index(True) == content["right"]


@pytest.mark.parametrize(
    "question",
    [
        questions.about_scaling(),
        questions.about_copies(),
        questions.about_exploring(),
        questions.about_a_ring(6, ring_with_a_tail(6)),
        questions.about_one_log_z(),
        questions.about_the_last_step("abcde", 4),
        *map(questions.about_the_rule, HIDDEN_GNNS),
    ],
)
def test_each_answer_has_its_own_words(question: LessonQuestion) -> None:
    replies = [question.reply(answer) for answer in range(len(question.options))]
    assert len(set(replies)) == len(set(question.options)) == len(replies)
    assert len(question.longest) == max(map(len, replies))
    assert not any("{" in words for words in (question.text, *question.options, *replies))


def test_the_orders_of_a_set() -> None:
    question = questions.about_orders("abcd")
    assert "**abcde**" in question.text
    assert question.right == len(orders_of("abcde")) == 4
    for order in orders_of("abcde"):
        assert " → ".join(order) in question.say(question.right)
    assert len({question.say(answer) for answer in (-1, 1, 2, 4, 7, 24)}) == 6
    assert question.options == ()


def test_copies_and_start_nodes() -> None:
    text = questions.about_copies().text
    assert "**abcde** can be built in 4 orders and **acde** in one" in text
    assert (len(orders_of("abcde")), len(orders_of("acde"))) == (4, 1)
    assert f"{true_log_z('a'):.2f} for a and {true_log_z('e'):.2f} for e" in questions.about_one_log_z().text
    assert true_log_z("a") != pytest.approx(true_log_z("e"), abs=0.05)
    two = ground(Practice.TWO_MODES)
    assert two.reward[two.names.index(FAR)] == two.reward[two.names.index(NEAR)] == two.reward.max() == 10


def test_what_is_to_be_done_in_the_explorer_is_said_only_there() -> None:
    rule = questions.about_the_rule("A")
    for question, further in (
        (questions.about_copies(), {2: "Sample 20,000 more."}),
        (questions.about_one_log_z(), {0: "Train with “a and e” and look where the dotted line ends."}),
        (rule, {rule.right: "Below is what GFlowExplainer finds in its predictions."}),
    ):
        for answer, words in further.items():
            assert question.explorer(answer) == words
            assert question.reply(answer) == f"{question.say(answer)} {words}"
    assert questions.about_copies().reply(0) == questions.about_copies().say(0)


def test_what_is_said_of_the_learner_that_fails_is_so() -> None:
    """It is asked before anybody trained; the recording is that of the static site."""
    text = questions.about_exploring().text
    assert (
        f"With ε = 0 the learner stops mostly at the near one, **{NEAR}**, and never at the far one, **{FAR}**" in text
    )
    stops = {state.name: state.drawn[0] for state in final_states(read_recording(STORIES["epsilon"].path))}
    assert stops[NEAR] > 0.5
    assert stops[FAR] < 1e-4


@pytest.mark.parametrize("index", known.INDICES)
def test_the_best_is_drawn_seldom(index: int) -> None:
    table = ask_all(JobContext(), index=index)["sum"]
    question = questions.about_the_best(index, table)
    reward, size = np.exp(-table.cross_entropy), known.real_states(index).size
    (ties,) = np.nonzero(reward >= reward.max() * (1 - known.SAME))
    best = min(ties, key=lambda state: (size[state], state))
    share = reward[best] / reward.sum()
    assert share < 0.5  # else there is nothing to ask
    assert question.say(0).startswith("No subgraph makes it more certain: ")  # another one may make it as certain
    assert f"only {100 * share:.1f}\u00a0% of samples" in question.text
    assert ("the whole cycle" in question.text) == (best == known.cycle_state(index))
    others = [float(each) for state, each in enumerate(reward / reward[best]) if state != best]
    replies = question.say(question.right)
    assert f"The {len(others)} others have {100 * sum(others) / len(others):.1f}\u00a0% of its reward" in replies
    assert f"together {sum(others):.1f} times as much" in replies
