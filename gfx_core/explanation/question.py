"""Question: which prediction is to be explained, and how. What pages ask, workers answer, links spell and caches keep.

Needs no torch.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.config import TRACES, FlowSource, FragmentModel
from gfx_core.datasets.edits import checked_edits, edited, read_edits
from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, source_of
from gfx_core.datasets.source import Source
from gfx_core.errors import UserError
from gfx_core.files import checked_digest
from gfx_core.gnn.kinds import DEFAULT_KIND, checked_gnn
from gfx_core.layout import kept_places

MAX_SAMPLES = 1000
MAX_SEED = 2**32 - 1
SECONDS = 30.0
"""How long listing and learning for one prediction may take."""
MOST_SECONDS = 600.0
"""How long one may let it take, unless there is no limit at all, which a link cannot say."""


class Choice(StrEnum):
    """Which trajectory is shown in full.

    One that ends in the first reason of the answer; the sampled one with the highest reward; the first one;
    or the greedy one.
    """

    ANSWER = "answer"
    BEST = "best"
    SAMPLE = "sample"
    GREEDY = "greedy"


@dataclass(frozen=True)
class Option:
    """How a field of a question is said in a link and on the command line, and what it may be.

    Attributes:
        link: Its name there.
        title: What people call it, at the beginning of a sentence.
        about: What it does.
        kind: ``bool``, ``int``, ``float``, ``str``, an enumeration, or a function that checks a text.
        least: The least that a number may be.
        most: And the most.
        open: Whether ``least`` itself is too little.
        endless: Whether it may be infinite.
        travels: Whether it still makes sense for another prediction.
    """

    link: str
    title: str
    about: str
    kind: Any
    least: float = 0
    most: float = math.inf
    open: bool = False
    endless: bool = False
    travels: bool = True

    def read(self, text: str) -> Any:
        """Its value from a link or a command; ``UserError`` where the text makes no sense."""
        if self.kind is bool:
            return text == "1"
        try:
            value = self.kind(text) if self.kind in (int, float) else text
        except ValueError as error:
            raise UserError(f"{self.title} must be {self._allowed} (got “{text[:60]}”).") from error
        return self.checked(value)

    def spell(self, value: Any) -> str | None:
        """The other way round; ``None`` leaves it out."""
        if self.kind is bool:
            return "1" if value else None
        short = f"{value:g}" if self.kind is float else ""
        return short if short and float(short) == value else str(value) or None

    def checked(self, value: Any) -> Any:
        """A value that it may have, or a sentence that says why not."""
        if isinstance(self.kind, type) and issubclass(self.kind, StrEnum):
            if str(value) not in list(self.kind):
                raise UserError(f"{self.title} must be {self._allowed} (got “{str(value)[:60]}”).")
            return self.kind(value)
        if self.kind in (int, float):
            number = isinstance(value, Integral if self.kind is int else Real) and not isinstance(value, bool)
            if not number or not self._can_be(value):
                raise UserError(f"{self.title} must be {self._allowed} (got {str(value)[:60]}).")
            return self.kind(value)
        if self.kind is bool and not isinstance(value, bool):
            raise UserError(f"{self.title} must be True or False (got a {type(value).__name__}).")
        if self.kind is str:
            return checked_digest(value) if value else value
        return value if self.kind is bool else self.kind(value)

    def _can_be(self, number: float) -> bool:
        if not math.isfinite(number):
            return self.endless and number == math.inf
        return self.least <= number <= self.most and not (self.open and number == self.least)

    @property
    def _allowed(self) -> str:
        if isinstance(self.kind, type) and issubclass(self.kind, StrEnum):
            return f"one of {', '.join(self.kind)}"
        number = "a whole number" if self.kind is int else "a number"
        least = f"above {self.least:g}" if self.open else f"from {self.least:g}"
        if self.most < math.inf:
            return (
                f"{number} {least} to {self.most:.10g}"
                if not self.open
                else f"{number} {least}, up to {self.most:.10g}"
            )
        return f"{number} {least}" + ("" if self.open else " on")


def option(default: Any, *described: Any, **limits: Any) -> Any:
    """A field of a question that is an `Option`: links, the command line, pages and Python offer it by itself."""
    return field(default=default, metadata={"option": Option(*described, **limits)})


@dataclass(frozen=True, eq=False)
class UserPrediction:
    """A prediction that no name stands for: objects of whoever asks.

    Attributes:
        model: The GNN, any module of PyTorch.
        instance: What it sees, an `Instance`.
        config: K_M, the reward and how a policy is trained; by default as the shipped policies.
        policy: A trained policy for it.
        subject: The model with all its data, which a student learns from.
    """

    model: Any
    instance: Any
    config: Any = None
    policy: Any = None
    subject: Any = None


@dataclass(frozen=True)
class Question:
    """One prediction, the flows that explain it, and what is drawn from them.

    What says how it is explained is an `option`; ``None`` leaves it to the policy.

    Attributes:
        dataset: Registry name.
        name: Which instance, as its source names it: a number, a compound, a SMILES string.
        source: Which of the data set's sources, see :class:`~gfx_core.datasets.source.Source`.
        gnn: Which of the data set's GNNs: the name of a kind, or ``sum-plain`` for one that never saw a fragment.
        user: In place of all these, a model and an instance as objects.

    Raises:
        UserError: There can be no answer to it; the sentence says why.
    """

    dataset: str = ""
    name: str = ""
    source: str = "index"
    gnn: str = DEFAULT_KIND
    flows: FlowSource | None = option(
        None,
        "flows",
        "Flows",
        "learned: the policy's; exact: from the list of connected subgraphs (default: the policy's, if there is one)",
        FlowSource,
    )
    beta: float | None = option(
        None, "beta", "β", "another β, how sharp the reward is, than the policy's", float, open=True
    )
    node_price: float | None = option(
        None, "price", "The price per node", "another price per node than the policy's", float
    )
    max_nodes: int | None = option(
        None, "k", "The most nodes of a subgraph, Kₘ,", "a smaller K_M than the policy's", int, least=2
    )
    fragments: FragmentModel = option(
        FragmentModel.AUTO,
        "fragments",
        "fragments",
        "student: a GNN that never saw fragments is explained through one that learnt them from it; as is: it is not; "
        "auto: where that is measured to be better and no policy is there",
        FragmentModel,
    )
    tuned: bool = option(
        False, "tune", "tuned", "first train the policy further on this one alone", bool, travels=False
    )
    own: str = option("", "policy", "own", "a policy that was trained here or brought along, by its name", str)
    start: int | None = option(
        None,
        "start",
        "The start node",
        "local node to start from, in a graph task (default: by locator)",
        int,
        travels=False,
    )
    explained: int | None = option(
        None,
        "explained",
        "The explained class",
        "number of the class to explain (default: the GNN's own answer)",
        int,
        travels=False,
    )
    edits: str = option(
        "",
        "edits",
        "The edits",
        "what if: 541-542 removes an edge, 541~542 adds one, 541 removes a node, 5_N changes an atom or a word",
        checked_edits,
        travels=False,
    )
    choice: Choice = option(
        Choice.ANSWER,
        "choice",
        "choice",
        "shown in full: answer (one that ends in the first reason), best, sample or greedy",
        Choice,
    )
    seed: int = option(0, "seed", "The seed", "of everything drawn", int, most=MAX_SEED)
    samples: int = option(64, "samples", "The number of samples", "subgraphs to draw", int, least=1, most=MAX_SAMPLES)
    seconds: float | None = option(
        SECONDS,
        "seconds",
        "seconds",
        "how long listing and learning may take",
        float,
        most=MOST_SECONDS,
        open=True,
        endless=True,
    )
    user: UserPrediction | None = None

    def __post_init__(self) -> None:
        if self.user is None:
            object.__setattr__(self, "dataset", dataset_info(self.dataset).name)
            object.__setattr__(self, "name", self.origin.checked(self.name))
            checked_gnn(self.gnn)
        for name, described in options().items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, described.checked(value))

    @property
    def changes(self) -> dict[str, Any]:
        """What is to be other than with the policy: reward and K_M."""
        return {"beta": self.beta, "node_price": self.node_price, "max_nodes": self.max_nodes}

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
        """What a GNN of so many layers sees of the instance, after the edits."""
        if not self.edits:
            return self.origin.instance(self.name, hops)

        @cache
        def cut(reach: int) -> Instance:
            return self.origin.instance(self.name, reach)

        after = edited(cut, hops, read_edits(self.edits))
        places = kept_places(cut(hops), after)
        return replace(after, layout=np.array([places[node] for node in after.nodes.tolist()]))

    @property
    def prediction(self) -> "Question":
        """Which prediction it is about, and nothing else: other explainers need no more."""
        return Question(self.dataset, self.name, self.source, self.gnn, edits=self.edits)

    @property
    def policy(self) -> "Question":
        """The prediction and the flows, whatever is drawn from them."""
        return replace(self, choice=Choice.ANSWER, seed=0, samples=64)

    @property
    def is_plain(self) -> bool:
        """Whether it asks for what is shipped: the usual GNN and policy, drawn in the usual way."""
        return self == Question(self.dataset, self.name, self.source)


@cache
def options() -> dict[str, Option]:
    """All options of a question, by the names of its fields."""
    return {each.name: each.metadata["option"] for each in fields(Question) if "option" in each.metadata}


def split_options(named: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keyword arguments that are options of a question, checked, and the others."""
    known = options()
    chosen = {
        name: value if value is None else known[name].checked(value) for name, value in named.items() if name in known
    }
    return chosen, {name: value for name, value in named.items() if name not in known}


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
