"""What lesson 6 says of a GNN that was trained on fragments too, and of one that never saw any, in numbers."""

from collections.abc import Callable, Mapping

from gfx_core.gfn.presets import policy_config
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.glossary import reward_in_words
from gfx_core.teaching.known_subgraphs import CYCLE, Answers, Weighing
from gfx_core.teaching.reward_words import Tables, sure_of_a_cycle
from gfx_core.text.numbers import counted, signed, solid_percent

TRAINED: Mapping[str, str] = {"plain": "whole graphs only", "sum": "fragments too"}
"""What each of the two GNNs was trained on, by its name in `known_subgraphs.GNNS`."""
SURE = 0.9
"""A GNN that says this much or more is called sure."""
NEAR = 0.1
"""An answer this near to how many nodes are on a cycle says that nothing can be known."""
SHIPPED = policy_config(known.DATASET).reward
"""The reward of the shipped policy."""


def growing(weighing: Weighing, mine: Tables, tables: Tables) -> str:
    """A table: how sure each is of a cycle while the ring grows around the node until it closes."""
    states = known.growing_ring(weighing.index)
    names = ["The pink node alone", *(f"{count} nodes of its ring" for count in range(2, len(states)))]
    shown = [(name, [tables[gnn].cycle[state] for gnn in TRAINED]) for name, state in zip(names, states, strict=False)]
    rows = [
        *shown,
        ("**The whole cycle**", [tables[gnn].cycle[states[-1]] for gnn in TRAINED]),
        ("Your subgraph", [mine[gnn].cycle[0] for gnn in TRAINED]),
        ("All it can see", [tables[gnn].whole[CYCLE] for gnn in TRAINED]),
    ]
    return sure_of_a_cycle([f"trained on {words}" for words in TRAINED.values()], rows)


def lone_node(tables: Tables) -> str:
    """What can be known of a lone node, and what each says of it."""
    share = known.share_on_cycles()
    said = " ".join(_of_a_lone_node(words, float(tables[gnn].cycle[0]), share) for gnn, words in TRAINED.items())
    return (
        "**What can be known of a lone node?** All nodes have the same features, so it could be any of them, and "
        f"**{solid_percent(share)}** of all are on a cycle. {said}"
    )


def _of_a_lone_node(trained: str, sure: float, share: float) -> str:
    said = f"The GNN trained on {trained} says **{solid_percent(sure)}**"
    if abs(sure - share) <= NEAR:
        return f"{said}: “I cannot know”."
    if max(sure, 1 - sure) >= SURE:
        return f"{said}: sure of what it cannot know, for nobody ever showed it such a thing."
    return f"{said}, off by {100 * abs(sure - share):.0f} points."


def open_ring(weighing: Weighing, tables: Tables) -> str:
    """Who takes a ring for a cycle that is not closed yet: it could as well be a path of the tree."""
    states = known.growing_ring(weighing.index)

    def told(gnn: str, trained: str) -> str:
        early = [at for at, state in enumerate(states[:-1]) if tables[gnn].cycle[state] >= SURE]
        if not early:
            return f"The one trained on {trained} is sure of no open ring."
        sure = solid_percent(float(tables[gnn].cycle[states[early[0]]]))
        nodes = counted(int(weighing.dag.size[states[early[0]]]), "node")
        return f"The one trained on {trained} is sure from {nodes} on ({sure}), with the ring still open."

    return "**And of an open ring?** It could as well be a path of the tree. " + " ".join(
        told(gnn, trained) for gnn, trained in TRAINED.items()
    )


def consequences(weighing: Weighing, tables: Tables) -> list[str]:
    """Tables: what becomes of R and P ∝ R with the reward that is set, and with that of the shipped policies."""
    shipped = Weighing(weighing.index, SHIPPED, weighing.max_nodes)
    rewards = [weighing] if weighing.prices == SHIPPED else [weighing, shipped]
    return [_weighed(each, tables) for each in rewards]


def _weighed(weighing: Weighing, tables: Tables) -> str:
    lines = [
        f"| {reward_in_words(weighing.prices)} | {' | '.join(TRAINED.values())} |",
        "|---|--:|--:|",
        *(
            f"| {what} | {' | '.join(measure(weighing, tables[gnn]) for gnn in TRAINED)} |"
            for what, measure in _MEASURES.items()
        ),
    ]
    return "\n".join(lines)


def _log_reward_alone(weighing: Weighing, table: Answers) -> str:
    return signed(float(weighing.log_rewards(table)[0]))


def _log_reward_of_the_cycle(weighing: Weighing, table: Answers) -> str:
    return signed(float(known.log_rewards(table, weighing.prices)[weighing.cycle]))


def _share_of_the_cycle(weighing: Weighing, table: Answers) -> str:
    return f"**{solid_percent(float(weighing.probabilities(table)[weighing.cycle]))}**"


def _sharing(weighing: Weighing, table: Answers) -> str:
    allowed = int((weighing.dag.size <= weighing.max_nodes).sum())
    return f"{known.number_sharing(weighing.probabilities(table))} of {allowed}"


_MEASURES: Mapping[str, Callable[[Weighing, Answers], str]] = {
    "log R, node alone": _log_reward_alone,
    "log R, whole cycle": _log_reward_of_the_cycle,
    "P(whole cycle)": _share_of_the_cycle,
    "sets that share 90 %": _sharing,
}
