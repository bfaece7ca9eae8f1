"""LaneSetting: what is trained on one prediction, and how. What pages choose, links spell, workers train.

Also what its choices are called, how long it takes, and what comes of it.

Needs no torch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, TypeAlias

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.settings import DEFAULT_PRESET, REWARD_PRESETS, Loss, Parents, Stop
from gfx_core.gnn.kinds import DEFAULT_KIND, gnn_name, kind_of
from gfx_core.training.lesson_graphs import TITLES, checked_practice, practice_instance

LESSON = "lesson"
"""The data set and source of the lessons' graphs, where a question names one."""

LIVE = ("epsilon", "lr", "batch", "beta", "node_price")
"""What may change while a training runs; any other change begins it anew."""

MAX_BATCH, MAX_STEPS = 1024, 20_000


class FlowModel(StrEnum):
    """What learns: a network, or one free number for each edge of the state DAG."""

    NETWORK = "network"
    TABLE = "table"


class LearnsFrom(StrEnum):
    """What each step looks at.

    The trajectories that were just sampled; or all states, where they can be listed: a table matches its flows on each
    of them, a network is told their exact flows.
    """

    TRAJECTORIES = "trajectories"
    ALL = "all"


class NetworkKind(StrEnum):
    """Which network: ours sees the whole set, the paper's a frontier node's own neighbourhood."""

    OURS = "ours"
    PAPER = "paper"


class Begin(StrEnum):
    """Where it begins: at random weights, or at the policy that was trained on the whole data set."""

    SCRATCH = "scratch"
    SHIPPED = "shipped"


@dataclass(frozen=True)
class LessonGraph:
    """One of the lessons' graphs in place of a question: its rewards are given, there is no GNN."""

    name: str

    dataset = source = LESSON
    gnn = ""
    start = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", str(checked_practice(self.name)))

    @property
    def title(self) -> str:
        """For people."""
        return TITLES[checked_practice(self.name)]

    @property
    def called(self) -> str:
        """A short name."""
        return self.name

    def instance(self, hops: int = 0) -> Instance:
        """The graph."""
        return practice_instance(checked_practice(self.name))


Subject: TypeAlias = Question | LessonGraph


_DEFAULT = REWARD_PRESETS[DEFAULT_PRESET]


@dataclass(frozen=True)
class LaneSetting:
    """One training.

    Attributes:
        question: The prediction, or a lesson's graph.
        plain: Whether the GNN is the one that never saw a fragment.
        learner: What learns.
        learns_from: What each step looks at.
        loss: What it makes small.
        parents: Which parents count.
        stop: Where STOP's flow comes from.
        network: Which network.
        begin: Where it begins.
        seed: Of weights and trajectories.
        epsilon: Share of actions drawn uniformly.
        lr: Adam's learning rate, annealed by a cosine until ``steps``.
        batch: Trajectories of a step.
        beta: The reward's exponent.
        node_price: What each node costs (log R of a lesson's graph is lowered by β times it).
        similarity: What it costs to have another embedding than the whole; of no account on a lesson's graph.
        max_nodes: K_M.
        steps: Where it ends by itself.

    Raises:
        UserError: There can be no such training; the sentence says why.
    """

    question: Subject
    plain: bool = False
    learner: FlowModel = FlowModel.NETWORK
    learns_from: LearnsFrom = LearnsFrom.TRAJECTORIES
    loss: Loss = Loss.FLOW_MATCHING
    parents: Parents = Parents.VALID
    stop: Stop = Stop.REWARD
    network: NetworkKind = NetworkKind.OURS
    begin: Begin = Begin.SCRATCH
    seed: int = 0
    epsilon: float = 0.1
    lr: float = 1e-2
    batch: int = 64
    beta: float = _DEFAULT.beta
    node_price: float = _DEFAULT.price("nodes")
    similarity: float = _DEFAULT.price("similarity")
    max_nodes: int = 10
    steps: int = 600

    def __post_init__(self) -> None:
        if isinstance(self.question, Question) and (of := kind_of(self.question.gnn).name) != self.question.gnn:
            object.__setattr__(self, "question", replace(self.question, gnn=of))  # what is plain is said once
            object.__setattr__(self, "plain", True)
        for name, kind, noun in _CHOICES:
            if (value := getattr(self, name)) not in list(kind):
                raise UserError(f"There is no {noun} “{str(value)[:60]}”: choose one of {', '.join(kind)}.")
            object.__setattr__(self, name, kind(value))
        for name, noun, low, high in _RANGES:
            value = getattr(self, name)
            whole = isinstance(getattr(type(self), name), int)
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
                raise UserError(f"{noun} must be a {'whole ' if whole else ''}number (got {str(value)[:60]}).")
            if not low <= value <= high:
                raise UserError(f"{noun} must lie between {low:,g} and {high:,g} (got {value:g}).")
        for name, noun in (("lr", "The learning rate"), ("beta", "β")):
            if not getattr(self, name) > 0:
                raise UserError(f"{noun} must be above 0 (got {getattr(self, name):g}).")
        if (
            self.learns_from is LearnsFrom.ALL
            and self.learner is FlowModel.NETWORK
            and self.parents is not Parents.VALID
        ):
            raise UserError("Exact flows are those of all valid parents: let the network learn from trajectories.")
        if self.is_lesson and self.plain:
            raise UserError("A lesson’s graph has no GNN: its rewards are given.")
        if self.begin is not Begin.SHIPPED:
            return
        if self.is_lesson or self.learner is FlowModel.TABLE:
            raise UserError("There is no trained policy to begin with here: begin from scratch.")
        if self.network is NetworkKind.PAPER or self.stop is Stop.LEARNED:
            raise UserError("The shipped policy is our network with STOP’s flow from the reward: begin from scratch.")
        if self.plain:
            raise UserError("No policy is shipped for the GNN that never saw a fragment: begin from scratch.")

    @property
    def is_lesson(self) -> bool:
        """Whether it trains on a lesson's graph."""
        return isinstance(self.question, LessonGraph)

    @property
    def gnn(self) -> str:
        """Which of the data set's GNNs; empty on a lesson's graph."""
        return gnn_name(self.question.gnn, plain=self.plain)

    @property
    def title(self) -> str:
        """The prediction, for people."""
        return self.question.title

    def changed(self, values: Mapping[str, Any]) -> "LaneSetting":
        """The same with some entries changed; ``UserError`` for what cannot be."""
        unknown = set(values) - {field.name for field in fields(self)}
        if unknown:
            raise UserError(f"A training has no setting {', '.join(sorted(unknown))}.")
        return replace(self, **values)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON."""
        about = self.question
        question: dict[str, Any] = {"dataset": about.dataset, "name": about.name, "source": about.source}
        question["gnn"] = self.gnn
        if about.start is not None:
            question["start"] = about.start
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _ABOUT}
        return {"question": question} | {name: str(v) if isinstance(v, StrEnum) else v for name, v in own.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "LaneSetting":
        """Back from :meth:`as_dict`; what is not named is as usual, what is unknown is refused."""
        if not isinstance(values, Mapping) or not isinstance(values.get("question"), Mapping):
            raise UserError("The setting of a training must say which prediction it is about.")
        rest = {str(name): value for name, value in values.items() if name != "question"}
        unknown = set(rest) - {field.name for field in fields(cls)} | (set(rest) & set(_ABOUT))
        if unknown:
            raise UserError(f"A training has no setting {', '.join(sorted(unknown))[:200]}.")
        return cls(_subject(values["question"]), **rest)


_ABOUT = ("question", "plain")
_CHOICES: tuple[tuple[str, type[StrEnum], str], ...] = (
    ("learner", FlowModel, "learner"),
    ("learns_from", LearnsFrom, "way to learn"),
    ("loss", Loss, "loss"),
    ("parents", Parents, "kind of parents"),
    ("stop", Stop, "kind of STOP"),
    ("network", NetworkKind, "network"),
    ("begin", Begin, "beginning"),
)
_RANGES: tuple[tuple[str, str, float, float], ...] = (
    ("seed", "The seed", 0, 2**32 - 1),
    ("epsilon", "ε", 0, 1),
    ("lr", "The learning rate", 0, 10),
    ("batch", "The number of trajectories of a step", 1, MAX_BATCH),
    ("beta", "β", 0, 1000),
    ("node_price", "The price per node", 0, 10),
    ("similarity", "The price of another embedding", 0, 10),
    ("max_nodes", "K_M", 2, 20),
    ("steps", "The number of steps", 1, MAX_STEPS),
)


def _subject(values: Mapping[str, Any]) -> Subject:
    """The question of a setting that was written as JSON."""
    texts = {name: values.get(name, "") for name in ("dataset", "name", "source", "gnn")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise UserError("The prediction of a training must be named in words.")
    start = values.get("start")
    if start is not None and (isinstance(start, bool) or not isinstance(start, int)):
        raise UserError("The start node must be a whole number.")
    if texts["source"] == LESSON or texts["dataset"] == LESSON:
        return LessonGraph(texts["name"])
    gnn = texts["gnn"] or DEFAULT_KIND
    return Question(texts["dataset"], texts["name"], texts["source"] or "index", gnn, start=start)


def restarts(before: LaneSetting, after: LaneSetting) -> bool:
    """Whether a change begins the training anew; what is in `LIVE` takes effect while it runs."""
    return replace(before, **{name: getattr(after, name) for name in LIVE}) != after


def changes_reward(before: LaneSetting, after: LaneSetting) -> bool:
    """Whether a change is one of what makes a subgraph good: then there is another target."""
    return (before.beta, before.node_price) != (after.beta, after.node_price)


def defaults_for(question: Subject) -> LaneSetting:
    """What learns fast on a small instance, from scratch and from its own trajectories."""
    if isinstance(question, LessonGraph):
        lesson = LaneSetting(question, learner=FlowModel.TABLE, lr=0.3, batch=16, beta=1.0, node_price=0.0, steps=300)
        return replace(lesson, similarity=0.0)
    if question.info.task is Task.GRAPH:
        return LaneSetting(question, lr=6e-3, batch=64, steps=1000)
    return LaneSetting(question)


# What the choices are called, and names for lanes that differ in some of them


WORDS: dict[str, dict[str, str]] = {
    "learner": {FlowModel.NETWORK: "network", FlowModel.TABLE: "table"},
    "learns_from": {LearnsFrom.TRAJECTORIES: "from trajectories", LearnsFrom.ALL: "from all states"},
    "loss": {
        Loss.FLOW_MATCHING: "flow matching",
        Loss.FLOW_MATCHING_LINEAR: "linear flow matching",
        Loss.TRAJECTORY_BALANCE: "trajectory balance, one log Z",
        Loss.TRAJECTORY_BALANCE_CONDITIONAL: "trajectory balance, log Z from the start node",
    },
    "parents": {Parents.VALID: "GFlowExplainer", Parents.SEQUENCE: "GFlow-Sequence", Parents.GRAPH: "GFlow-Graph"},
    "stop": {Stop.REWARD: "STOP from the reward", Stop.LEARNED: "STOP learned"},
    "network": {NetworkKind.OURS: "our network", NetworkKind.PAPER: "the paper’s network"},
    "begin": {Begin.SCRATCH: "from scratch", Begin.SHIPPED: "from the shipped policy"},
    "plain": {"True": "GNN of whole graphs only", "False": "GNN that knows fragments"},
}
"""What the choices are called."""

_SYMBOLS = {
    "seed": "seed {}",
    "epsilon": "ε = {:g}",
    "lr": "learning rate {:g}",
    "batch": "{} trajectories",
    "beta": "β = {:g}",
    "node_price": "node price {:g}",
    "similarity": "embedding price {:g}",
    "max_nodes": "K_M = {}",
    "steps": "{} steps",
}


def in_words(setting: LaneSetting, name: str) -> str:
    """One entry of a setting for people, such as “ε = 0.1” or “trajectory balance, one log Z”."""
    value = getattr(setting, name)
    if name in WORDS:
        return WORDS[name][str(value)]
    return setting.title if name == "question" else _SYMBOLS[name].format(value)


def lane_names(settings: Sequence[LaneSetting]) -> tuple[str, ...]:
    """A name for each lane: what tells it from the others, or what it is where it is alone."""
    differ = [f.name for f in fields(LaneSetting) if len({getattr(s, f.name) for s in settings}) > 1]
    shown = [name for name in differ if name != "steps"] or differ or ["learner", "loss"]
    return tuple(", ".join(in_words(setting, name) for name in shown) for setting in settings)


# What a live training takes, before it is begun


SOON_S = 60.0
"""A training that takes longer is worth a word before it begins."""
_STEP_S, _NODE_S, _BATCH = 0.02, 0.0005, 64
"""Seconds of a step of so many trajectories on one core, and what each node adds: measured on BA-Shapes and
BA-Community, from 196 to 1,248 nodes. Hubs take up to twice as long."""


def step_seconds(setting: LaneSetting, num_nodes: int) -> float:
    """What a step takes on an instance of so many nodes, about."""
    return (_STEP_S + _NODE_S * num_nodes) * setting.batch / _BATCH


def shorter(step_s: float) -> int:
    """About as many steps of so many seconds as are done soon: 10, 20, 50, 100, …"""
    return max(
        (steps for steps in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if steps * step_s <= SOON_S), default=10
    )


# How long a live training waits for somebody, and what it comes to


LEFT_S = 60.0
"""A training of which nobody has been heard for so long ends, unless it was asked to stay."""
PAUSED_S = 600.0
"""A paused training gives its worker back after so long."""
TIME_UP = {"do": "end", "why": "time"}
"""The command that ends a training which has had its time while others wait."""


@dataclass(frozen=True)
class TrainedLane:
    """What became of a lane.

    Attributes:
        setting: As it was in the end.
        step: Gradient steps that it took.
        end: How it ended, a sentence.
        policy: The policy as the bytes of a safetensors file with its header; ``None`` for a table.
    """

    setting: dict[str, Any]
    step: int
    end: str
    policy: bytes | None = None
