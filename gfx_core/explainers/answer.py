"""The consensus as it stands in a trace: with what the GNN says of it and without it, its name and its sentence."""

from dataclasses import replace

import numpy as np

from gfx_core.datasets.instance import Instance
from gfx_core.explainers.consensus import THRESHOLD, Consensus
from gfx_core.gnn.predict import Predictor
from gfx_core.text.answers import answer_sentence
from gfx_core.text.names import subgraph_name
from gfx_core.trace.schema import Answer, Trace

_MAX_NAME = 200


def make_answer(
    predictor: Predictor, instance: Instance, trace: Trace, agreed: Consensus, probability: float | None
) -> Answer:
    """Look the consensus up in what was drawn, and ask the GNN about the rest of the instance.

    Args:
        predictor: The GNN, on this instance alone.
        instance: The instance.
        trace: What is known of it otherwise.
        agreed: What the draws agree on.
        probability: The exact probability to end exactly there, ``None`` if unknown.
    """
    held = np.zeros(instance.num_nodes, dtype=bool)
    held[list(agreed.nodes)] = True
    source, target = instance.edge_index[:, instance.undirected]
    inside = held[source] & held[target]  # [E]
    without = predictor.with_edges(instance, ~inside[None]).probabilities[0].double().cpu()
    name = subgraph_name(instance, agreed.nodes)
    answer = Answer(
        nodes=agreed.nodes,
        edges=tuple(np.flatnonzero(inside).tolist()),
        threshold=THRESHOLD,
        grown=agreed.grown,
        exact=agreed.exact,
        drawn=sum(sample.count for sample in trace.samples if set(sample.nodes) == set(agreed.nodes)),
        probability=probability,
        alone=agreed.alone,
        without=tuple(without.tolist()),
        whole=bool(held.all()) and not instance.left_out,
        name=name.text[:_MAX_NAME],
        sentence="",
    )
    return replace(answer, sentence=answer_sentence(trace, answer, name.several))
