"""Every choice of the explainer, with the paper's value as the default where the paper has one."""

import tomllib
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from msgspec import Meta, ValidationError, convert

from gfx_core.config import ASSETS, Task
from gfx_core.datasets.registry import dataset_info
from gfx_core.errors import UserError
from gfx_core.gfn.knobs import NamedChoice, check, knobs
from gfx_core.gfn.reward_terms import REWARD_TERMS
from gfx_core.json_files import look_at


class Loss(NamedChoice):
    """What training makes small."""

    FLOW_MATCHING = "fm", "flow matching"  # (log in-flow − log out-flow)²
    FLOW_MATCHING_LINEAR = "fm-linear", "flow matching, linear"  # (in-flow − out-flow)², as printed in the paper
    DETAILED_BALANCE = "db", "detailed balance"  # F(s → s′) = F(s′)·P_B(s|s′)
    MODIFIED_DETAILED_BALANCE = "mdb", "modified detailed balance"  # of policies, without a flow of states
    TRAJECTORY_BALANCE = "tb", "trajectory balance, one log Z"
    TRAJECTORY_BALANCE_CONDITIONAL = "tb-conditional", "trajectory balance, log Z from the start node"
    SUB_TRAJECTORY_BALANCE = "subtb", "sub-trajectory balance"  # every part of a trajectory
    FIRST_CHILD = "first-child", "out-flow: first child only"  # a control: what leaves a state is not all counted

    @property
    def matches_flows(self) -> bool:
        """Whether it compares what comes to a state with what leaves it, state by state."""
        return self in (Loss.FLOW_MATCHING, Loss.FLOW_MATCHING_LINEAR, Loss.FIRST_CHILD)


class Parents(NamedChoice):
    """Which parents of a state count as in-flow."""

    VALID = "valid", "GFlowExplainer"  # every removable node
    SEQUENCE = "sequence", "GFlow-Sequence"  # the last added node only, an ablation
    GRAPH = "graph", "GFlow-Graph"  # every node but the start, connected or not, an ablation


class Stop(NamedChoice):
    """Where the flow to STOP comes from."""

    LEARNED = "learned", "STOP learned"  # an attention head, supervised by R(s) on every visited state
    REWARD = "reward", "STOP from the reward"  # R(s) itself


class FlowModel(NamedChoice):
    """What learns: a network, or one free number for each edge of the state DAG."""

    NETWORK = "network", "network"
    TABLE = "table", "table"


class LearnsFrom(NamedChoice):
    """What each step of a training on one prediction looks at.

    The trajectories that were just sampled; or all states, where they can be listed: a table matches its flows on each
    of them, a network learns their exact flows.
    """

    TRAJECTORIES = "trajectories", "from trajectories"
    ALL = "all", "from all states"


@dataclass(frozen=True)
class RewardConfig:
    """log R(s) = −β · Σ price · value over the `REWARD_TERMS`.

    Attributes:
        beta: Reward exponent; a larger one concentrates P ∝ R on fewer subgraphs. The paper has 1, with which all have
            nearly the same reward.
        prices: By name of the term; kept are those that differ from the term's usual price.
    """

    beta: float = 50.0
    prices: dict[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        prices = {}
        for name, price in self.prices.items():
            if name not in REWARD_TERMS:
                raise UserError(f"There is no reward term “{name}”: choose some of {', '.join(REWARD_TERMS)}.")
            if price != REWARD_TERMS[name].price:
                prices[name] = float(price)
        object.__setattr__(self, "prices", prices)
        object.__setattr__(self, "beta", float(self.beta))
        for knob in knobs(RewardConfig).values():
            knob.checked(knob.of(self))

    def price(self, name: str) -> float:
        """The price of a term."""
        return self.prices.get(name, REWARD_TERMS[name].price)

    def as_dict(self) -> dict[str, float]:
        """β and the prices side by side."""
        return {"beta": self.beta, **self.prices}

    @classmethod
    def from_dict(cls, values: Any) -> "RewardConfig":
        """Back from :meth:`as_dict`."""
        prices = convert(values, dict[str, float])
        return cls(prices.pop("beta", cls.beta), prices)


Count = Annotated[int, Meta(ge=0, le=10_000_000)]
SomeCount = Annotated[int, Meta(ge=1, le=10_000_000)]


@dataclass(frozen=True)
class PolicyConfig:
    """The policy network.

    Attributes:
        hidden: Width of every layer.
        steps: APPNP propagation steps.
        teleport: APPNP's α: H ← (1 − α)·ÂH + α·H⁰.
        context: Whether a score also sees the whole set (a sum over its nodes' embeddings, its size and its
            edges) and the GNN's node embeddings. Without it the network is the paper's, in which a frontier
            node's score depends on the set only through its own neighbourhood.
    """

    hidden: Annotated[int, Meta(ge=1, le=4096)] = 64
    steps: Annotated[int, Meta(ge=0, le=100)] = 3
    teleport: Annotated[float, Meta(ge=0, le=1)] = 0.15
    context: bool = True


@dataclass(frozen=True)
class LearningConfig:
    """How a training learns. The defaults are the plain way: one step for each sampled batch.

    Attributes:
        steps_per_batch: Steps of gradient descent for each batch that is sampled.
        parts: In each epoch, of how many parts of the instances (``batch_size`` each) trajectories are sampled; 0: of
            all.
        exact_cap: Instances with at most so many states are listed, and the policy learns their exact flows (each
            state's from all its valid parents in equal shares) as a regression. 0: none are.
        exact_states: States of listed instances that each step learns from.
        exact_instances: From how many of the listed instances they are drawn, others in each step; 0: from all. (A
            processor works the less the fewer there are.)
        exact_steps: After the steps on each batch so many more on listed states alone.
        exact_alone: Whether listed instances, where there are any, are all that the policy learns from: no others are
            sampled, unless a locator has to learn from them.
    """

    steps_per_batch: SomeCount = 1
    parts: Count = 0
    exact_cap: Count = 0
    exact_states: SomeCount = 1024
    exact_instances: Count = 0
    exact_steps: Count = 0
    exact_alone: bool = False


USUAL_REWARD = RewardConfig(prices={"nodes": 0.12, "similarity": 0.1})


@dataclass(frozen=True)
class GFNConfig:
    """How the explainer is trained and sampled.

    What people can set is a `Knob` in assets/content/knobs.toml, with what it means.

    Attributes:
        policy: The network.
        reward: What makes a subgraph good, by default that of our policies. The paper's is ``RewardConfig(1.0)``.
        delta: Flow matching counts flows below δ = exp(−delta) times the best reward met so far from the same start
            node as δ: what hardly a sample will ever follow need not match. (Flow matching as first published,
            Bengio et al., 2021, adds δ to both sides; then flows far below it have no gradient and may never come
            up.) None: flows are compared as they are, as in the paper.
        lr: Adam's learning rate, annealed by a cosine.
        lr_log_z: Learning rate of log Z in trajectory balance.
        learning: How it learns from what it has seen.
    """

    flow_model: FlowModel = FlowModel.NETWORK
    learns_from: LearnsFrom = LearnsFrom.TRAJECTORIES
    loss: Loss = Loss.FLOW_MATCHING
    parents: Parents = Parents.VALID
    stop: Stop = Stop.REWARD
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    reward: RewardConfig = USUAL_REWARD
    epsilon: float = 0.1
    lr: float = 1e-2
    batch_size: int = 512
    max_nodes: int = 20
    delta: float | None = 30.0
    epochs: int = 200
    seed: int = 0
    lr_log_z: float = 1e-1
    sub_lambda: float = 0.9
    learned_backward: bool = False
    learning: LearningConfig = field(default_factory=LearningConfig)

    def __post_init__(self) -> None:
        check(self)
        valid = self.parents is Parents.VALID
        if self.learned_backward and self.flow_model is FlowModel.NETWORK:
            raise UserError("A network’s P_B is uniform: choose flow_model=table to learn it.")
        if self.flow_model is FlowModel.TABLE and self.parents is Parents.GRAPH:
            raise UserError("GFlow-Graph counts parents that are not states: let a network learn it.")
        exact = self.learning.exact_cap or (self.learns_from is LearnsFrom.ALL and self.flow_model is FlowModel.NETWORK)
        if exact and not valid:
            raise UserError(
                "Exact flows are those of all valid parents: choose parents=valid or learn from trajectories."
            )

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "reward": self.reward.as_dict()}

    @classmethod
    def from_dict(cls, values: Any) -> "GFNConfig":
        """Back from :meth:`as_dict`; entries that are not known are ignored, odd ones refused."""
        try:
            if "reward" in values:
                values = {**values, "reward": RewardConfig.from_dict(values["reward"])}
            return convert(values, cls)
        except (ValidationError, TypeError) as error:
            if isinstance(error.__cause__, UserError):
                raise error.__cause__ from None
            raise UserError(f"The configuration cannot be read: {' '.join(str(error).split())[:160]}.") from error


look_at(GFNConfig)
PRESETS = tomllib.loads((ASSETS / "content" / "policies.toml").read_text(encoding="utf-8"))
"""How policies are trained by the name of a reward, see :func:`preset_config`; the default is first."""
DEFAULT_PRESET = next(iter(PRESETS))
FROM_SAMPLES = LearningConfig(steps_per_batch=2)
"""Without exact flows: a step costs more than a sample, and two for each batch learn more than one."""


def policy_config(dataset: str, preset: str = DEFAULT_PRESET, device: str = "cuda") -> GFNConfig:
    """How a policy for a data set is trained, as by :func:`preset_config`, but with the prices of graph tasks."""
    config = preset_config(dataset_info(dataset).task, preset, device)
    return replace(config, reward=preset_config(Task.GRAPH, preset).reward)


def preset_config(task: Task, preset: str = DEFAULT_PRESET, device: str = "cuda") -> GFNConfig:
    """How a policy in a task is trained: what serves our data sets is also the beginning for others.

    Args:
        task: The task.
        preset: Of the reward.
        device: Where it is to be trained.
    """
    if preset not in PRESETS:
        raise UserError(f"There is no reward preset “{preset}”: choose one of {', '.join(PRESETS)}.")
    where = "cpu" if str(device).startswith("cpu") else "gpu"
    config: dict[str, Any] = {"delta": None}
    for name in ("always", task, where, f"{task}-{where}"):
        config |= PRESETS[preset].get(name, {})
    return GFNConfig.from_dict(config)
