"""The lessons' questions: the answer that counts as right is right, and every answer has a reply of its own."""

import numpy as np
import pytest

from gfx_core.job_context import JobContext
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching import questions
from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS
from gfx_core.teaching.lesson_jobs import ask_all
from gfx_core.teaching.practice import FinalState, final_states
from gfx_core.teaching.questions import LessonQuestion
from gfx_core.training.lesson_graphs import FAR, NEAR
from gfx_core.training.recording import read as read_recording
from gfx_core.training.training import STORIES

STATE = FinalState("abcde", 4, 0.1, 0.3, (0.1, 0.3), 10)


@pytest.mark.parametrize(
    "question",
    [
        *(about() for number, about in questions.QUESTIONS.items() if number != 2),
        questions.about_the_last_step(STATE),
        *map(questions.about_the_rule, HIDDEN_GNNS),
    ],
)
def test_each_answer_has_a_reply_of_its_own(question: LessonQuestion) -> None:
    replies = [question.reply(answer) for answer in range(len(question.options))]
    assert len(set(replies)) == len(set(question.options)) == len(replies) >= 3
    assert not any("{" in words for words in (question.text, *question.options, *replies))
    assert question.reply(question.right).startswith(question.say(question.right))


def test_the_orders_of_a_set_are_those_of_the_tree() -> None:
    toy = questions.toy_ground()

    def orders_of(word: str) -> list[str]:
        return ["".join("abcde"[node] for node in order) for order in toy.orders_of(toy.names.index(word))]

    question = questions.about_orders()
    assert "**abcde**" in question.text
    assert question.right == len(orders_of("abcde")) == 4
    assert all(" → ".join(order) in question.say(question.right) for order in orders_of("abcde"))
    assert len({question.say(answer) for answer in (-1, 1, 2, 4, 7, 24)}) == 6
    copies = questions.about_copies()
    assert "**abcde** can be built in 4 orders" in copies.text
    assert "**acde** in one" in copies.text
    assert len(orders_of("acde")) == 1


def test_without_exploring_the_learner_misses_the_far_mode() -> None:
    """The question comes before the reader trains: the recording of the story shows that it is so."""
    text = questions.QUESTIONS[4]().text
    assert text.index(f"**{NEAR}**") < text.index(f"**{FAR}**")
    stops = {state.name: state.drawn[0] for state in final_states(read_recording(STORIES["epsilon"].path))}
    assert stops[NEAR] > 0.5
    assert stops[FAR] < 1e-3


def test_the_best_is_sampled_seldom() -> None:
    table = ask_all(JobContext())["sum"]
    question = questions.about_the_best(table)
    reward, size = np.exp(-table.cross_entropy), known.real_states().size
    (ties,) = np.nonzero(reward >= reward.max() * (1 - known.SAME))
    best = min(ties, key=lambda state: (size[state], state))
    share = reward[best] / reward.sum()
    assert share < 0.5  # else there is nothing to ask
    assert f"{100 * share:.1f}\u00a0% of samples" in question.text
    assert ("the whole cycle" in question.text) == (best == known.growing_ring()[-1])
    others = np.delete(reward / reward[best], best)
    reply = question.say(question.right)
    assert f"{len(others)} others" in reply
    assert f"{100 * others.mean():.1f}\u00a0%" in reply
    assert f"{others.sum():.1f} times" in reply
