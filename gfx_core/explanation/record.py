"""Record an explanation as a Trace: one trajectory in full detail, and the distribution it was drawn from."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from msgspec.structs import replace

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.config import Drawing
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
    first, held = int(order[0]), np.isin(np.arange(instance.num_nodes), order)[None]
    whole = flows.predictor.whole
    predicted = int(whole.predicted[0])
    at_start = flows.distribution(first)
    trace = schema.Trace(
        dataset=instance.dataset,
        dataset_title=instance.info.title,
        task=instance.task,
        drawing=instance.info.drawing,
        model=subject.model_name,
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
        start=first,
        target=instance.target,
        reward_terms=tuple(schema.TermWords(name, term.symbol, term.title) for name, term in REWARD_TERMS.items()),
        steps=steps_along(flows, order if plays else order[:1]),
        final=schema.FinalSubgraph(log_probability=samples.log_probabilities(held)[0][0]),
        samples=_merged(samples, instance.num_nodes),
        edge_marginals=tuple(marginals_of(instance, samples).tolist()),
        made=_made(subject, flows, modes[0], notes),
    )
    if at_start is not None:
        space, log_probability = at_start
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
    question, usual = subject.question, subject.config
    made: dict[str, Any] = {
        "config": flows.config.as_dict(),
        "seed": question.seed,
        "samples": question.samples,
        "choice": str(question.choice),
        **provenance(flows.predictor.device.type),
    }
    learned = flows.learned if isinstance(flows, ExactSampler) else flows
    if isinstance(learned, SubgraphSampler):
        made["policy"] = {"epochs": len(learned.trained.curve), **learned.trained.made}
    if isinstance(flows.predictor, StudentPredictor):
        made[schema.STUDENT] = student_words(flows.predictor, first.nodes)
    if notes:
        made["notes"] = list(notes)
    if question.user is None:
        made[schema.GNN_PRINT] = fingerprint(model_path(question.dataset, question.gnn))
        if not isinstance(question.origin, Numbered):
            made[schema.NAME] = question.name
    if flows.config.reward != usual.reward or flows.config.max_nodes != usual.max_nodes:
        price = usual.reward.price("nodes")
        made["policy_trained_with"] = {"beta": usual.reward.beta, "node_price": price, "max_nodes": usual.max_nodes}
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
    order = np.ones(len(chosen), np.int64) if instance.edge_order is None else instance.edge_order[chosen]
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
        if instance.node_notes and instance.info.drawing is Drawing.SENTENCE:
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
    members = samples.members(num_nodes)[first]
    return tuple(
        schema.SampledSubgraph(
            nodes=tuple(np.flatnonzero(held).tolist()),
            order=tuple(order[order >= 0].tolist()),
            edges=(),
            count=number,
            log_reward=log_reward,
            log_probability=log_probability,
            log_probability_exact=log_target,
        )
        for held, order, number, log_reward, (log_probability, log_target) in zip(
            members,
            samples.orders[first],
            count.tolist(),
            samples.log_reward[first].tolist(),
            samples.log_probabilities(members),
            strict=True,
        )
    )


@torch.no_grad()
def steps_along(flows: Flows, order: Sequence[int]) -> tuple[schema.Step, ...]:
    """Every state of one trajectory with its flows, cut vertices, parents and reward."""
    device, path, T = flows.predictor.device, np.array(order), len(order)
    nodes = torch.from_numpy(path).to(device)  # [T]
    prefixes = nodes.where(torch.ones(T, T, dtype=torch.bool, device=device).tril(), -1)  # [T, T]
    rewarded = flows.reward.measure(prefixes, torch.zeros_like(nodes))
    log_reward = rewarded.log_reward.double().cpu().numpy()  # [T]
    terms = _reward_terms(flows.reward.config, rewarded)

    links = flows.predictor.graphs.joined(torch.zeros_like(nodes), nodes[:, None], nodes).cpu()  # [T, T]
    tracker = CutVertexTracker(1, max(2, T), "cpu")  # one trajectory: a GPU would be launched more than it runs
    parents, matrices = np.tri(T, dtype=bool), []
    for t in range(T):
        tracker.add(links[t : t + 1])
        matrices.append(tuple(tuple(row[: t + 1]) for row in tracker.matrix[0, : t + 1].tolist()))
        if flows.config.parents is Parents.VALID:
            parents[t] = tracker.removable[0, :T]
    if flows.config.parents is Parents.SEQUENCE:
        parents = np.eye(T, dtype=bool)
    parents[:, 0] = False

    log_out, log_in, log_stop = flows.along(path, log_reward, parents)
    other = flows.beside(int(path[0]))
    compared = None if other is None else other.along(path, log_reward, parents)
    steps = []
    for t in range(T):
        actions = np.flatnonzero(np.isfinite(log_out[t]))
        removed = np.flatnonzero(np.isfinite(log_in[t]))
        steps.append(
            schema.Step(
                members=tuple(path[: t + 1].tolist()),
                frontier=tuple(schema.FrontierAction(int(a), float(log_out[t, a])) for a in actions),
                stop=schema.StopAction(float(log_stop[t])),
                matrix=matrices[t],
                parents=tuple(schema.ParentFlow(int(u), float(log_in[t, u])) for u in removed),
                reward=terms[t],
                other=compared and _other_policy(compared[0][t], compared[2][t], actions),
            )
        )
    return derive_steps(steps, path.tolist())


def _other_policy(log_out: Doubles, log_stop: float, actions: Ints) -> schema.OtherPolicy:
    """What the other kind of flows would do, in the order of the frontier. [m] → [actions]"""
    log_flow = np.logaddexp(np.logaddexp.reduce(log_out), log_stop)
    probabilities = np.exp(log_out[actions] - log_flow).clip(0, 1)
    return schema.OtherPolicy(tuple(probabilities.tolist()), min(1.0, float(np.exp(log_stop - log_flow))))


def _reward_terms(config: RewardConfig, rewarded: Rewarded) -> list[schema.RewardTerms]:
    """The reward of each state and what it is made of, fetched from the device in one go."""
    prices = {name: config.price(name) for name in rewarded.values}
    terms = []
    for measured in torch.stack([*rewarded.values.values()], dim=1).tolist():  # [T][terms]
        values = dict(zip(prices, measured, strict=True))
        terms.append(
            schema.RewardTerms(
                beta=config.beta,
                terms=tuple(schema.TermValue(name, value, prices[name]) for name, value in values.items()),
                probability=min(1.0, float(np.exp(-values["cross_entropy"]))),
            )
        )
    return terms
