"""A student: a small GNN that learns from fragments what a given GNN predicts for the whole.

A GNN that never saw a fragment has no reason to predict anything sensible for one, and an explanation is made of its
predictions for fragments. So it is explained through a student: for a random connected fragment around a node, or of a
graph, the student gives the class probabilities that the given GNN has for the whole. It estimates E[f(G) | fragment],
the principled way to leave features out (Frye et al., ICLR 2021; Covert, Lundberg and Lee, JMLR 2021, call it a
surrogate). No label and no ground truth is used. Its quality is measured: how often it agrees with the given GNN on
the whole; and, on nodes or graphs that it did not learn from, how far each of the two is, on fragments, from the given
GNN's prediction for the whole.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from gfx_core.arrays import Floats, Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.device import provenance, seeded
from gfx_core.errors import UserError
from gfx_core.gnn.convolutions import Convolution, Neighbours
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import InstanceBatch, Predictions, Predictor, SubgraphPredictor
from gfx_core.gnn.training import Fragments, FragmentSource
from gfx_core.job_context import JobContext
from gfx_core.user_models.predictor import policy_features
from gfx_core.weights import read_json_header, read_network, write_tensors

BETTER = 0.9
"""The student is chosen where its divergence on fragments is below this share of the given GNN's own,"""
LEARNT = 0.98
"""and below this share of a constant answer's: else it has learnt nothing."""
AGREES = 0.9
"""Where a student has the given GNN's class for fewer of the wholes, a note has it."""
FEWEST = 30
"""Nodes or graphs that a student learns from."""
_KNOWS = 0.05  # a GNN whose divergence is below this share of a constant answer's needs no student
_LARGE = 20_000  # nodes of one graph: from there on a step asks about some nodes with what is around them
_SAMPLED = 1000  # as many of them are learnt from
_COUNTED = 2000  # wholes on which it is counted how often student and GNN agree
_POOL = 1 << 15  # fragments to draw from, at most


class StudentConv(Convolution):
    """A node's own features, the sum and the mean over its neighbours; linear map, layer norm.

    Args:
        in_channels: Width of what it reads.
        out_channels: Width of what it computes.
        dropout: Share of what it reads that it does without while it learns: else it learns nodes by heart.
    """

    def __init__(self, in_channels: int, out_channels: int, dropout: float = 0.0) -> None:
        super().__init__(in_channels, out_channels)
        self.dropout = nn.Dropout(dropout)
        self.lin = nn.Linear(3 * in_channels, out_channels)
        self.norm = nn.LayerNorm(out_channels)

    def forward(self, z: Tensor, graph: Neighbours) -> Tensor:
        z = self.dropout(z)
        total = graph.sum(z)
        mean = total / graph.own(graph.degree).clamp(min=1)
        return self.norm(self.lin(torch.cat([graph.own(z), total, mean], dim=-1)))


class Student(GNN):
    """A GNN of `StudentConv` with two linear maps on top.

    Args:
        task: Node or graph classification.
        in_channels: Node features.
        num_classes: Classes.
        hidden: Width of each layer.
        num_layers: Convolutions.
        dropout: See `StudentConv`.
    """

    def __init__(
        self, task: Task, in_channels: int, num_classes: int, hidden: int, num_layers: int, dropout: float = 0.0
    ) -> None:
        with torch.device("meta"):  # all layers are replaced
            super().__init__(task, "sum", in_channels, num_classes, hidden, num_layers)
        self.name = "student"
        widths = [in_channels] + [hidden] * num_layers
        self.convs = nn.ModuleList(StudentConv(before, after, dropout) for before, after in pairwise(widths))
        read = self.head.in_features
        self.head = nn.Sequential(nn.Linear(read, hidden), nn.ReLU(), nn.Linear(hidden, num_classes))  # type: ignore[assignment]


@dataclass(frozen=True)
class StudentConfig:
    """How a student learns.

    Attributes:
        hidden: Width of each layer.
        num_layers: Convolutions, at most; no more than the given GNN sees hops.
        dropout: Of what each layer reads, where features differ between nodes, so that they could be memorised.
        steps: Of Adam.
        lr: Its rate, annealed by a cosine.
        fragments: In a step.
        each: Fragments around each node, or of each graph, that there are to draw from.
        fragment_nodes: The most nodes of one.
        wholes: Whole nodes or graphs in a step, where not all of them are.
        held_out: Share of the nodes or graphs whose fragments it is measured on, and that it does not learn from.
        measured: Fragments that it is measured on.
        seed: Of weights and fragments.
    """

    hidden: int = 48
    num_layers: int = 3
    dropout: float = 0.4
    steps: int = 300
    lr: float = 1e-2
    fragments: int = 512
    each: int = 40
    fragment_nodes: int = 14
    wholes: int = 64
    held_out: float = 0.1
    measured: int = 256
    seed: int = 0

    @classmethod
    def of(cls, task: Task) -> "StudentConfig":
        """The usual one of a task."""
        return cls() if task is Task.NODE else cls(steps=600, lr=2e-3, fragments=128)


@dataclass(frozen=True, eq=False)
class TeacherGNN:
    """What a student learns from.

    Attributes:
        dataset: The graphs, simple and undirected, features as the student reads them.
        answers: The given GNN's class probabilities for each node or graph as a whole. [N, C]
        ask: Its log-probabilities for some fragments, from nothing else. [B, C]
        hops: How far it sees.
    """

    dataset: GraphDataset
    answers: Floats
    ask: Callable[[Fragments], Tensor]
    hops: int

    @classmethod
    def of(
        cls, dataset: GraphDataset, answers: NDArray[np.floating], ask: Callable[[Fragments], Tensor], hops: int
    ) -> "TeacherGNN":
        """A teacher on a data set as it is.

        Raises:
            UserError: It cannot teach; the sentence names why.
        """
        if len(answers) < FEWEST:
            raise UserError(f"A student learns from at least {FEWEST} {dataset.task}s (got {len(answers)}).")
        if not np.isfinite(answers).all():
            raise UserError("The GNN outputs NaN or infinity, so a student cannot learn from it: train it first.")
        if float(np.ptp(answers, axis=0).max()) < 1e-6:
            raise UserError("The GNN always predicts the same, so there is nothing to learn from it.")
        x = policy_features(torch.from_numpy(dataset.x)).numpy()
        return cls(replace(dataset, x=x), np.ascontiguousarray(answers, dtype=np.float32), ask, hops)


@dataclass(frozen=True, eq=False)
class TrainedStudent:
    """A student and what is known of it.

    Attributes:
        student: The GNN.
        agreement: Share of the wholes for which it has the given GNN's class.
        divergence: Of its predictions for fragments from the given GNN's for the whole: Kullback-Leibler, mean over
            fragments of nodes or graphs that it did not learn from.
        as_is: The same of the given GNN.
        constant: That of a constant prediction, the mean of all answers.
        made: Settings, steps, seconds, versions.
    """

    student: Student
    agreement: float
    divergence: float
    as_is: float
    constant: float
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def is_better(self) -> bool:
        """Whether the given GNN is better explained through it: no ground truth decides that."""
        return self.divergence < min(BETTER * self.as_is, LEARNT * self.constant)


def as_student_reads(instance: Instance) -> Instance:
    """An instance with the features that a student reads."""
    return replace(instance, x=policy_features(torch.from_numpy(instance.x)).numpy())


class StudentPredictor(SubgraphPredictor):
    """A student's predictions of subgraphs; what is explained, the prediction of the whole, is the given GNN's.

    Args:
        taught: The student.
        given: The given GNN on the same instances.
        instances: The graphs the subsets are taken from.
    """

    def __init__(self, taught: TrainedStudent, given: Predictor, instances: Sequence[Instance]) -> None:
        super().__init__(taught.student, [as_student_reads(instance) for instance in instances], given.device)
        self.taught, self.given = taught, given

    @cached_property
    def whole(self) -> Predictions:
        """The given GNN's answer; the embedding is the student's, as that of subgraphs is."""
        graphs = self.graphs
        with torch.no_grad():
            embedding = self.model.read(self.node_embedding, graphs.explained, graphs.owner, len(graphs))[1]
        return Predictions(self.given.whole.logits, embedding)


def needs_no_student(teacher: TeacherGNN) -> bool:
    """Whether the given GNN's divergence is so small, beside a constant answer's, that nothing is to be gained."""
    _, _, as_is, constant = _measured(teacher, StudentConfig.of(teacher.dataset.task))
    return as_is <= _KNOWS * constant


def teach(
    teacher: TeacherGNN,
    config: StudentConfig | None = None,
    *,
    job: JobContext | None = None,
    seconds: float = math.inf,
    device: str | torch.device = "cpu",
) -> TrainedStudent:
    """Train a student.

    Args:
        teacher: What it learns from.
        config: How; by default as usual for the task.
        job: Gets the progress.
        seconds: How long it may take: it takes fewer steps where they are too slow.
        device: Where to compute.
    """
    job, began, dataset = job or JobContext(), monotonic(), teacher.dataset
    config = config or StudentConfig.of(dataset.task)
    layers = config.num_layers if dataset.task is Task.GRAPH else max(1, min(config.num_layers, teacher.hops))
    names_nodes = len(np.unique(dataset.x, axis=0)) > 0.5 * dataset.num_nodes  # most features are those of one node
    with seeded(config.seed):
        sizes = dataset.x.shape[1], teacher.answers.shape[1], config.hidden, layers
        student = Student(dataset.task, *sizes, config.dropout if names_nodes else 0.0).to(device)
    lessons = _Lessons(teacher, config, device)
    optimizer = torch.optim.Adam(student.parameters(), lr=config.lr)
    steps, step, started = config.steps, 0, monotonic()
    with torch.enable_grad(), seeded(config.seed, device):
        while step < steps:
            optimizer.param_groups[0]["lr"] = config.lr * 0.5 * (1 + math.cos(math.pi * step / steps))
            optimizer.zero_grad()
            lessons.loss(student).backward()
            nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 10 == 0:
                possible = (seconds - (started - began)) * 0.9 * step / (monotonic() - started)
                steps = int(min(config.steps, max(step, possible)))
                job.report(0.8 * step / steps, f"training a student of the GNN: step {step} of {steps}")
    student.eval().requires_grad_(False)
    fragments, answers, as_is, constant = _measured(teacher, config)
    logits = lessons.source.logits(student, fragments.to(device))
    return TrainedStudent(
        student.cpu(),
        lessons.agreement(student),
        divergence(logits.log_softmax(-1), answers),
        as_is,
        constant,
        {
            "config": asdict(config),
            "steps": step,
            "learnt_from": [len(lessons.learnt), len(teacher.answers)],
            **provenance(str(device), monotonic() - began),
        },
    )


def divergence(log_probabilities: Tensor, answers: Tensor) -> float:
    """The mean Kullback-Leibler divergence of predictions from answers. [B, C], [B, C]"""
    predicted = log_probabilities.detach().to(answers).clamp(min=-30)
    return float(functional.kl_div(predicted, answers, reduction="batchmean"))


def _split(teacher: TeacherGNN, config: StudentConfig) -> tuple[Ints, Ints]:
    """Nodes or graphs to learn from, and those held out."""
    order = np.random.RandomState(config.seed).permutation(len(teacher.answers))
    count = max(1, round(config.held_out * len(order)))
    learnt = order[count:]
    if teacher.dataset.task is Task.NODE and len(order) > _LARGE:
        return learnt[:_SAMPLED], order[: min(count, _SAMPLED // 10)]
    return learnt, order[: min(count, 20 * config.measured)]


def _measured(teacher: TeacherGNN, config: StudentConfig) -> tuple[Fragments, Tensor, float, float]:
    """Fragments of what is held out and the answers for the wholes [B, C]; how far from these the given GNN's
    predictions for the fragments are, and the mean of all answers.
    """
    chosen = np.resize(_split(teacher, config)[1], config.measured)
    generator = torch.Generator().manual_seed(config.seed)
    fragments = FragmentSource(teacher.dataset).around(chosen, config.fragment_nodes, generator)
    answers = torch.from_numpy(teacher.answers[chosen])
    constant = answers.mean(0).log().expand_as(answers)
    return fragments, answers, divergence(teacher.ask(fragments), answers), divergence(constant, answers)


class _Lessons:
    """Fragments and wholes with the given GNN's answers."""

    def __init__(self, teacher: TeacherGNN, config: StudentConfig, device: str | torch.device) -> None:
        self.config, self.dataset, self.device = config, teacher.dataset, torch.device(device)
        self.answers = torch.from_numpy(teacher.answers).to(device)
        self.learnt, self.held = _split(teacher, config)
        self.source = FragmentSource(self.dataset, device)
        self._rng = np.random.RandomState(config.seed)
        self._owner = self._rng.permutation(np.resize(self.learnt, min(_POOL, config.each * len(self.learnt))))
        generator = torch.Generator(device).manual_seed(config.seed)
        self._pool = self.source.around(self._owner, config.fragment_nodes, generator)
        self._at_once = self.dataset.task is Task.NODE and self.dataset.num_nodes <= _LARGE
        self._instance = cache(self.dataset.instance)

    def loss(self, student: Student) -> Tensor:
        """The divergence on fragments, and on wholes."""
        rows = self._rng.choice(len(self._owner), self.config.fragments)
        fragments = self._pool.rows(torch.from_numpy(rows).to(self.device))
        wholes = self.learnt if self._at_once else self._rng.choice(self.learnt, self.config.wholes)
        return functional.kl_div(
            self.source.logits(student, fragments).log_softmax(-1),
            self.answers[self._owner[rows]],
            reduction="batchmean",
        ) + functional.kl_div(self.wholes(student, wholes).log_softmax(-1), self.answers[wholes], reduction="batchmean")

    def wholes(self, student: Student, indices: Ints) -> Tensor:
        """A student's logits for some nodes or graphs as a whole. [B, C]"""
        if self._at_once:
            return student.head(student.embed(self.source.x, self.source.edge_index)[indices])
        graphs = InstanceBatch([self._instance(index, student.hops) for index in indices.tolist()], self.device)
        nodes = student.embed(graphs.x, graphs.edge_index)
        return student.read(nodes, graphs.explained, graphs.owner, len(graphs))[0]

    @torch.no_grad()
    def agreement(self, student: Student) -> float:
        """How often a student has the given GNN's class, on wholes that it did and did not learn from."""
        indices = np.concatenate([self.held, self.learnt])[:_COUNTED]
        chunks = [self.wholes(student, chunk) for chunk in np.array_split(indices, max(1, len(indices) // 256))]
        return float((torch.cat(chunks).argmax(-1) == self.answers[indices].argmax(-1)).double().mean())


# On disk


class _Header(msgspec.Struct, frozen=True):
    """Sizes and measures of a student, see `Student` and `TrainedStudent`."""

    task: Task
    in_channels: int
    num_classes: int
    hidden: int
    num_layers: int
    agreement: float
    divergence: float
    as_is: float
    constant: float
    made: dict[str, Any]


def save_taught(taught: TrainedStudent, path: Path) -> None:
    """Write a student."""
    values = vars(taught.student) | vars(taught)
    header = _Header(**{name: values[name] for name in _Header.__struct_fields__})
    write_tensors(path, taught.student.state_dict(), header)


def load_taught(path: Path) -> TrainedStudent:
    """Read a student."""
    task, *values = msgspec.structs.astuple(read_json_header(path, _Header, "It is trained again."))
    student = read_network(path, lambda: Student(task, *values[:4])).eval().requires_grad_(False)
    return TrainedStudent(student, *values[4:])
