"""Every symbol and term of the explorer: what the paper writes, what it means, where it is to be seen."""

from collections.abc import Iterable
from dataclasses import dataclass

from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS as REGISTRY
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.settings import GFNConfig
from gfx_core.metrics.summary import METRICS
from gfx_core.teaching.shipped_reward import reward_in_words, shipped_reward

BUILDING, FLOWS, LEARNING = "Building a subgraph", "Flow and reward", "Learning the flow"
CUTS, EXPLAINING, QUALITY = "Cut vertices", "Explaining a GNN", "How good is an explanation?"
GROUPS = (BUILDING, FLOWS, LEARNING, CUTS, EXPLAINING, QUALITY)

PLAYER = ("Explain: the player", "explain?dataset=tree_cycles&index=612")
MARGINALS = ("Explain: edge marginals", "explain?dataset=tree_grid&index=700")
SAMPLING = ("Explain: sampling settings", "explain?dataset=tree_cycles&index=612")
COMPARE = ("Compare", "compare?dataset=tree_cycles&index=612")
DATASETS = ("Data sets", "datasets")
MOLECULES = ("Explain: a molecule", "explain?dataset=mutagenicity&compound=nitrobenzene")
LAB = ("Cut-vertex lab", "lab")
TRAIN = ("Train: watch it learn", "train")


@dataclass(frozen=True)
class Entry:
    """One symbol or term.

    Attributes:
        anchor: Where links reach it: ``/glossary#anchor``.
        symbol: How it is written in the explorer; empty where it has no symbol.
        name: What it is called.
        paper: How the GFlowExplainer paper writes it; empty where the paper has no notation for it.
        meaning: One or two sentences.
        group: One of `GROUPS`.
        where: Pages that show it: label and address.
        lesson: The lesson that teaches it.
        also: Other names that find it.
    """

    anchor: str
    symbol: str
    name: str
    paper: str
    meaning: str
    group: str
    where: tuple[tuple[str, str], ...] = ()
    lesson: int | None = None
    also: tuple[str, ...] = ()


def _shipped_rewards() -> str:
    """The rewards of the shipped policies, as they are set."""
    first = {info.task: name for name, info in reversed(REGISTRY.items())}  # one of each task: all have the same
    said = [f"{task} tasks {reward_in_words(shipped_reward(first[task]))}" for task in (Task.NODE, Task.GRAPH)]
    return f"Shipped policies: {'; '.join(said)}."


def _shipped_sizes() -> str:
    """K_M of the shipped policies."""
    return " or ".join(map(str, sorted({policy_config(name).max_nodes for name in REGISTRY})))


# fmt: off
def _building() -> Iterable[Entry]:
    yield Entry(
        "state", "s", "state", "sₜ",
        "The part that has been built so far: a connected set of nodes that holds the start node. "
        "Only the set counts, not the order in which it was built.",
        BUILDING, (PLAYER,), 2,
    )
    yield Entry(
        "start", "v₀", "start node", "v₀",
        "The node every subgraph grows from. It is the explained node, or in graph tasks the node that the locator "
        "picks; it is never removed.",
        BUILDING, (PLAYER,), 2, ("start-node", "v0"),
    )
    yield Entry(
        "action", "a", "action", "a",
        "One step: add a node of the frontier, or take STOP.",
        BUILDING, (PLAYER,), 2,
    )
    yield Entry(
        "frontier", "", "frontier", "",
        "The nodes that can come next: neighbours of the set that are not in it yet.",
        BUILDING, (PLAYER,), 2,
    )
    yield Entry(
        "stop", "STOP", "stop action", "STOP",
        "The action that ends the building. The set at that moment is the explanation.",
        BUILDING, (PLAYER,), 2,
    )
    yield Entry(
        "trajectory", "τ", "trajectory", "τ = (s₀, …, s_f)",
        "One way of building: the states from the start node alone to the last one, in order.",
        BUILDING, (PLAYER,), 2, ("order", "sequence"),
    )
    yield Entry(
        "child", "s′", "child", "s∪{a}",
        "A state one action later: the set with one frontier node more.",
        BUILDING, (PLAYER,), 2,
    )
    yield Entry(
        "terminal-state", "s_f", "terminal state", "s_f",
        "A state in which STOP was taken. Building also ends at the most nodes that are allowed, or when no neighbour "
        "is left.",
        BUILDING, (PLAYER,), 2, ("terminal",),
    )
    yield Entry(
        "dag", "DAG", "directed acyclic graph of states", "DAG",
        "All states and all steps between them. Each step adds a node, so no path returns; several paths may lead to "
        "the same state.",
        BUILDING, (), 1, ("state-dag", "directed acyclic graph"),
    )


def _flows() -> Iterable[Entry]:
    yield Entry(
        "flow", "F(s)", "flow of a state", "F(s)",
        "How much passes through a state, as if water ran from the start node through the DAG. What arrives at a "
        "state leaves it again, on to its children or out at STOP.",
        FLOWS, (PLAYER,), 1, ("state flow",),
    )
    yield Entry(
        "edge-flow", "F(s→s′)", "flow of a step", "F(s→s∪{a})",
        "How much runs from a state to one of its children. The policy takes steps in proportion to it.",
        FLOWS, (PLAYER,), 1,
    )
    yield Entry(
        "in-flow", "Σ F(p→s)", "in-flow", "Σ F(p→s)",
        "Everything that arrives at a state, summed over its valid parents.",
        FLOWS, (PLAYER,), 4, ("inflow",),
    )
    yield Entry(
        "out-flow", "R(s) + Σ F(s→s′)", "out-flow", "F(s→STOP) + Σ F(s→s∪{a})",
        "Everything that leaves a state: to all its children, and to STOP.",
        FLOWS, (PLAYER,), 4, ("outflow",),
    )
    yield Entry(
        "reward", "R(s)", "reward", "R(s_f)",
        "How good a subgraph is as an explanation; always above zero. Here: high where the GNN, shown only the "
        "subgraph, still gives its original answer, and the subgraph is small.",
        FLOWS, (PLAYER,), 1,
    )
    yield Entry(
        "log-reward", "log R", "log-reward", "log R",
        "The logarithm of the reward. Rewards span orders of magnitude, so the explorer computes with logarithms.",
        FLOWS, (PLAYER,), 6, ("log-r",),
    )
    yield Entry(
        "beta", "β", "reward exponent", "",
        "How strongly a better subgraph is preferred: log R is multiplied by β. A large β puts almost all "
        "probability on the best few.",
        FLOWS, (SAMPLING,), 6, ("reward-exponent",),
    )
    yield Entry(
        "price", "λ", "price of a term", "",
        "What one unit of a term of the reward costs: log R is −β times the sum of price times measured value. "
        f"The price of a node is what a node must bring to be worth it. {_shipped_rewards()}",
        FLOWS, (PLAYER, SAMPLING), 6, ("lambda", "price-of-a-node", "reward-term"),
    )
    yield Entry(
        "k-m", "K_M", "most nodes", "K_M",
        "The most nodes a subgraph may have. A state of that many nodes has to stop. "
        f"It is {GFNConfig().max_nodes} in the paper and {_shipped_sizes()} in the shipped policies.",
        FLOWS, (SAMPLING,), 6, ("km", "max-nodes"),
    )
    yield Entry(
        "partition", "Z", "partition function", "Z",
        "The sum of all rewards, and so the flow through the start node. R(s)/Z is the probability that stopping "
        "at s should have.",
        FLOWS, (PLAYER,), 1, ("partition-function",),
    )
    yield Entry(
        "log-partition", "log Z", "log-partition", "log Z",
        "The logarithm of Z. Flow matching never needs it; trajectory balance has to learn it.",
        FLOWS, (), 7, ("log-z", "logz"),
    )
    yield Entry(
        "policy", "π(a│s)", "policy", "π(a│s)",
        "The probability of each action in a state: its flow divided by the whole out-flow of the state.",
        FLOWS, (PLAYER,), 1, ("pi",),
    )


def _learning() -> Iterable[Entry]:
    yield Entry(
        "flow-matching", "FM", "flow matching", "eq. 12",
        "The condition that in-flow equals out-flow in every state. Where it holds everywhere, stopping at s has "
        "exactly the probability R(s)/Z.",
        LEARNING, (PLAYER, TRAIN), 4, ("fm",),
    )
    yield Entry(
        "residual", "log in − log out", "residual", "",
        "How far a state is from balance: the difference of the logarithms of in-flow and out-flow. "
        "Training makes its square small.",
        LEARNING, (PLAYER, TRAIN), 4,
    )
    yield Entry(
        "trajectory-balance", "TB", "trajectory balance", "in the appendix",
        "Another training goal: for a whole trajectory, Z times its forward probability equals the reward times its "
        "backward probability.",
        LEARNING, (TRAIN,), 7, ("tb",),
    )
    yield Entry(
        "forward-policy", "P_F", "forward policy", "P_F",
        "The probability of the steps of a trajectory in the direction of building; the policy, in the language of "
        "trajectory balance.",
        LEARNING, (), 7, ("p-f", "pf"),
    )
    yield Entry(
        "backward-policy", "P_B", "backward policy", "P_B",
        "From which parent a state is said to come. Here each valid parent has the same share.",
        LEARNING, (), 7, ("p-b", "pb"),
    )
    yield Entry(
        "epsilon", "ε", "exploration", "",
        "The share of training steps drawn at random instead of by the policy. With ε = 0 a good region that was "
        "never visited may never be found.",
        LEARNING, (TRAIN,), 4, ("exploration",),
    )
    yield Entry(
        "learning-rate", "", "learning rate", "",
        "How far one step of training changes the weights. Too small, and it does not arrive; too large, and it jumps "
        "about or diverges.",
        LEARNING, (TRAIN,), 4, ("lr",),
    )
    yield Entry(
        "table", "", "table of flows", "",
        "One free number for each step between two states, in place of a network. It can fit any flows of its one "
        "instance, and knows nothing of others.",
        LEARNING, (TRAIN,), 4, ("tabular",),
    )
    yield Entry(
        "lane", "", "lane", "",
        "One of the trainings that Train shows side by side. Two lanes learn the same prediction under two settings, "
        "on one clock.",
        LEARNING, (TRAIN,), 8, ("lanes",),
    )
    yield Entry(
        "recording", "", "recording of a training", "",
        "What was seen of a training, moment by moment: flows, residuals, where it stops. It is replayed without "
        "training again, forwards and backwards.",
        LEARNING, (TRAIN,), 8, ("training-recording", "frame"),
    )
    yield Entry(
        "delta", "δ", "smallest flow that counts", "",
        "Flows below δ are treated as if they were δ, because hardly any sample will ever follow them. "
        "In flow matching as first published, δ is added to both sides.",
        LEARNING, (),
    )
    yield Entry(
        "tuning", "", "training on one prediction", "",
        "One policy serves a whole data set, and is near its goal for some predictions and far for others. Trained "
        "further on a single prediction it comes near there, and may forget the rest.",
        LEARNING, (PLAYER,), None, ("train-on-this-one", "fine-tuning"),
    )
    yield Entry(
        "exact-flows", "", "exact flows", "",
        "Where all connected subgraphs can be listed, flows need not be learnt: starting from the largest sets, "
        "each state's flow is its reward and all that flows on, and it comes from all its valid parents in equal "
        "shares. Every residual is zero, and what is drawn follows R/Z itself.",
        LEARNING, (PLAYER,), None, ("exact",),
    )
    yield Entry(
        "total-variation", "TV", "total variation", "",
        "The distance of two distributions, half the sum of all differences: 0 if they are equal, 1 if they share "
        "nothing.",
        LEARNING, (TRAIN,), 4, ("tv",),
    )
    yield Entry(
        "gflow-sequence", "", "GFlow-Sequence", "GFlow-Sequence",
        "The method with one parent only, the state before the last step. It takes every order for a result of its "
        "own, so a set with k orders is drawn k times too often.",
        LEARNING, (TRAIN,), 3, ("sequences",),
    )
    yield Entry(
        "gflow-graph", "", "GFlow-Graph", "GFlow-Graph",
        "The method that counts every removal of a node as a parent, connected or not. It waits for flow from states "
        "that cannot exist.",
        LEARNING, (TRAIN,), 5,
    )


def _cuts() -> Iterable[Entry]:
    yield Entry(
        "parent", "p", "parent", "s \\ {u}",
        "A state one action earlier: the set with one node less.",
        CUTS, (PLAYER,), 5,
    )
    yield Entry(
        "valid-parent", "", "valid parent", "s \\ {u}, u no cut vertex",
        "A parent that really is a state: the node taken away is neither the start node nor a cut vertex, so what "
        "is left is connected.",
        CUTS, (PLAYER, LAB), 5,
    )
    yield Entry(
        "cut-vertex", "", "cut vertex", "cut vertex",
        "A node whose removal breaks the subgraph into pieces; also called articulation point.",
        CUTS, (PLAYER, LAB), 5, ("articulation point",),
    )
    yield Entry(
        "matrix", "𝒵", "cut-vertex matrix", "𝒵 (Theorem 1)",
        "A table with one row for each node. The row of a cut vertex says into which piece every other node falls "
        "without it; all other rows are zero.",
        CUTS, (PLAYER, LAB), 5, ("cut-vertex-matrix", "matrix-z"),
    )
    yield Entry(
        "z", "z", "connectivity vector", "z (eq. 8)",
        "Which nodes of the set the new node is linked to: 1 for a link, 0 for none. It is all that the update of 𝒵 "
        "needs.",
        CUTS, (PLAYER, LAB), 5, ("connectivity-vector",),
    )
    yield Entry(
        "child-group", "", "child group", "child group",
        "One of the pieces that are left when a cut vertex is removed.",
        CUTS, (PLAYER, LAB), 5,
    )


def _explaining() -> Iterable[Entry]:
    yield Entry(
        "gnn", "Φ", "graph neural network (GNN)", "Φ",
        "The model whose predictions are explained. Its nodes pass messages along edges, layer by layer.",
        EXPLAINING, (DATASETS,), 6,
    )
    yield Entry(
        "fragments", "", "what the GNN was trained on", "",
        "A GNN that only ever saw whole graphs does not know what to say of a fragment, and an explanation is one. "
        "The GNNs here learnt from random connected fragments too, so what they say of a part is what can be known "
        "from it alone.",
        EXPLAINING, (DATASETS,), 6, ("fragment", "training-on-fragments", "trained-on"),
    )
    yield Entry(
        "instance", "", "instance", "",
        "One prediction to be explained: a node with its neighbourhood, or a whole graph.",
        EXPLAINING, (DATASETS,), 6,
    )
    yield Entry(
        "locator", "𝕃", "locator", "𝕃",
        "A small network that picks the start node where a whole graph is explained.",
        EXPLAINING, (MOLECULES,),
    )
    yield Entry(
        "motif", "", "motif", "",
        "The planted pattern (a house, a cycle, a grid) or chemical group that is the true reason for a label.",
        EXPLAINING, (DATASETS,), 6,
    )
    yield Entry(
        "ground-truth", "own / all", "ground truth", "",
        "The edges a perfect explanation would find. “Own” counts the explained node's motif alone, “all” every "
        "motif in view.",
        EXPLAINING, (COMPARE,), None, ("own", "all"),
    )
    yield Entry(
        "answer", "", "answer", "",
        "What Explain outlines: one subgraph on which the draws agree, and so why the GNN says what it says. It is "
        "made of the edges that at least half of the draws hold and what joins them to the start node, grown until the "
        "GNN keeps its class. No ground truth has a part in it.",
        EXPLAINING, (PLAYER, MOLECULES), None, ("the-answer", "why"),
    )
    yield Entry(
        "consensus", "", "consensus", "",
        "What many draws have in common. A single draw holds an edge too many or too few by chance; what most of them "
        "hold is there for a reason. The share that holds an edge is its edge marginal, and the answer is made of the "
        "largest ones.",
        EXPLAINING, (PLAYER, MARGINALS), None, ("agreement", "agree", "what-the-draws-agree-on"),
    )
    yield Entry(
        "edge-marginal", "", "edge marginal", "",
        "The probability that an edge is in the subgraph at which building stops; estimated as a share of the drawn "
        "subgraphs, or computed exactly where all can be listed.",
        EXPLAINING, (MARGINALS,), 6,
    )
    yield Entry(
        "edge-mask", "", "edge mask", "",
        "One score for each edge: how much it matters. Every explainer is compared by the edge mask it gives.",
        EXPLAINING, (COMPARE,),
    )


def _quality() -> Iterable[Entry]:
    def said(name: str) -> str:
        return METRICS[name].sentence

    yield Entry(
        "auc", "AUC", "area under the ROC curve", "AUC",
        f"{said('auc_own')} 1 is perfect, 0.5 is chance.",
        QUALITY, (COMPARE,),
    )
    yield Entry(
        "top-k", "", "top-k accuracy", "",
        said("topk_own"),
        QUALITY, (COMPARE,), None, ("top-k-accuracy", "topk"),
    )
    yield Entry(
        "fidelity-plus", "fidelity+", "fidelity+", "",
        f"{said('fidelity_plus')} High is good: the edges were needed.",
        QUALITY, (COMPARE,), None, ("fidelity",),
    )
    yield Entry(
        "fidelity-minus", "fidelity−", "fidelity−", "",
        f"{said('fidelity_minus')} Low is good: the edges were enough.",
        QUALITY, (COMPARE,), None, ("fidelity-",),
    )
    yield Entry("sparsity", "", "sparsity", "", said("sparsity"), QUALITY, (COMPARE,))
    yield Entry("connectedness", "", "connectedness", "", said("connected"), QUALITY, (COMPARE,), None, ("connected",))
    yield Entry("unfaithfulness", "", "unfaithfulness", "", said("unfaithfulness"), QUALITY, (COMPARE,))


# fmt: on

ENTRIES: tuple[Entry, ...] = (*_building(), *_flows(), *_learning(), *_cuts(), *_explaining(), *_quality())
"""All of them, in reading order."""
