"""Every choice of the explainer, with the paper's value as the default where the paper has one."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from gfx_core.config import Task
from gfx_core.datasets.registry import dataset_info
from gfx_core.errors import UserError
from gfx_core.gfn.knobs import NamedChoice, check
from gfx_core.gfn.reward_terms import REWARD_TERMS


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


class Begin(NamedChoice):
    """Where a training on one prediction begins: at random weights, or at the policy of the whole data set."""

    SCRATCH = "scratch", "from scratch"
    SHIPPED = "shipped", "from the shipped policy"


@dataclass(frozen=True)
class RewardConfig:
    """log R(s) = −β · Σ price · value over the `REWARD_TERMS`.

    Attributes:
        beta: Reward exponent; a larger one concentrates P ∝ R on fewer subgraphs.
        prices: By name of the term; kept are those that differ from the term's usual price.
    """

    beta: float = 1.0
    prices: dict[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in self.prices:
            if name not in REWARD_TERMS:
                raise UserError(f"There is no reward term “{name}”: choose some of {', '.join(REWARD_TERMS)}.")
        check(self)
        prices = {name: float(self.prices[name]) for name in REWARD_TERMS if name in self.prices}
        kept = {name: price for name, price in prices.items() if price != REWARD_TERMS[name].price}
        object.__setattr__(self, "prices", kept)

    def price(self, name: str) -> float:
        """The price of a term."""
        return self.prices.get(name, REWARD_TERMS[name].price)

    def as_dict(self) -> dict[str, float]:
        """β and the prices side by side."""
        return {"beta": self.beta, **self.prices}

    @classmethod
    def from_dict(cls, values: dict[str, float]) -> "RewardConfig":
        """Back from :meth:`as_dict`."""
        prices = dict(values)
        return cls(prices.pop("beta", 1.0), prices)


REWARD_PRESETS = {
    "occam": RewardConfig(beta=50.0, prices={"nodes": 0.12, "similarity": 0.1}),
    "paper": RewardConfig(),
    "sharp": RewardConfig(beta=30.0, prices={"similarity": 1.0}),
}
"""By name, the default first: each node has a price; the paper's plain reward; the first generation's.

The prices of ``occam`` were chosen on instances of the tuning half, one setting for all data sets of a task: a node
must bring .12 nats in a graph task, and `NODE_PRICE` in a node task. (With .1 and a similarity of .3, where the search
began, sets grow on where nothing is left to explain; above .15 a lone node is as good as a house.)
"""

NODE_PRICE = 0.08
"""The price of a node in node tasks, by AUC and by the F1 of the answer. On Tree-Grid a price of .12 leaves a third of
the motif (F1 .08 to .33 through a student; .60 to .74 with .08) at the same AUC; elsewhere .05 to .12 are level. The
shipped policies were trained with .12, which is level with .08 for GNNs that know fragments (F1 within .03)."""

DEFAULT_PRESET = next(iter(REWARD_PRESETS))


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

    hidden: int = 64
    steps: int = 3
    teleport: float = 0.15
    context: bool = True

    def __post_init__(self) -> None:
        check(self)
        _within(self, hidden=(1, 4096), steps=(0, 100), teleport=(0, 1))


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
            processor works the less the fewer there are; what a GPU records is always from all.)
        exact_steps: After the steps on each batch so many more on listed states alone.
        exact_alone: Whether listed instances, where there are any, are all that the policy learns from: no others are
            sampled, unless a locator has to learn from them.
        exact_uniform: Share of the listed states that is drawn uniformly; the others are drawn as often as exact flows
            visit them.
    """

    steps_per_batch: int = 1
    parts: int = 0
    exact_cap: int = 0
    exact_states: int = 1024
    exact_instances: int = 0
    exact_steps: int = 0
    exact_alone: bool = False
    exact_uniform: float = 0.2

    def __post_init__(self) -> None:
        _within(self, steps_per_batch=(1, MOST), exact_states=(1, MOST), exact_uniform=(0, 1))
        _within(self, parts=(0, MOST), exact_cap=(0, MOST), exact_instances=(0, MOST), exact_steps=(0, MOST))


MOST = 10_000_000


def _within(config: "PolicyConfig | LearningConfig", **limits: tuple[float, float]) -> None:
    for name, (low, high) in limits.items():
        value = getattr(config, name)
        if not low <= value <= high:
            raise UserError(f"{name} must be from {low} to {high:,} (got {value:.6g}).")


@dataclass(frozen=True)
class GFNConfig:
    """How the explainer is trained and sampled.

    What people can set is a `Knob` in assets/content/knobs.toml, with what it means.

    Attributes:
        policy: The network.
        reward: What makes a subgraph good, by default the preset of our policies. The paper's is ``RewardConfig()``.
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
    begin: Begin = Begin.SCRATCH
    reward: RewardConfig = REWARD_PRESETS[DEFAULT_PRESET]
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
        if self.learning.exact_cap and not valid:
            raise UserError("Exact flows (exact_cap) are those of all valid parents: choose parents=valid.")
        if self.learns_from is LearnsFrom.ALL and self.flow_model is FlowModel.NETWORK and not valid:
            raise UserError("Exact flows are those of all valid parents: let the network learn from trajectories.")
        if self.begin is Begin.SHIPPED and self.flow_model is FlowModel.TABLE:
            raise UserError("There is no trained policy to begin with here: begin from scratch.")
        if self.begin is Begin.SHIPPED and (self.stop is Stop.LEARNED or not self.policy.context):
            raise UserError("The shipped policy is our network with STOP’s flow from the reward: begin from scratch.")

    @property
    def sampled(self) -> "GFNConfig":
        """Without exact flows: all is learnt from sampled trajectories, in one step for each batch."""
        return replace(self, learning=LearningConfig())

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "reward": self.reward.as_dict()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "GFNConfig":
        """Back from :meth:`as_dict`; entries that are not known are ignored, odd ones refused."""
        import msgspec

        try:
            reward = msgspec.convert(values.get("reward", cls.reward.as_dict()), dict[str, float])
            return msgspec.convert({**values, "reward": {"beta": reward.pop("beta", 1.0), "prices": reward}}, cls)
        except (msgspec.ValidationError, AttributeError) as error:
            if isinstance(error.__cause__, UserError):
                raise error.__cause__ from None
            raise UserError(f"The configuration cannot be read: {' '.join(str(error).split())[:160]}.") from error


# How policies are trained: one way for all node tasks, one for all graph tasks, and both on a CPU. The shipped policies
# were trained for longer, in steps that all learn from samples too: their headers say how (`TrainedPolicy.config`).

ON_GPU = LearningConfig(exact_cap=20_000, exact_states=4096, exact_steps=7)
ON_CPU = LearningConfig(
    parts=1, exact_cap=20_000, exact_states=256, exact_instances=32, exact_steps=24, exact_alone=True
)
"""How a policy learns, by where: a GPU takes large steps on all instances at once, in each epoch one on what it samples
and seven on listed states alone, which are recorded and cost a fraction of it. Two CPU cores take small steps, on
states of few instances, and sample none: the few trajectories that there is time for did not help on instances that
cannot be listed."""
LARGE_STEP, GPU_EPOCHS = 6e-3, 400
"""The learning rate with exact flows, and the epochs on a GPU."""
FROM_SAMPLES = LearningConfig(steps_per_batch=2)
"""Without exact flows: a step costs more than a sample, and two for each batch learn more than one."""


def policy_config(dataset: str, preset: str = DEFAULT_PRESET, device: str = "cuda") -> GFNConfig:
    """How a policy for a data set is trained. (Prices are those of graph tasks: see `NODE_PRICE`.)

    ``occam`` makes P ∝ R concentrate on few small subgraphs: every node has a price (at most 10 nodes). So sharp a
    reward is learnt from exact flows wherever all states of an instance can be listed. ``sharp`` was the first
    generation's (β = 30, embeddings compared, at most 10 nodes). ``paper`` is everything as the paper prints it, but
    for the reward's sign and the number of epochs.

    Args:
        dataset: Its name.
        preset: The reward.
        device: Where it is to be trained.
    """
    config = preset_config(dataset_info(dataset).task, preset, device)
    return replace(config, reward=REWARD_PRESETS[preset])


def preset_reward(task: Task, preset: str = DEFAULT_PRESET) -> RewardConfig:
    """The reward of a preset in a task."""
    reward = REWARD_PRESETS[preset]
    if task is Task.GRAPH or "nodes" not in reward.prices:
        return reward
    return replace(reward, prices={**reward.prices, "nodes": NODE_PRICE})


def preset_config(task: Task, preset: str = DEFAULT_PRESET, device: str = "cuda") -> GFNConfig:
    """How a policy in a task is trained: what serves our data sets is also the beginning for others."""
    if preset not in REWARD_PRESETS:
        raise UserError(f"There is no reward preset “{preset}”: choose one of {', '.join(REWARD_PRESETS)}.")
    if preset == "paper":
        return GFNConfig(
            loss=Loss.FLOW_MATCHING_LINEAR,
            stop=Stop.LEARNED,
            policy=PolicyConfig(context=False, teleport=0.85),
            reward=REWARD_PRESETS[preset],
            batch_size=64,
            delta=None,
            epochs=200 if task is Task.NODE else 50,  # 200 trajectories of each instance
        )
    config = GFNConfig(
        max_nodes=10,
        reward=preset_reward(task, preset),
        delta=30.0 if task is Task.NODE else None,
        epochs=1000,
        batch_size=1024 if task is Task.NODE else 4096,
    )
    if preset != "occam":
        return config
    config = replace(config, policy=PolicyConfig(hidden=128))
    if str(device).startswith("cpu"):
        epochs, batch_size = (40, 32) if task is Task.NODE else (150, 128)  # a locator needs more to learn from
        return replace(config, learning=ON_CPU, lr=LARGE_STEP, epochs=epochs, batch_size=batch_size)
    return replace(config, learning=ON_GPU, lr=LARGE_STEP, epochs=GPU_EPOCHS)
