"""Question: which prediction is to be explained, and how, for pages, workers, links and caches.

Needs no torch.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gfx_core.config import TRACES, FlowSource, FragmentModel
from gfx_core.datasets.edits import edited, read_edits, spell_edits
from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, listed, source_of
from gfx_core.datasets.source import Source, examples
from gfx_core.errors import UserError
from gfx_core.files import checked_digest
from gfx_core.gfn.knobs import Knob, check, knobs
from gfx_core.gnn.kinds import DEFAULT_KIND, PLAIN, checked_gnn
from gfx_core.layout.instances import edited_layout

SECONDS = 30.0
"""How long listing and learning for one prediction may take."""
MOST_SECONDS = 600.0
"""How long one may let it take, unless there is no limit at all, which a link cannot express."""


_LONGEST = 48  # letters of a name in a title

SCRATCH_EPOCHS = 100
"""Epochs of a policy that is trained from scratch for one prediction, while a user waits."""


class Choice(StrEnum):
    """Which trajectory is shown in full.

    One that ends in the first reason of the answer; the sampled one with the highest reward; the first one;
    or the greedy one.
    """

    ANSWER = "answer"
    BEST = "best"
    SAMPLE = "sample"
    GREEDY = "greedy"


@dataclass(frozen=True, eq=False)
class UserPrediction:
    """A prediction without a name: a user's objects.

    Attributes:
        model: The GNN, any module of PyTorch.
        instance: What it sees, an `Instance`.
        config: K_M, the reward and how a policy is trained; by default `preset_config` for the task.
        policy: A trained policy for it.
        data: The model with all its data, which a student learns from.
    """

    model: Any
    instance: Any
    config: Any = None
    policy: Any = None
    data: Any = None


@dataclass(frozen=True)
class Question:
    """One prediction, the flows that explain it, and what is drawn from them.

    Each option is a `Knob` in assets/content/knobs.toml; ``None`` leaves it to the policy.

    Attributes:
        dataset: Registry name.
        name: Which instance, as its source names it: a number, a compound, a SMILES string.
        source: Which of the data set's sources, see :class:`~gfx_core.datasets.source.Source`.
        gnn: Which of the data set's GNNs: the name of a kind, or ``sum-plain`` for one that never saw a fragment.
        user: In place of all these, a model and an instance as objects.

    Raises:
        UserError: There can be no answer to it, with the reason.
    """

    dataset: str = ""
    name: str = ""
    source: str = "index"
    gnn: str = DEFAULT_KIND
    flows: FlowSource | None = None
    beta: float | None = None
    node_price: float | None = None
    max_nodes: int | None = None
    fragments: FragmentModel = FragmentModel.AUTO
    tuned: bool = False
    own: str = ""
    start: int | None = None
    explained: int | None = None
    edits: str = ""
    choice: Choice = Choice.ANSWER
    seed: int = 0
    samples: int = 64
    seconds: float | None = SECONDS
    user: UserPrediction | None = None

    READS: ClassVar[Mapping[str, Callable[[str], str]]] = {
        "own": checked_digest,
        "edits": lambda text: spell_edits(read_edits(text)),
    }

    def __post_init__(self) -> None:
        if self.user is None:
            object.__setattr__(self, "dataset", dataset_info(self.dataset).name)
            object.__setattr__(self, "name", self.origin.checked(self.name))
            checked_gnn(self.gnn)
        check(self)

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
        return f"{self.info.title} {self.name if len(self.name) <= _LONGEST else f'{self.name[:_LONGEST]} …'}"

    def instance(self, hops: int = DEFAULT_HOPS) -> Instance:
        """What a GNN of so many layers sees of the instance, after the edits."""
        if not self.edits:
            return self.origin.instance(self.name, hops)

        @cache
        def cut(reach: int) -> Instance:
            return self.origin.instance(self.name, reach)

        after = edited(cut, hops, read_edits(self.edits))
        points = edited_layout(cut(hops), after)
        return replace(after, layout=np.array([points[node] for node in after.nodes.tolist()]))

    @property
    def usual_flows(self) -> FlowSource:
        """Where none are named: exact for edits, for a user's data without a policy, and where a student judges."""
        if self.user is not None:
            exact = self.user.policy is None
        else:
            exact = bool(self.edits) or (not self.own and bool(self.info.owner or self.gnn.endswith(PLAIN)))
        return FlowSource.EXACT if exact else FlowSource.LEARNED

    @property
    def prediction(self) -> "Question":
        """Which prediction it is about, and nothing else: other explainers need no more."""
        return Question(self.dataset, self.name, self.source, self.gnn, edits=self.edits)

    @property
    def policy(self) -> "Question":
        """The prediction and the flows, without what is drawn from them."""
        return replace(self, choice=Choice.ANSWER, seed=0, samples=64)

    @property
    def is_plain(self) -> bool:
        """Whether it is about what is shipped: the usual GNN and policy, drawn in the usual way."""
        return self == Question(self.dataset, self.name, self.source)


def options() -> Mapping[str, Knob]:
    """All options of a question, by the names of its fields."""
    return knobs(Question)


def split_options(named: Mapping[str, Any], also: Collection[str] = ()) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keyword arguments that are options of a question, checked, and those with some other names."""
    checks = options()
    for name in named:
        if name not in checks and name not in also:
            raise UserError(f"There is no option “{name}”: choose from {', '.join((*also, *checks))}.")
    chosen = {name: checks[name].checked(value) for name, value in named.items() if name in checks}
    return chosen, {name: value for name, value in named.items() if name not in checks}


SHIPPED: tuple[Question, ...] = tuple(
    Question(dataset, example.name, example.source)
    for dataset in listed()
    for example in examples(dataset)
    if getattr(source_of(dataset, example.source), "on_disk", None) is None  # others' data are not ours to ship
)
"""The examples, each with a trace that opens at once."""
