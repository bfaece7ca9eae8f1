"""The questions at the end of the lessons: every answer is told why it is right or wrong, with the numbers at hand.

The texts are in assets/content; what is computed for them is here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gfx_core.config import read_content
from gfx_core.exact.state_space import StateSpace
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS, RULES, difference
from gfx_core.teaching.practice import FinalState, toy_ground, true_log_z
from gfx_core.text.names import shape_name
from gfx_core.text.numbers import counted, solid_percent
from gfx_core.training.lesson_graphs import FAR, NEAR

TEXTS = read_content("questions")
NUMBERS = 150
"""A number that is asked for is not larger than this."""


@dataclass(frozen=True)
class LessonQuestion:
    """A question that knows its answer.

    Attributes:
        text: What is asked.
        right: The right number, or the number of the right one among the options.
        say: What to say to an answer.
        options: The answers to choose from; a whole number is asked for where there are none.
        explorer: What to do then, which the static site has no place for; empty where there is nothing.
    """

    text: str
    right: int
    say: Callable[[int], str]
    options: Sequence[str] = ()
    explorer: Callable[[int], str] = lambda _: ""

    def reply(self, answer: int) -> str:
        """All that the explorer says to an answer."""
        return f"{self.say(answer)} {self.explorer(answer)}".strip()


def _choice(about: str, /, **values: object) -> LessonQuestion:
    """A question with answers to choose from, with values in place of what stands in braces."""
    content = TEXTS[about]
    options, replies, further = (
        [answer.get(part, "").format_map(values) for answer in content["answers"]]
        for part in ("option", "reply", "explorer")
    )
    text = content["text"].format_map(values)
    return LessonQuestion(text, content["right"], replies.__getitem__, options, further.__getitem__)


def about_orders() -> LessonQuestion:
    """Lesson 2: how many orders lead to the largest set?"""
    toy, content = toy_ground(), TEXTS["orders"]
    ways = toy.orders_of(toy.dag.num_states - 1)
    right, others = len(ways), len(ways[0]) - 1
    orders = "; ".join(" → ".join(map(toy.instance.node_label, way)) for way in ways)
    all_orders = math.factorial(others)
    special = {right: "right", all_orders: "all_orders", 1: "one"}

    def say(answer: int) -> str:
        reply = special.get(answer) or ("none" if answer < 1 else "few" if answer < right else "many")
        text: str = content["replies"][reply]
        return text.format(right=right, orders=orders, all_orders=all_orders, others=others)

    return LessonQuestion(content["text"].format(name=toy.names[-1]), right, say)


def about_copies() -> LessonQuestion:
    """Lesson 3: what is in the tree k times is drawn k times as often."""
    toy = toy_ground()
    counts = {name: len(toy.orders_of(state)) for state, name in enumerate(toy.names)}
    most, one = max(counts, key=counts.__getitem__), [name for name, count in counts.items() if count == 1][-1]
    return _choice("copies", name=most, k=counts[most], one=one)


def about_a_ring(ring: int = 6) -> LessonQuestion:
    """Lesson 5: one more node hangs on a closed ring; how many nodes may be removed now?"""
    right = ring - 1  # all but the start node and the neighbour of the new node
    numbers = {"fewer": right - 1, "removable": right, "more": right + 1, "most": right + 2}
    return _choice("ring", ring=ring, size=ring + 1, before=ring - 1, **numbers)


def about_the_best(table: known.SubgraphAnswers) -> LessonQuestion:
    """Lesson 6: the best subgraph is not drawn most of the time."""
    weighing, dag = known.Weighing(), known.real_states()
    log_rewards = weighing.log_rewards(table)
    best, cycle = int(weighing.best(table)[0]), known.growing_ring()[-1]
    others = np.delete(np.exp(log_rewards - log_rewards[best]), best)  # their rewards, if the best one's is 1
    return _choice(
        "best",
        max_nodes=known.MAX_NODES,
        found="the whole cycle" if best == cycle else f"one of {counted(int(dag.size[best]), 'node')}",
        drawn=solid_percent(float(weighing.probabilities(table)[best])),
        explained=known.CLASS_NAMES[table.explained],
        sure=solid_percent(math.exp(log_rewards[best])),
        others=len(others),
        mean=solid_percent(float(others.mean())),
        times=f"{others.sum():.1f}",
        orders=counted(round(math.exp(StateSpace(dag, log_rewards).log_orders[best])), "order"),
    )


def about_the_last_step(state: FinalState) -> LessonQuestion:
    """Lesson 8: why GFlow-Sequence finds wrong probabilities, of a state that can be built in many orders."""
    return _choice("last_step", name=state.name, orders=state.orders, in_orders=counted(state.orders, "order"))


def about_the_rule(name: str) -> LessonQuestion:
    """Lesson 9: by which rule a hidden GNN predicts *yes*. A wrong guess is told a graph that speaks against it."""
    content, hidden = TEXTS["rule"], HIDDEN_GNNS[name]
    rules, options = ([answer[part] for answer in content["answers"]] for part in ("rule", "option"))

    def say(answer: int) -> str:
        if rules[answer] == hidden:
            text: str = content["right"]["reply"]
            return text.format(name=name)
        apart = difference(hidden, rules[answer])
        predicted, guessed = ("yes", "no") if RULES[hidden](apart) else ("no", "yes")
        values = {
            "name": name,
            "option": options[answer],
            "graph": shape_name(apart).text,
            "predicted": predicted,
            "guessed": guessed,
        }
        return str(content["wrong"]["reply"]).format(**values)

    def explorer(answer: int) -> str:
        return str(content["right" if rules[answer] == hidden else "wrong"]["explorer"])

    return LessonQuestion(content["text"].format(name=name), rules.index(hidden), say, options, explorer)


QUESTIONS: dict[int, Callable[[], LessonQuestion]] = {
    1: lambda: _choice("scaling"),
    2: about_orders,
    3: about_copies,
    4: lambda: _choice("exploring", near=NEAR, far=FAR),
    5: about_a_ring,
    7: lambda: _choice("constant", a=true_log_z("a"), e=true_log_z("e")),
}
"""By lesson, those that depend on nothing that is done there."""
