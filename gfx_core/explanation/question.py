"""Question: which prediction is to be explained, and how. What pages ask, workers answer, links spell and caches keep.

Needs no torch.
"""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from gfx_core.config import TRACES, FlowSource
from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, source_of
from gfx_core.datasets.source import Source
from gfx_core.errors import UserError
from gfx_core.files import checked_digest
from gfx_core.gnn.kinds import DEFAULT_KIND, kind_info

MAX_SAMPLES = 1000
MAX_SEED = 2**32 - 1


class Choice(StrEnum):
    """Which trajectory is shown in full.

    A drawn one that ends in the answer, or as near to it as any; the drawn one with the highest reward; the first one;
    or the greedy one.
    """

    ANSWER = "answer"
    BEST = "best"
    SAMPLE = "sample"
    GREEDY = "greedy"


def checked_flows(flows: str) -> FlowSource:
    """Where flows come from, by name."""
    if flows not in list(FlowSource):
        raise UserError(f"There are no flows “{flows[:60]}”: choose one of {', '.join(FlowSource)}.")
    return FlowSource(flows)


@dataclass(frozen=True)
class Question:
    """One prediction, the flows that explain it, and what is drawn from them.

    Attributes:
        dataset: Registry name.
        name: Which instance, as its source names it: a number, a compound, a SMILES string.
        source: Which of the data set's sources, see :class:`~gfx_core.datasets.source.Source`.
        gnn: The GNN's kind.
        flows: Learned ones, of the policy, or exact ones, from the list of all states.
        beta: Another β than the policy's, or None.
        node_price: Another price per node than the policy's, or None.
        max_nodes: A smaller K_M than the policy's, or None.
        tuned: Whether the policy is trained further on this prediction alone.
        own: The name of a policy that was trained here or brought along, in place of the shipped one; empty: none.
        start: The local node to start from (graph tasks); by default the locator's choice.
        choice: Which trajectory is shown in full.
        seed: Of everything drawn.
        samples: How many subgraphs are drawn.

    Raises:
        UserError: There can be no answer to it; the sentence says why.
    """

    dataset: str
    name: str
    source: str = "index"
    gnn: str = DEFAULT_KIND
    flows: FlowSource = FlowSource.LEARNED
    beta: float | None = None
    node_price: float | None = None
    max_nodes: int | None = None
    tuned: bool = False
    own: str = ""
    start: int | None = None
    choice: Choice = Choice.ANSWER
    seed: int = 0
    samples: int = 64

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset", dataset_info(self.dataset).name)
        object.__setattr__(self, "name", self.origin.checked(self.name))
        kind_info(self.gnn)
        if self.own:
            object.__setattr__(self, "own", checked_digest(self.own))
        if self.choice not in list(Choice):
            raise UserError(f"There is no choice “{self.choice[:60]}”: choose one of {', '.join(Choice)}.")
        object.__setattr__(self, "choice", Choice(self.choice))
        object.__setattr__(self, "flows", checked_flows(self.flows))
        if not 0 <= self.seed <= MAX_SEED:
            raise UserError(f"The seed must be a whole number from 0 to {MAX_SEED} (got {self.seed}).")
        if not 1 <= self.samples <= MAX_SAMPLES:
            raise UserError(f"Between 1 and {MAX_SAMPLES} subgraphs can be drawn (got {self.samples}).")
        if self.beta is not None and not 0 < self.beta < math.inf:
            raise UserError(f"β must be a number above 0 (got {self.beta}).")
        if self.node_price is not None and not 0 <= self.node_price < math.inf:
            raise UserError(f"The price per node must be a number from 0 on (got {self.node_price}).")
        if self.max_nodes is not None and self.max_nodes < 2:
            raise UserError(f"The most nodes of a subgraph, Kₘ, must be at least 2 (got {self.max_nodes}).")

    @property
    def info(self) -> DatasetInfo:
        """What is known of the data set."""
        return dataset_info(self.dataset)

    @property
    def origin(self) -> Source:
        """Where the instance comes from."""
        return source_of(self.dataset, self.source)

    @property
    def called(self) -> str:
        """A short name of the instance, unique among those of which a trace is shipped."""
        return self.origin.called(self.name)

    @property
    def shipped_trace(self) -> Path:
        """Where its trace is, if one is shipped."""
        return TRACES / f"{self.dataset}-{self.called}.json"

    @property
    def title(self) -> str:
        """The prediction, for people."""
        return f"{self.info.title} {self.called}"

    def instance(self, hops: int = DEFAULT_HOPS) -> Instance:
        """What a GNN of so many layers sees of the instance."""
        return self.origin.instance(self.name, hops)

    @property
    def prediction(self) -> "Question":
        """Which prediction it is about, and nothing else: other explainers need no more."""
        return Question(self.dataset, self.name, self.source, self.gnn)

    @property
    def policy(self) -> "Question":
        """The prediction and the flows, whatever is drawn from them."""
        return replace(self, choice=Choice.ANSWER, seed=0, samples=64)

    @property
    def is_plain(self) -> bool:
        """Whether it asks for what is shipped: the usual GNN and policy, drawn in the usual way."""
        return self == Question(self.dataset, self.name, self.source)


_BY_NUMBER = {
    "ba_shapes": (301, 423, 617),
    "ba_community": (304, 1011, 1177),
    "tree_cycles": (513, 612, 748),
    "tree_grid": (514, 700, 1021),
    "ba_2motifs": (0, 1, 42),
}
_SENTENCES = (
    "The jokes are not funny.",
    "The story never gets dull, and the ending is moving.",
    "I wanted to like this film, but it is too long and too loud.",
)
_COMPOUNDS = ("Nitrobenzene", "4-Nitroaniline", "Caffeine")

SHIPPED: tuple[Question, ...] = (
    *(Question(dataset, str(index)) for dataset, indices in _BY_NUMBER.items() for index in indices),
    *(Question("mutagenicity", compound, "compound") for compound in _COMPOUNDS),
    *(Question("graph_sst2", sentence, "example") for sentence in _SENTENCES),
)
"""Different places in the motif, small and large neighbourhoods, one of each class."""
