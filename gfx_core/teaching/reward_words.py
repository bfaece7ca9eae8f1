"""What lesson 6 says about subgraphs and their rewards, in their own numbers."""

from collections.abc import Mapping, Sequence

from gfx_core.teaching.known_subgraphs import (
    CLASS_NAMES,
    CYCLE,
    SAME,
    Answers,
    Weighing,
    gathered,
    log_rewards,
    number_sharing,
    reached,
)
from gfx_core.text.numbers import counted, power_of_ten, signed, solid_percent

Tables = Mapping[str, Answers]
"""What each GNN says, by its name in `GNNS`."""


def prediction(weighing: Weighing, table: Answers) -> str:
    """What a GNN takes the node for."""
    sure = solid_percent(float(table.whole[table.explained]))
    return f"The GNN takes node {weighing.index} for **{CLASS_NAMES[table.explained]}** ({sure}), seeing all of this."


def formula(weighing: Weighing, mine: Answers) -> str:
    """log R with one subgraph's numbers in it."""
    digits = 4 if weighing.prices.beta > 10 else 3  # so that one can check the product
    words, terms = ["cross-entropy"], [f"{mine.cross_entropy[0]:.{digits}f}"]
    for name, word, value in (
        ("nodes", "nodes", f"{mine.nodes[0]:.0f}"),
        ("size", "edges", f"{mine.edges[0]:.0f}"),
        ("similarity", "distance", f"{mine.distance[0]:.{digits}f}"),
    ):
        if price := weighing.prices.price(name):
            words.append(f"price · {word}")
            terms.append(f"{price:g} · {value}")
    total = signed(float(log_rewards(mine, weighing.prices)[0]))
    rule, numbers = f"log R = −β · ({' + '.join(words)})", f"−{weighing.prices.beta:g} · ({' + '.join(terms)})"
    return f"{rule}; β says how much better counts  \n= {numbers} = **{total}**"


def size(chosen: frozenset[int], mine: Answers) -> str:
    """How large one subgraph is, and how far from the whole."""
    edges = counted(round(float(mine.edges[0])), "edge")
    return f"{counted(len(chosen), 'node')}, {edges}, distance {mine.distance[0]:.2f}."


def loose(weighing: Weighing, chosen: frozenset[int]) -> str | None:
    """Which nodes hang in the air, if some do."""
    apart = chosen - reached(weighing.instance, chosen)
    if not apart:
        return None
    return (
        f"Not joined to the pink node: {weighing.label(apart)}. No message gets from there to "
        f"{weighing.index}, so the answer is the same without, and no GFlowNet builds such a set."
    )


def best(weighing: Weighing, mine: Answers, table: Answers) -> tuple[str, str | None]:
    """How far one subgraph is from the best, and how many others are as good, if some are."""
    own, highest = float(log_rewards(mine, weighing.prices)[0]), float(weighing.log_rewards(table).max())
    sets = weighing.best_sets(table)
    equal = own >= highest - SAME * weighing.prices.beta
    said = "You found a best one." if equal else f"Yours {signed(own)}, best {signed(highest)}."
    whole = ", the whole cycle" if sets[0] == weighing.nodes(weighing.cycle) else ""
    others = len(sets) - 1
    also = (
        f"{others} {'other subgraph has' if others == 1 else 'other subgraphs have'} the same reward: the GNN "
        "looks only three steps far, and to it they look alike."
    )
    return f"**{said}** The best: {weighing.label(sets[0])}{whole}.", also if others else None


def shares(weighing: Weighing, table: Answers) -> str:
    """How the probability is shared among all subgraphs."""
    probability, dag, cycle = weighing.probabilities(table), weighing.dag, weighing.cycle
    allowed = int((dag.size <= weighing.max_nodes).sum())
    return f"**{number_sharing(probability)} of {allowed}** subgraphs share 90 % of the probability. " + (
        f"The whole cycle is drawn with **{solid_percent(float(probability[cycle]))}**."
        if dag.size[cycle] <= weighing.max_nodes
        else f"The whole cycle has {dag.size[cycle]} nodes: more than the {weighing.max_nodes} that are allowed."
    )


def both_gnns(weighing: Weighing, mine: Tables, tables: Tables, gnn: str) -> str:
    """A table: how sure a GNN that adds up and the GCN are of a cycle, shown this and that."""
    names = (gnn, "gcn")
    rows = [
        ("The pink node alone", [tables[name].cycle[0] for name in names]),
        ("**The whole cycle**", [tables[name].cycle[weighing.cycle] for name in names]),
        ("Your subgraph", [mine[name].cycle[0] for name in names]),
        ("All it can see", [tables[name].whole[CYCLE] for name in names]),
    ]
    return sure_of_a_cycle(("GNN that adds up", "normalised GCN"), rows)


def sure_of_a_cycle(titles: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]]) -> str:
    """A table of probabilities: what is shown to GNNs, and how sure each is of a cycle."""
    lines = (f"| {shown} | {' | '.join(solid_percent(float(each)) for each in said)} |" for shown, said in rows)
    return (
        "How sure is each GNN of a **cycle**? Keep clicking: your subgraph is in the table.\n\n"
        f"| It is shown … | {' | '.join(titles)} |\n|---|{'--:|' * len(titles)}\n" + "\n".join(lines)
    )


def blindness(weighing: Weighing, table: Answers) -> str | None:
    """That a GNN takes the cycle for a lone node, if it does."""
    alone, on_cycle = table.cycle[0], table.cycle[weighing.cycle]
    apart = abs(float(on_cycle - alone))
    if apart >= SAME:
        return None
    return (
        f"**The GCN cannot tell the cycle from a lone node**: {solid_percent(float(on_cycle))} for both "
        f"(apart by {power_of_ten(apart)}: rounding)."
    )


def why_blind(weighing: Weighing, accuracies: Sequence[float]) -> str:
    """Why a GCN cannot see the cycle; with how often each kind of GNN is right on the test nodes."""
    sets = ({weighing.start}, weighing.nodes(weighing.cycle))
    adds, means = ([gathered(weighing.instance, nodes, kind) for nodes in sets] for kind in ("sum", "gcn"))
    return (
        "Why? Every node has the same features. The first GNN adds its neighbours up: a layer hears "
        f"**{adds[0]:g}** alone and **{adds[1]:g}** on the cycle. The GCN averages: it hears **{means[0]:.3g}** and "
        f"**{means[1]:.3g}**. So no honest explainer of it can prefer the cycle. (Right on the test nodes: "
        f"{100 * accuracies[0]:.0f} % and {100 * accuracies[1]:.0f} %.)"
    )
