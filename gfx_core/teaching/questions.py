"""The questions at the end of the lessons: every answer is told why it is right or wrong, with the numbers at hand."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gfx_core.gfn import exact
from gfx_core.gfn.settings import RewardConfig
from gfx_core.number_words import counted, solid_percent
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.practice import FAR, Practice, ground, true_log_z

NUMBERS = 150
"""A number that is asked for is not larger than this."""


@dataclass(frozen=True)
class Question:
    """A question that knows its answer.

    Attributes:
        text: What is asked.
        right: The right number, or the number of the right one among the options.
        say: What to say to an answer.
        options: The answers to choose from; a whole number is asked for where there are none.
    """

    text: str
    right: int
    say: Callable[[int], str]
    options: Sequence[str] = ()

    @property
    def longest(self) -> str:
        """The longest thing that may be said to an answer: as much room does it take."""
        answers = range(len(self.options) or NUMBERS)
        return max(map(self.say, answers), key=len)


def choice(text: str, right: int, *answers: tuple[str, str]) -> Question:
    """A question with given answers, each with what to say to it."""
    options, says = zip(*answers, strict=True)
    return Question(text, right, says.__getitem__, options)


def about_scaling() -> Question:
    """Lesson 1: only proportions count."""
    return choice(
        "You double the reward of **every** state. What happens to the probability to stop at abc?",
        1,
        (
            "It doubles.",
            "Twice as much water ends at abc, that is true. But twice as much enters at the start as well, "
            "and the probability is the share of the two. Press “Double all” and look at the table.",
        ),
        (
            "It stays the same.",
            "Right. P(stop at s) = R(s) / Z, and Z, the sum of all rewards, doubles too. Only the proportions of the "
            "rewards count. That is what people mean by P ∝ R.",
        ),
        (
            "It is halved.",
            "Z doubles, that is true, and by itself it would halve the share. But the reward of abc doubles too, "
            "and the two cancel. Press “Double all” and look at the table.",
        ),
    )


def about_orders(known: str) -> Question:
    """Lesson 2: how many orders lead to a set, other than the one that was built before?"""
    toy = ground(Practice.TOY)
    counts = np.bincount(toy.tree.state)
    asked = max((s for s in range(toy.dag.num_states) if toy.names[s] != known), key=lambda state: counts[state])
    right, others = int(counts[asked]), int(toy.dag.size[asked]) - 1
    all_orders = math.factorial(others)

    def say(answer: int) -> str:
        if answer == right:
            return (
                f"Yes, {right}: {'; '.join(toy.arrows(order) for order in toy.tree.orders_of(asked))}. "
                "Each node has to touch what is already there, so not every order is possible."
            )
        if answer == all_orders:
            return (
                f"{all_orders} would be all orders of the {others} nodes after a. "
                "But a node can only be added when it touches the set: d has to wait for c."
            )
        if answer == 1:
            return "The DAG has one box for it. But how many paths lead into that box?"
        if answer < 1:
            return "There is at least one: you can build it."
        if answer < right:
            return "There are more. Try to add the far nodes before you fetch b."
        return "That is too many. Count the paths that lead to its box in the DAG, from left to right."

    return Question(f"In how many orders can the set **{toy.names[asked]}** be built?", right, say)


def about_copies() -> Question:
    """Lesson 3: what is in the tree k times is drawn k times as often."""
    toy = ground(Practice.TOY)
    counts = np.bincount(toy.tree.state)
    most = int(np.argmax(counts))
    name, k = toy.names[most], int(counts[most])
    one = toy.names[int(np.flatnonzero((counts == 1) & (toy.dag.size == toy.dag.size[most] - 1))[0])]
    return choice(
        f"In the tree, **{name}** can be built in {k} orders and **{one}** in one. If both have the same reward, "
        f"how often is **{name}** drawn?",
        1,
        (
            f"As often as {one}: they have the same reward",
            f"That is what we want, and what the DAG gives. In the tree each of the {k} copies of {name} has the full "
            "reward of its own.",
        ),
        (
            f"{k} times as often as {one}",
            f"Yes. Each of the {k} copies is drawn as often as {one}, and nobody notices that they are one set. "
            "Merging them, so that a state counts all its parents, repairs it.",
        ),
        (
            f"{k} times as often, but only while few are drawn",
            "Draw 20,000 more: the points come closer to the dashed line, not to 1. It is no bad luck but a wrong "
            "target.",
        ),
        (
            f"Less often than {one}: it takes more steps",
            "The number of steps does not matter: flow that ends further away was sent there from the start. "
            "Look at the bars.",
        ),
    )


def about_exploring() -> Question:
    """Lesson 4: why ε = 0 fails."""
    return choice(
        f"You made the learner fail: with ε = 0 it never stops at the far good end, **{FAR}**. Why?",
        2,
        (
            "The learning rate is too small.",
            "Try it: press “Make it fail” and move the learning rate up. The near end is learned sooner, "
            "and the far one still is not found.",
        ),
        (
            f"The reward of {FAR} is smaller than that of the near end.",
            "Both ends have the reward 10: look at the upright marks in “Where walks stop”. They are equal.",
        ),
        (
            "It only corrects states it visits, and its own flows never lead it there.",
            "Right. The flows begin small, the near end is found first, and then nearly all walks go there or stop. "
            f"A random step now and then, ε > 0, is enough to meet {FAR}, and then its flow grows.",
        ),
        (
            "Flow matching has no solution when there are two good ends.",
            "There is one, and the upright marks show where it ends. With ε = 0.2 the learner reaches it.",
        ),
    )


def about_a_ring(ring: int, right: int) -> Question:
    """Lesson 5: one more node hangs on a closed ring; how many nodes may be removed now?"""
    return choice(
        f"A set is a closed ring of {ring} nodes, one of them the start node. A new node is added that touches "
        f"exactly one node of the ring, not the start node. How many valid parents has this set of {ring + 1}?",
        1,
        (
            str(right - 1),
            "One too few. The node that holds the new one is a cut vertex now, but the new node itself may go.",
        ),
        (
            str(right),
            f"Yes. {ring - 1} nodes of the ring could go before. The new node hangs on one of them: that one must "
            "stay now, but the new one may go. Theorem 1 makes this update without searching the whole set.",
        ),
        (
            str(right + 1),
            "One too many. Without the node that holds it, the new node would hang in the air.",
        ),
        (
            str(right + 2),
            "Two may not go: the start node, and the node that the new one hangs on.",
        ),
    )


def about_the_best(index: int, table: known.Answers) -> Question:
    """Lesson 6: the best subgraph is not drawn most of the time."""
    dag, plain = known.real_states(index), known.log_rewards(table, RewardConfig())
    best = int(known.best_states(dag, plain, 1.0)[0])
    found = "the whole cycle" if best == known.cycle_state(index) else f"one of {counted(int(dag.size[best]), 'node')}"
    probability = known.probabilities(plain)
    drawn, sure = solid_percent(float(probability[best])), solid_percent(math.exp(plain[best]))
    others = np.delete(np.exp(plain - plain[best]), best)  # their rewards, if the best one's is 1
    orders = round(math.exp(exact.orderings(dag)[best]))
    return choice(
        f"With β = 1 and at most {known.MAX_NODES} nodes no subgraph has a higher reward than {found}. "
        f"Yet it is drawn in only {drawn} of cases. Why?",
        1,
        (
            "The GNN is not sure of it.",
            f"Of nothing is it surer: shown that alone, it says “{known.CLASS_NAMES[table.explained]}” with {sure}. "
            "Look at what it says of the others.",
        ),
        (
            "There are many other subgraphs, all have some reward, and together they take most of the probability.",
            f"Right. The {len(others)} others have {solid_percent(float(others.mean()))} of its reward on average, and "
            f"so together {others.sum():.1f} times as much. P ∝ R gives each its share. A larger β, fewer nodes or a "
            "price for each node leaves them less: try it in part 2.",
        ),
        (
            "The GFlowNet has not learnt long enough.",
            "Nothing was learnt here: these are the exact probabilities, R(s)/Z, over all subgraphs.",
        ),
        (
            "It can be built in few orders only.",
            f"It can be built in {counted(orders, 'order')}, but orders do not count: P ∝ R is about sets (lesson 3).",
        ),
    )


def about_one_constant() -> Question:
    """Lesson 7: what one log Z for two start nodes can do."""
    return choice(
        f"Walks start at a or at e. The true log Z is {true_log_z('a'):.2f} for a and {true_log_z('e'):.2f} for e. "
        "What becomes of **one constant** log Z?",
        1,
        (
            "It finds the larger one: the smaller fits in.",
            "Then walks from e would be judged by a log Z that is too large, and their error would pull it down again. "
            "Train with “a and e” and look where the dotted line ends.",
        ),
        (
            "It ends between the two, and walks from both nodes stop in wrong proportions.",
            "Right. TB must then make up for the wrong log Z with the probabilities of the walks, so these are bent. "
            "One log Z for each start node, or flow matching, which needs none, has no such trouble.",
        ),
        (
            "It ends between the two, but does no harm: probabilities are normalised.",
            "It ends between the two, that is true. But the error does not vanish: the probabilities of the walks are "
            "bent to make up for it. Look at the total variation with “a and e”.",
        ),
        (
            "It changes with the start node of each walk.",
            "That would be a conditional log Z, one for each start node. A constant is one number for all.",
        ),
    )


def about_the_last_step(name: str, orders: int) -> Question:
    """Lesson 8: why GFlow-Sequence finds wrong probabilities, of a state that can be built in many orders."""
    return choice(
        f"GFlow-Sequence ends with residuals as small as the other lane’s, and yet it draws **{name}** far too often. "
        "Why did it find the wrong probabilities?",
        2,
        (
            "It was not trained long enough.",
            "Scrub to the end: its residuals are small and its total variation has long stopped falling. It has "
            "arrived, at a wrong place.",
        ),
        (
            "It never visited the other states: ε is too small.",
            "Both lanes have the same ε, and in both all states are marked as visited. That was the trouble of lesson "
            "4, not this one.",
        ),
        (
            "It takes the step it came by for the only way in, so every order brings the whole reward.",
            f"Right. {name} can be built in {counted(orders, 'order')}: each of them is given the whole reward, so "
            f"together they bring {orders} times of it. Counting all valid parents shares the flow among them, so that "
            "P ∝ R holds for sets. It is the tree of lesson 3, learnt.",
        ),
        (
            "Its rewards are higher.",
            "The rewards are the same: point at a state and compare R/Z in both lanes. What differs is which parents "
            "count as in-flow.",
        ),
    )
