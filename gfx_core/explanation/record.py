"""Record an explanation as a Trace: one trajectory in full detail, and the distribution it was drawn from."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from msgspec.structs import replace

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.source import Numbered
from gfx_core.device import provenance
from gfx_core.explanation.answer import main_modes, make_answer, marginals_of, student_words
from gfx_core.explanation.question import Choice, Question
from gfx_core.explanation.samplers import ExactSampler, Flows, Samples, SubgraphSampler
from gfx_core.explanation.subject import Subject
from gfx_core.files import fingerprint
from gfx_core.gfn.cut_vertices import CutVertexTracker
from gfx_core.gfn.reward_terms import REWARD_TERMS
from gfx_core.gfn.rewards import Rewarded
from gfx_core.gfn.settings import Parents, RewardConfig
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.models import GNN
from gfx_core.layout.instances import instance_layout
from gfx_core.layout.stress import Points
from gfx_core.trace import schema
from gfx_core.trace.derive import derive, derive_steps
from gfx_core.user_models.student import StudentPredictor


def record(subject: Subject, flows: Flows, notes: Sequence[str] = (), plays: bool = True) -> schema.Trace:
    """Record an explanation.

    Args:
        subject: What is explained.
        flows: The flows to sample from, on its instance or on a part of it.
        notes: What is to be read before it is believed.
        plays: Whether the trajectory is recorded too; else there is its first state only, and nodes have no places.
    """
    instance, question = flows.instance, subject.question
    samples = flows.sample(question.samples, question.seed)
    modes = main_modes(instance, samples)
    order = _shown(flows, samples, question, modes)
    held = np.isin(np.arange(instance.num_nodes), order)[None]
    whole = flows.predictor.whole
    predicted = int(whole.predicted[0])
    listed = flows.distribution(order[0])
    trace = schema.Trace(
        dataset=instance.dataset,
        dataset_title=instance.info.title,
        task=instance.task,
        drawing=instance.info.drawing,
        model=subject.model.name if isinstance(subject.model, GNN) else type(subject.model).__name__,
        index=instance.index,
        nodes=_nodes(instance, instance_layout(instance) if plays else np.zeros((instance.num_nodes, 2))),
        edges=_edges(instance, predicted),
        left_out=instance.left_out,
        classes=instance.info.class_names(whole.logits.shape[1]),
        prediction=schema.Prediction(
            predicted=predicted,
            probabilities=tuple(whole.probabilities[0].double().tolist()),
            true=instance.y if instance.y >= 0 else None,
        ),
        flows=flows.kind,
        start=order[0],
        target=instance.target,
        reward_terms=tuple(schema.TermWords(name, term.symbol, term.title) for name, term in REWARD_TERMS.items()),
        steps=steps_along(flows, order if plays else order[:1]),
        final=schema.FinalSubgraph(log_probability=samples.log_probabilities(held)[0][0]),
        samples=_merged(samples, instance.num_nodes),
        edge_marginals=tuple(marginals_of(instance, samples).tolist()),
        made=_made(subject, flows, modes[0], notes),
    )
    if listed is not None:
        space, log_probability = listed
        trace = replace(
            trace,
            log_z_exact=float(space.log_z[0]),
            num_states_exact=space.num_states,
            total_variation=space.total_variation(log_probability),
        )
    answer = make_answer(flows.predictor, instance, trace, modes, samples.distribution is not None)
    if plays:
        last = trace.steps[-1].members  # a reason has a trajectory that ends there, unless the trace shows it
        reasons = (
            reason if reason.nodes == last else replace(reason, steps=steps_along(flows, reason.nodes))
            for reason in answer.reasons
        )
        answer = replace(answer, reasons=tuple(reasons))
    return derive(replace(trace, answer=answer))


def _made(subject: Subject, flows: Flows, first: schema.Reason, notes: Sequence[str]) -> dict[str, Any]:
    """How a trace was made: what is not in the other fields."""
    question = subject.question
    made: dict[str, Any] = {
        "config": flows.config.as_dict(),
        "seed": question.seed,
        "samples": question.samples,
        "choice": str(question.choice),
        **provenance(flows.predictor.device.type),
    }
    learned = flows.learned if isinstance(flows, ExactSampler) else flows
    if isinstance(learned, SubgraphSampler):
        about = {name: value for name, value in learned.trained.made.items() if name != "molecules"}
        made["policy"] = {"epochs": len(learned.trained.curve), **about}
    if isinstance(flows.predictor, StudentPredictor):
        made[schema.STUDENT] = student_words(flows.predictor, first.nodes)
    if notes:
        made["notes"] = list(notes)
    if question.user is None:
        made[schema.GNN_PRINT] = fingerprint(model_path(question.dataset, question.gnn))
        if not isinstance(question.origin, Numbered):
            made[schema.NAME] = question.name
    return made


def _shown(flows: Flows, samples: Samples, question: Question, modes: Sequence[schema.Reason]) -> list[int]:
    """The nodes of the one trajectory that is shown in full, in order."""
    if question.choice is Choice.ANSWER:
        return list(modes[0].nodes)
    if question.choice is Choice.GREEDY:
        order = flows.draw(1, question.seed, greedy=True).orders[0]
    else:
        order = samples.orders[first_best(samples.log_reward) if question.choice is Choice.BEST else 0]
    return order[order >= 0].tolist()


def _edges(instance: Instance, predicted: int) -> tuple[schema.TraceEdge, ...]:
    """The undirected edges of an instance, in the order in which the trace numbers them."""
    chosen = instance.undirected
    known = instance.has_reason(predicted)
    order = instance.edge_order[chosen]
    own, every = instance.own_edges[chosen], instance.all_edges[chosen]
    return tuple(
        schema.TraceEdge(int(s), int(t), int(o), bool(a) if known else None, bool(b) if known else None)
        for s, t, o, a, b in zip(*instance.edge_index[:, chosen], order, own, every, strict=True)
    )


def _nodes(instance: Instance, points: Points) -> tuple[schema.TraceNode, ...]:
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    result = []
    for node in range(instance.num_nodes):
        label = instance.node_label(node)
        features = [("degree", str(int(degree[node])))]
        if instance.node_notes and instance.is_sentence:
            features = [("place", str(int(instance.nodes[node]) + 1)), ("in the tree", instance.node_notes[node])]
        elif instance.node_name(node) != label:
            features.insert(0, ("name", instance.node_name(node)))
        if instance.node_attributes:
            features += instance.node_attributes[node]
        if instance.target is not None:
            features.append(("hops", str(int(instance.hops[node]))))
        result.append(
            schema.TraceNode(
                id=int(instance.nodes[node]),
                label=label,
                position=(float(points[node, 0]), float(points[node, 1])),
                features=tuple(features),
                element=label if instance.node_names else None,
            )
        )
    return tuple(result)


def _merged(samples: Samples, num_nodes: int) -> tuple[schema.SampledSubgraph, ...]:
    """The subgraphs that were sampled, equal node sets counted together, the most frequent first."""
    first, count = samples.distinct
    chances = samples.log_probabilities(samples.members(num_nodes)[first])
    orders = [tuple(order[order >= 0].tolist()) for order in samples.orders[first]]
    rows = zip(orders, count.tolist(), samples.log_reward[first].tolist(), chances, strict=True)
    return tuple(
        schema.SampledSubgraph(order, order, (), number, log_reward, *log_probabilities)
        for order, number, log_reward, log_probabilities in rows
    )


@torch.no_grad()
def steps_along(flows: Flows, order: Sequence[int]) -> tuple[schema.Step, ...]:
    """Every state of one trajectory with its flows, cut vertices, parents and reward."""
    device, path, T = flows.predictor.device, np.array(order), len(order)
    prefixes = np.where(np.tri(T, dtype=bool), path, -1)  # [T, T]
    nodes = torch.from_numpy(prefixes).to(device)
    instance = torch.zeros_like(nodes[:, 0])
    rewarded = flows.reward.measure(nodes, instance)
    log_reward = rewarded.log_reward.double().cpu().numpy()  # [T]

    links = flows.predictor.graphs.joined(instance, nodes[-1][:, None], nodes[-1]).cpu()  # [T, T]
    tracker = CutVertexTracker(1, max(2, T), "cpu")  # one trajectory: a GPU would be launched more than it runs
    parents, matrices = np.tri(T, dtype=bool), []  # whose removal counts, by their place in the path
    for t in range(T):
        tracker.add(links[t : t + 1])
        matrices.append(tuple(map(tuple, tracker.matrix[0, : t + 1, : t + 1].tolist())))
        if flows.config.parents is Parents.VALID:
            parents[t] = tracker.removable[0, :T]
    if flows.config.parents is Parents.SEQUENCE:
        parents = np.eye(T, dtype=bool)
    parents[:, 0] = False

    step, place = parents.nonzero()
    without = np.where(np.arange(T) == place[:, None], -1, prefixes[step])  # the parents' nodes. [P, T]
    log_out, log_stop = flows.evaluate(np.concatenate([prefixes, without]), np.pad(log_reward, (0, len(step))))
    log_in = np.full((T, flows.instance.num_nodes), -np.inf)
    log_in[step, path[place]] = log_out[T + np.arange(len(step)), path[place]]
    other = flows.beside(order[0])
    compared = None if other is None else other.evaluate(prefixes, log_reward)
    terms = _reward_terms(flows.reward.config, rewarded)
    steps = []
    for t in range(T):
        actions = np.flatnonzero(np.isfinite(log_out[t]))
        removed = np.flatnonzero(np.isfinite(log_in[t]))
        steps.append(
            schema.Step(
                members=tuple(order[: t + 1]),
                frontier=tuple(schema.FrontierAction(int(a), float(log_out[t, a])) for a in actions),
                stop=schema.StopAction(float(log_stop[t])),
                matrix=matrices[t],
                parents=tuple(schema.ParentFlow(int(u), float(log_in[t, u])) for u in removed),
                reward=terms[t],
                other=compared and _other_policy(compared[0][t], compared[1][t], actions),
            )
        )
    return derive_steps(steps, order)


def _other_policy(log_out: Doubles, log_stop: float, actions: Ints) -> schema.OtherPolicy:
    """What the other kind of flows would do, in the order of the frontier. [m] → [actions]"""
    log_flow = np.logaddexp(np.logaddexp.reduce(log_out), log_stop)
    probabilities = np.exp(log_out[actions] - log_flow).clip(0, 1)
    return schema.OtherPolicy(tuple(probabilities.tolist()), min(1.0, float(np.exp(log_stop - log_flow))))


def _reward_terms(config: RewardConfig, rewarded: Rewarded) -> list[schema.RewardTerms]:
    """The reward of each state and what it is made of, fetched from the device in one go."""
    terms = []
    for values in torch.stack([*rewarded.values.values()], dim=1).tolist():  # [T][terms]
        measured = dict(zip(rewarded.values, values, strict=True))
        terms.append(
            schema.RewardTerms(
                beta=config.beta,
                terms=tuple(schema.TermValue(name, value, config.price(name)) for name, value in measured.items()),
                probability=min(1.0, float(np.exp(-measured["cross_entropy"]))),
            )
        )
    return terms
