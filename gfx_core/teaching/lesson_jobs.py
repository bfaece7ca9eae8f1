"""What workers compute for lessons 6, 7 and 9 and for the lab. This module is imported in workers: it needs torch."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from gfx_core.config import FragmentModel
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.fragments import through_student
from gfx_core.explanation.many import ModelQuestions
from gfx_core.explanation.question import Question
from gfx_core.explanation.rules import Rules, find_rules
from gfx_core.explanation.subject import load
from gfx_core.gfn.cut_vertices import CutVertexTracker
from gfx_core.gfn.objectives import OBJECTIVES
from gfx_core.gfn.settings import FlowModel, GFNConfig
from gfx_core.gfn.tabular import TABULAR, TableTrainer
from gfx_core.job_context import JobContext
from gfx_core.teaching import hidden_gnns, lab_graphs
from gfx_core.teaching.known_subgraphs import DATASET, GNNS, INDEX, SubgraphAnswers, real_states
from gfx_core.teaching.practice import COMPARED_LOSSES, COMPARING_BATCH, COMPARING_STEPS
from gfx_core.text.theorem import case_words, row_words, step_note
from gfx_core.training.lesson_graphs import Practice, practice_instance, practice_rewards

# Lesson 7: four losses learn the same flows from as many trajectories, from one start node or from several at once.
#
# Trajectory balance has log Z as a parameter: one number for all start nodes can be right for all of them only if
# their true log Z agree. The others have no such parameter: their log Z is what leaves the start.

FRAMES = 75


def compare_balance(job: JobContext, *, starts: Sequence[int]) -> list[dict[str, Any]]:
    """Train tables on the toy graph by each of the `COMPARED_LOSSES`, in turn and on equal terms.

    Args:
        job: Of this job.
        starts: The start nodes.

    Returns:
        Snapshots: ``step``, ``log_partition`` (the true log Z of each start node), and for
        each loss ``log_z`` and ``total_variation`` from R/Z by start node.
    """
    instance = practice_instance(Practice.TOY)
    dags = [enumerate_states(instance, start) for start in starts]
    spaces = [StateSpace(dag, np.log(practice_rewards(Practice.TOY, instance, dag))) for dag in dags]
    truth = {"log_partition": [float(space.log_z[0]) for space in spaces]}
    snapshots = []
    config = replace(TABULAR, flow_model=FlowModel.TABLE, epochs=COMPARING_STEPS, batch_size=COMPARING_BATCH)
    trainings = [_train(replace(config, loss=loss), spaces) for loss in COMPARED_LOSSES]
    for together in zip(*trainings, strict=True):
        step = together[0][0]
        found = {str(loss): numbers for loss, (_, numbers) in zip(COMPARED_LOSSES, together, strict=True)}
        snapshots.append({"step": step, **truth, **found})
        job.report(step / COMPARING_STEPS, "training")
    return snapshots


def _train(config: GFNConfig, spaces: Sequence[StateSpace]) -> Iterator[tuple[int, dict[str, list[float]]]]:
    """Train a table for each start node under one objective, so that log Z is one; yields steps and what is seen."""
    objective = OBJECTIVES[config.loss](config, num_features=1)
    trainers = [TableTrainer(space, config, objective) for space in spaces]
    shown = {round(COMPARING_STEPS * (at / FRAMES) ** 1.5) for at in range(FRAMES + 1)}  # early ones more often
    for step in range(COMPARING_STEPS + 1):
        if step in shown:
            distances = [trainer.table.total_variation() for trainer in trainers]
            yield step, {"log_z": [trainer.log_z() for trainer in trainers], "total_variation": distances}
        if step < COMPARING_STEPS:
            for trainer in trainers:
                trainer.run_epoch()


# Lesson 6: questions to GNNs about subgraphs of a real instance.


def ask_all(job: JobContext) -> dict[str, SubgraphAnswers]:
    """What each of the GNNs predicts for every state of the instance, in the order of `real_states`."""
    subsets = torch.from_numpy(real_states().subsets).to(job.device)
    answers = {}
    for name, (gnn, model) in GNNS.items():
        question = Question(DATASET, str(INDEX), gnn=gnn, fragments=model)
        loaded, _ = through_student(load(question), job)  # its near nodes are numbered as in the instance
        predictor = loaded.predictor(job.device)
        tensors = predictor.whole.probabilities[0], predictor(subsets).probabilities
        whole, probabilities = (values.double().cpu().numpy() for values in tensors)
        agreement = 1.0 if loaded.taught is None else loaded.taught.agreement
        answers[name] = SubgraphAnswers(whole, probabilities, agreement)
    return answers


# The lab


def grow_steps(job: JobContext, *, names: list[str], edges: list[list[int]], order: list[int]) -> list[dict[str, Any]]:
    """𝒵 and all that follows from it, after each node of a growth.

    Args:
        job: Of this job.
        names: What the nodes are called.
        edges: Of the graph.
        order: Its nodes in the order in which they are added.

    Returns:
        A step for each node of the order, in which nodes are numbered by their place in it: ``z`` (the connectivity
        vector), ``case`` of Theorem 1, ``matrix``, ``changed`` cells, ``cut`` vertices, ``groups`` (a cut vertex and
        its child groups), ``removable`` nodes, a ``note`` on both, ``words`` about the case and ``rows``, a sentence
        about each row.
    """
    neighbours = lab_graphs.neighbour_lists(len(names), [(a, b) for a, b in edges])
    links = lab_graphs.links_of(neighbours, order)
    called = [names[node] for node in order]
    tracker = CutVertexTracker(1, max(2, len(order)))
    steps: list[dict[str, Any]] = []
    before: list[list[int]] = []
    for t, touched in enumerate(links):
        job.report(t / len(links), "growing")
        row = torch.zeros(1, tracker.max_nodes, dtype=torch.bool)
        row[0, touched] = True
        tracker.add(row)
        matrix = [row[: t + 1] for row in tracker.matrix[0, : t + 1].tolist()]
        cut, removable = (nodes[0].nonzero()[:, 0].tolist() for nodes in (tracker.cut, tracker.removable))
        case = int(tracker.cases[0])
        steps.append(
            {
                "z": [int(i in touched) for i in range(t)],
                "case": case,
                "matrix": matrix,
                "changed": [  # cells that were not there were zero
                    [i, j]
                    for i, cells in enumerate(matrix)
                    for j, value in enumerate(cells)
                    if value != (before[i][j] if max(i, j) < t else 0)
                ],
                "cut": cut,
                "groups": [[i, [sorted(group) for group in groups]] for i, groups in tracker.child_groups(0).items()],
                "removable": removable,
                "note": step_note(removable, cut, called),
                "words": case_words(case, called, t, touched, steps[-1]["cut"] if steps else [], cut),
                "rows": [row_words(m, before, matrix, touched, called[: t + 1]) for m in range(t)],
            }
        )
        before = matrix
    return steps


# Lesson 9: a hidden GNN is evaluated, and its rules are found.


def ask_hidden_gnn(job: JobContext, *, name: str, graphs: Sequence[str]) -> list[float]:
    """The probability of *yes* that a hidden GNN gives each of some graphs, in the graph6 format."""
    return hidden_gnns.probabilities(name, list(map(hidden_gnns.read_graph, graphs)))


def reveal_hidden_gnn(job: JobContext, *, name: str) -> Rules:
    """Which kinds of subgraph explain that a hidden GNN predicts *yes*, of trees and graphs with one ring.

    In others, where nearly all nodes are linked, a subgraph has many edges that the GNN does not need.
    """
    sparse = [graph for graph in hidden_gnns.all_graphs() if graph.number_of_edges() <= len(graph)]
    model, dataset = hidden_gnns.hidden_gnn(name), hidden_gnns.as_dataset(sparse)
    questions = ModelQuestions(model, dataset, options={"fragments": FragmentModel.AS_IS})
    return find_rules(questions, "yes", job=job)
