"""The rules of a GNN: for each class, which kinds of subgraph explain its predictions, and how many.

Many predictions are explained, one by one. Their answers are named without node numbers ("a ring of six"), and counted
by that name; within a name they are grouped by their form: the colours that refinement by neighbours (Weisfeiler and
Leman) gives their nodes, atoms and bonds alike. Answers that do not explain the prediction count as such. Needs no
torch to be imported.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
import networkx as nx
import numpy as np

from gfx_core.config import ASSETS, Task
from gfx_core.datasets.info import DatasetInfo
from gfx_core.device import choose_device, provenance
from gfx_core.errors import UserError
from gfx_core.explanation.many import ModelQuestions, NamedQuestions, Questions, Row, explain_all
from gfx_core.files import fingerprint, write_text
from gfx_core.gfn.own_policies import LOOK_AHEAD
from gfx_core.gnn.checkpoint import model_path
from gfx_core.job_context import JobContext, progress_bar
from gfx_core.parallel import Workers
from gfx_core.text.instance_words import class_sentence, mistake_sentence

if TYPE_CHECKING:
    from torch import nn

    from gfx_core.explanation.explainer import GFlowExplainer
    from gfx_core.gfn.settings import GFNConfig
    from gfx_core.user_models.model_data import AnyData

RULES = ASSETS / "rules"
"""Where those of the shipped GNNs are."""
NOTHING = "no small part found"
"""The title of the predictions that nothing explains."""
LIMIT = 200
"""So many predictions of a class are explained; of more, as many are chosen by chance."""


@dataclass(frozen=True)
class Form:
    """A graph with its features, up to isomorphism, and where it was found.

    Attributes:
        labels: What is on each node: an atom, a word; empty where nodes are all alike.
        edges: Between nodes 0, 1, …
        orders: The bond order of each edge.
        instances: The nodes or graphs of the data set whose answer has this form.
        explained: In a node task, how many of these explained nodes are at each node of the form.
    """

    labels: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    orders: tuple[int, ...]
    instances: tuple[int, ...]
    explained: tuple[int, ...] = ()

    @property
    def num_nodes(self) -> int:
        return max((end + 1 for edge in self.edges for end in edge), default=1)

    @property
    def is_sentence(self) -> bool:
        """Whether its nodes are words: they have labels, and no bonds."""
        return bool(self.labels) and not self.orders


@dataclass(frozen=True)
class Rule:
    """What explains some predictions of a class.

    Attributes:
        name: "a ring of six"; empty for the predictions that no small part explains.
        forms: Its graphs, the most frequent first; none where no small part explains the predictions.
        instances: The nodes or graphs that it explains.
    """

    name: str
    forms: tuple[Form, ...]
    instances: tuple[int, ...]

    @property
    def title(self) -> str:
        """Its name, or that there is none."""
        return self.name or NOTHING


@dataclass(frozen=True)
class ClassRules:
    """The rules of one class.

    Attributes:
        name: The class.
        predicted: How many nodes or graphs the GNN predicts so.
        rules: The most frequent first; predictions that no small part explains come last.
        mistakes: Of the explained ones those whose true class is another one, with that class.
        failed: How many could not be explained at all.
        noun: What is predicted: "node", "graph", "molecule".
    """

    name: str
    predicted: int
    rules: tuple[Rule, ...]
    mistakes: dict[int, str] = field(hash=False)
    failed: int = 0
    noun: str = "node"

    @property
    def explained(self) -> int:
        """How many predictions were looked at."""
        return sum(len(rule.instances) for rule in self.rules)

    def share(self, rule: Rule) -> float:
        """How many of the predictions that were looked at a rule explains."""
        return len(rule.instances) / self.explained

    @property
    def sentence(self) -> str:
        """Of 180 nodes predicted cycle, 98 % are explained by a ring of six, 2 % by a path of three."""
        counts = [(rule.name, len(rule.instances)) for rule in self.rules]
        return class_sentence(self.name, self.noun, counts, self.predicted, self.failed)

    @property
    def confusions(self) -> list[tuple[str, Rule, tuple[int, ...]]]:
        """The wrong predictions: a true class, the rule by which this one was predicted, and where; most first."""
        wrong = defaultdict[tuple[str, Rule], list[int]](list)
        for rule in self.rules:
            for index in self.mistakes.keys() & rule.instances:
                wrong[self.mistakes[index], rule].append(index)
        rows = [(true, rule, tuple(sorted(indices))) for (true, rule), indices in wrong.items()]
        return sorted(rows, key=lambda row: -len(row[2]))

    @property
    def sentences(self) -> list[str]:
        """Its sentence, and: 2 nodes of class house top are predicted house middle by a triangle."""
        mistakes = (
            mistake_sentence(true, self.name, self.noun, rule.name, len(indices))
            for true, rule, indices in self.confusions
        )
        return [self.sentence, *mistakes]


@dataclass(frozen=True)
class Rules:
    """What a GNN predicts its classes by.

    Attributes:
        classes: The rules of each class.
        made: How they were found: limit, device, versions, date, seconds; of a GNN with a name also the fingerprints
            of its file and of its policy's.
    """

    classes: tuple[ClassRules, ...]
    made: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def sentences(self) -> list[str]:
        """A sentence on each class, and on its wrong predictions."""
        return [sentence for rules in self.classes for sentence in rules.sentences]

    def __getitem__(self, name: str) -> ClassRules:
        return self.classes[_number(name, [rules.name for rules in self.classes])]

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def save(self, path: Path) -> None:
        """Write them as JSON."""
        write_text(path, msgspec.json.encode(self).decode() + "\n")

    @classmethod
    def load(cls, path: Path) -> "Rules":
        """Read what `save` wrote."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"The file {path.name} cannot be read as rules: compute it again.") from error


# Finding them


def rules(
    model: "nn.Module",
    data: "AnyData",
    of: Any = None,
    *,
    config: "GFNConfig | GFlowExplainer | None" = None,
    limit: int = LIMIT,
    workers: int = 1,
    dask: str | None = None,
    device: str = "auto",
    progress: bool | None = None,
    **options: Any,
) -> "Rules":
    """By which kinds of subgraph does a GNN predict its classes? Any PyG model on any PyG data.

    Many predictions of each class are explained; their answers are counted by what they are, "a ring of six", whichever
    nodes they are made of.

    Args:
        model: See `explain`.
        data: See `explain`.
        of: The name or number of a class, or several; all by default.
        config: See `explain_many`.
        limit: The most predictions that are explained of a class; of more, so many by chance.
        workers: See `explain_many`.
        dask: See `explain_many`.
        device: See `explain_many`.
        progress: See `explain`.
        options: See `explain`.

    Returns:
        The rules: ``sentences``, ``rules["class name"]``.
    """
    questions, where = ModelQuestions(model, data, config, options=options), Workers(workers, dask)
    with progress_bar(progress) as tell:
        return find_rules(questions, of, limit=limit, where=where, job=JobContext(device, tell))


def find_rules(
    questions: Questions,
    of: Any = None,
    *,
    limit: int = LIMIT,
    where: Workers | None = None,
    job: JobContext | None = None,
) -> Rules:
    """Explain the predictions of some classes, and group their reasons.

    Args:
        questions: Which GNN on which data, and how it is explained.
        of: See `rules`.
        limit: See `rules`.
        where: Where to compute; here by default.
        job: See `explain_all`.
    """
    if not isinstance(limit, int) or limit < 1:
        raise UserError(f"limit must be a whole number, at least 1 (got {limit}).")
    job, began = job or JobContext("auto"), perf_counter()
    job.take_long()
    job.report(0.0, "computing all predictions of the GNN")
    opened = questions.open(choose_device(job.device))
    predicted, classes = opened.predicted()
    wanted = [of] if isinstance(of, str | int) else of or range(len(classes))
    numbers = [_number(name, classes) for name in wanted]
    random = [np.random.RandomState(0).permutation(np.flatnonzero(predicted == number))[:limit] for number in numbers]
    rows = explain_all(questions, np.sort(np.concatenate(random)), where=where, job=job, opened=opened)
    rules = []
    for number in numbers:
        members = [row for row in rows if predicted[row.index] == number]
        rules.append(class_rules(classes[number], members, int((predicted == number).sum()), opened.info))
    made = {"limit": limit, **provenance(choose_device(job.device), perf_counter() - began)}
    if isinstance(questions, NamedQuestions):
        made["files"] = _files(questions.dataset, questions.gnn)
    return Rules(tuple(rules), made)


def _number(of: Any, classes: Sequence[str]) -> int:
    """A class by its name or number."""
    if isinstance(of, int) and 0 <= of < len(classes):
        return of
    if of in classes:
        return classes.index(of)
    raise UserError(f"There is no class “{of}”: choose from {', '.join(classes)}.")


def class_rules(name: str, rows: Sequence[Row], predicted: int, info: DatasetInfo) -> ClassRules:
    """The rules of a class from explained predictions of it.

    Args:
        name: The class.
        rows: Its explained predictions.
        predicted: How many there are in all.
        info: The data set.
    """
    explained, kinds = [row for row in rows if not row.error], defaultdict[str, list[Row]](list)
    for row in explained:
        kinds[row.kind if row.explains else ""].append(row)
    rules = tuple(
        Rule(kind, forms_of(kinds[kind], info.task) if kind else (), tuple(row.index for row in kinds[kind]))
        for kind in sorted(kinds, key=lambda kind: (not kind, -len(kinds[kind]), kind))
    )
    mistakes = {row.index: row.true for row in explained if row.true and row.true != row.prediction}
    return ClassRules(name, predicted, rules, mistakes, len(rows) - len(explained), info.vocabulary.instance)


def forms_of(rows: Sequence[Row], task: Task) -> tuple[Form, ...]:
    """Group answers by the colours of their nodes, the most frequent first."""
    groups = defaultdict[tuple[str, ...], list[Row]](list)
    for row in rows:
        groups[tuple(sorted(_colours(_graph(row))))].append(row)
    forms = [_form(members, task) for members in groups.values()]
    return tuple(sorted(forms, key=lambda form: -len(form.instances)))


def _graph(row: Row) -> nx.Graph:
    """The answer's graph, its nodes numbered in ascending order, as words are read."""
    labels, orders = row.labels or ("",) * len(row.nodes), row.orders or (1,) * len(row.edges)
    graph: nx.Graph = nx.Graph()
    nodes = sorted(row.nodes)
    for number, (_, label) in enumerate(sorted(zip(row.nodes, labels, strict=True))):
        graph.add_node(number, label=label)
    for (source, target), order in zip(row.edges, orders, strict=True):
        graph.add_edge(nodes.index(source), nodes.index(target), order=order)
    return graph


def _colours(graph: nx.Graph) -> list[str]:
    """The refined colour of each node."""
    rounds = nx.weisfeiler_lehman_subgraph_hashes(graph, "order", "label", iterations=len(graph))
    return [rounds[node][-1] for node in graph]


def _form(rows: Sequence[Row], task: Task) -> Form:
    """What some answers with the same colours have in common, drawn as the first of them."""
    graph, explained = _graph(rows[0]), Counter[int]()
    colours: list[str] = _colours(graph)
    edges: list[tuple[int, int, int]] = sorted(graph.edges(data="order"))
    for row in rows if task is Task.NODE else ():
        colour = _colours(_graph(row))[sorted(row.nodes).index(row.index)]
        explained[colours.index(colour)] += 1
    return Form(
        tuple(nx.get_node_attributes(graph, "label").values()) if rows[0].labels else (),
        tuple((source, target) for source, target, _ in edges),
        tuple(order for *_, order in edges if rows[0].orders),
        tuple(row.index for row in rows),
        tuple(explained[node] for node in graph if explained),
    )


# The shipped ones


def rules_path(dataset: str, gnn: str) -> Path:
    """Where the rules of a GNN are shipped."""
    return RULES / f"{dataset}-{gnn}.json"


def shipped_rules(dataset: str, gnn: str) -> Rules | None:
    """The shipped rules, if there are some and GNN and policy are still those that were explained."""
    path = rules_path(dataset, gnn)
    if not path.is_file():
        return None
    rules = Rules.load(path)
    return rules if rules.made.get("files") == _files(dataset, gnn) else None


def _files(dataset: str, gnn: str) -> Mapping[str, str]:
    """Names the GNN and its policy."""
    paths = {"gnn": model_path(dataset, gnn), "policy": LOOK_AHEAD}
    return {name: fingerprint(path) for name, path in paths.items() if path.is_file()}
