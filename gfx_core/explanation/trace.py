"""Record an explanation as a Trace: one trajectory in full detail, and the distribution it was drawn from."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from msgspec.structs import replace

from gfx_core.arrays import first_best
from gfx_core.config import Drawing
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.device import provenance
from gfx_core.explanation.answer import main_modes, make_answer, marginals_of, student_words
from gfx_core.explanation.question import Choice
from gfx_core.explanation.samplers import Distribution, Generated, PathFlows, SubgraphSource
from gfx_core.gfn.cut_vertices import CutVertexTracker
from gfx_core.gfn.reward_terms import REWARD_TERMS
from gfx_core.gfn.rewards import Rewarded
from gfx_core.gfn.settings import RewardConfig
from gfx_core.layout.instances import instance_layout
from gfx_core.layout.stress import Points
from gfx_core.trace import schema
from gfx_core.trace.derive import derive, derive_steps
from gfx_core.user_models.student import StudentPredictor


def record(
    generator: SubgraphSource,
    *,
    seed: int = 0,
    samples: int = 64,
    choice: Choice = Choice.ANSWER,
    start: int | None = None,
    model_name: str = "",
    plays: bool = True,
) -> schema.Trace:
    """Explain one instance.

    Args:
        generator: A trained policy, or exact flows, on the instance.
        seed: Of everything drawn.
        samples: How many subgraphs to draw.
        choice: Which trajectory is shown in full.
        start: The start node; the explained node or the locator's choice by default.
        model_name: What to call the GNN.
        plays: Whether the trajectory is recorded too; else there is its first state only, and nodes have no places.
    """
    instance = generator.instance
    drawn = generator.draw(samples, seed, start)
    known = generator.distribution(start)
    modes = main_modes(instance, drawn, known)
    order = _shown(generator, drawn, seed, start, choice, modes[0].order)
    first = int(order[0])
    steps = steps_along(generator, first, order if plays else order[:1])
    prediction = generator.predictor.whole
    at_start = generator.distribution(first)
    trace = schema.Trace(
        dataset=instance.dataset,
        dataset_title=instance.info.title,
        task=instance.task,
        drawing=instance.info.drawing,
        model=model_name,
        index=instance.index,
        nodes=_nodes(instance, instance_layout(instance) if plays else np.zeros((instance.num_nodes, 2))),
        edges=_edges(instance, int(prediction.predicted[0])),
        left_out=instance.left_out,
        classes=instance.info.class_names(prediction.logits.shape[1]),
        prediction=schema.Prediction(
            predicted=int(prediction.predicted[0]),
            probabilities=tuple(prediction.probabilities[0].double().tolist()),
            true=instance.y if instance.y >= 0 else None,
        ),
        flows=generator.flows,
        start=first,
        target=instance.target,
        reward_terms=tuple(schema.TermWords(name, term.symbol, term.title) for name, term in REWARD_TERMS.items()),
        steps=steps,
        final=schema.FinalSubgraph(log_probability=_log_probabilities(known, order.tolist())[0]),
        samples=_merged(drawn, known),
        edge_marginals=tuple(marginals_of(instance, drawn, known).tolist()),
        log_z_exact=None if at_start is None else float(at_start.space.log_z[0]),
        num_states_exact=None if at_start is None else at_start.space.num_states,
        total_variation=None if at_start is None else at_start.space.total_variation(at_start.log_probability),
        made=_made(generator, seed, samples, choice),
    )
    if isinstance(generator.predictor, StudentPredictor):
        trace = replace(trace, made={**trace.made, schema.STUDENT: student_words(generator.predictor, modes[0].order)})
    answer = make_answer(generator.predictor, instance, trace, modes, known is not None)
    if plays:
        answer = replace(answer, reasons=tuple(_playing(generator, trace, reason) for reason in answer.reasons))
    return derive(replace(trace, answer=answer))


def _playing(generator: SubgraphSource, trace: schema.Trace, reason: schema.Reason) -> schema.Reason:
    """A reason with a trajectory that ends there, unless it is the one that the trace shows."""
    if reason.nodes == trace.steps[-1].members:
        return reason
    return replace(reason, steps=steps_along(generator, reason.nodes[0], np.array(reason.nodes)))


def _made(generator: SubgraphSource, seed: int, samples: int, choice: Choice) -> dict[str, Any]:
    policy = generator.policy_made()
    return {
        "config": generator.config.as_dict(),
        "seed": seed,
        "samples": samples,
        "choice": str(choice),
        **({} if policy is None else {"policy": policy}),
        **provenance(generator.device.type),
    }


def _shown(
    generator: SubgraphSource, drawn: Generated, seed: int, start: int | None, choice: Choice, answer: tuple[int, ...]
) -> Ints:
    """The nodes of the one trajectory that is shown in full, in order."""
    if choice is Choice.ANSWER:
        return np.array(answer)
    if choice is Choice.GREEDY:
        order = generator.draw(1, seed, start, greedy=True).orders[0]
    else:
        order = drawn.orders[first_best(drawn.log_reward) if choice is Choice.BEST else 0]
    return order[order >= 0]


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


def _log_probabilities(known: Distribution | None, nodes: Sequence[int]) -> tuple[float | None, float | None]:
    """log-probability of a node set under the policy, and under P ∝ R."""
    state = None if known is None else known.index_of(nodes)
    if known is None or state is None:
        return None, None
    return float(known.log_probability[state]), float(known.space.log_target[state])


def _merged(drawn: Generated, known: Distribution | None) -> tuple[schema.SampledSubgraph, ...]:
    """The drawn subgraphs, equal node sets counted together, the most frequent first."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for number, order in enumerate(drawn.orders):
        groups[tuple(sorted(order[order >= 0].tolist()))].append(number)
    merged = []
    for nodes, numbers in groups.items():
        order = drawn.orders[numbers[0]]
        in_policy, in_target = _log_probabilities(known, nodes)
        merged.append(
            schema.SampledSubgraph(
                nodes=nodes,
                order=tuple(order[order >= 0].tolist()),
                edges=(),
                count=len(numbers),
                log_reward=float(drawn.log_reward[numbers[0]]),
                log_probability=in_policy,
                log_probability_exact=in_target,
            )
        )
    return tuple(sorted(merged, key=lambda found: (-found.count, -found.log_reward)))


@torch.no_grad()
def steps_along(generator: SubgraphSource, start: int, order: Ints) -> tuple[schema.Step, ...]:
    """Every state of one trajectory with its flows, cut vertices, parents and reward."""
    device, path = generator.device, order[order >= 0]
    nodes = torch.from_numpy(path).to(device)  # [T]
    prefixes = nodes.expand(len(path), -1).where(torch.ones(len(path), len(path), device=device).tril() > 0, -1)
    rewarded = generator.reward.measure(prefixes, torch.zeros_like(nodes))
    log_reward = rewarded.log_reward.double().cpu().numpy()  # [T]
    flows = generator.flows_along(path, log_reward)
    other = generator.counterpart(start)
    compared = None if other is None else other.flows_along(path, log_reward)
    terms = _reward_terms(generator.reward.config, rewarded)
    tracker = CutVertexTracker(1, max(2, len(path)), "cpu")  # one trajectory: a GPU would be launched more than it runs
    graphs = generator.predictor.graphs
    links = graphs.joined(torch.zeros((), dtype=torch.long, device=device), nodes[:, None], nodes[None]).cpu()  # [T, T]
    steps = []
    for t in range(len(path)):
        touched = torch.zeros(1, tracker.max_nodes, dtype=torch.bool)
        touched[0, :t] = links[t, :t]
        tracker.add(touched)
        actions = np.flatnonzero(flows.frontier[t])
        steps.append(
            schema.Step(
                members=tuple(path[: t + 1].tolist()),
                frontier=tuple(schema.FrontierAction(int(a), float(flows.log_out[t, a])) for a in actions),
                stop=schema.StopAction(float(flows.log_stop[t])),
                matrix=tuple(tuple(row[: t + 1]) for row in tracker.matrix[0, : t + 1].tolist()),
                parents=tuple(
                    schema.ParentFlow(int(u), float(flows.log_in[t, u])) for u in np.flatnonzero(flows.parents[t])
                ),
                reward=terms[t],
                other=None if compared is None else _other_policy(compared, t, actions),
            )
        )
    return derive_steps(steps, path.tolist())


def _other_policy(flows: PathFlows, t: int, actions: Ints) -> schema.OtherPolicy:
    """What the other kind of flows would do, in the order of the frontier."""
    out = flows.log_out_flow[t]
    probabilities = np.exp(flows.log_out[t, actions] - out).clip(0, 1)
    return schema.OtherPolicy(tuple(probabilities.tolist()), min(1.0, float(np.exp(flows.log_stop[t] - out))))


def _reward_terms(config: RewardConfig, rewarded: Rewarded) -> list[schema.RewardTerms]:
    """The reward of each state and what it is made of, fetched from the device in one go."""
    prices = {name: config.price(name) for name in rewarded.values}
    found = []
    for measured in torch.stack([*rewarded.values.values()], dim=1).tolist():  # [T][terms]
        values = dict(zip(prices, measured, strict=True))
        found.append(
            schema.RewardTerms(
                beta=config.beta,
                terms=tuple(schema.TermValue(name, value, prices[name]) for name, value in values.items()),
                probability=min(1.0, float(np.exp(-values["cross_entropy"]))),
            )
        )
    return found
