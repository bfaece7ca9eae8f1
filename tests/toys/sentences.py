"""A small sentence that was explained, without any GNN."""

from dataclasses import replace

from gfx_core.config import Drawing, Task
from gfx_core.datasets.sentences import Sentence
from gfx_core.text.typesetting import word_places
from gfx_core.trace.schema import FinalSubgraph, Prediction, SampledSubgraph, Trace, TraceEdge, TraceNode
from tests.toys.traces import make_step, make_trace

SENTENCE = Sentence(("The", "end", "of", "the", "film"), (1, -1, 1, 4, 2), ("det", "ROOT", "prep", "det", "pobj"))
OF, FILM = 2, 4


def sentence_trace() -> Trace:
    """“The end of the film”, explained by “of … film”, which grows from “of”."""
    links = sorted(tuple(sorted(pair)) for pair in SENTENCE.links.T.tolist())
    points = word_places(SENTENCE.words, SENTENCE.links)
    steps = (
        make_step((OF,), {1: -0.3, FILM: 0.1}, {}, chosen=FILM),
        make_step((OF, FILM), {1: 0.4, 3: -1.0}, {FILM: 0.6}, chosen=None),
    )
    reward = steps[-1].reward.log_reward
    answer = make_trace().answer
    assert answer is not None
    return replace(
        make_trace(),
        dataset="graph_sst2",
        dataset_title="Graph-SST2",
        task=Task.GRAPH,
        drawing=Drawing.SENTENCE,
        index=0,
        nodes=tuple(
            TraceNode(at, word, (float(points[at, 0]), float(points[at, 1])), (("in the tree", SENTENCE.notes[at]),))
            for at, word in enumerate(SENTENCE.words)
        ),
        edges=tuple(TraceEdge(first, second) for first, second in links),
        left_out=0,
        classes=("negative", "positive"),
        prediction=Prediction(1, (0.25, 0.75)),
        start=OF,
        target=None,
        steps=steps,
        final=FinalSubgraph((OF, FILM), (2,), reward, -0.5),
        answer=replace(
            answer, reasons=(replace(answer.first, nodes=(OF, FILM), edges=(2,), name="“of … film”", drawn=64),)
        ),
        samples=(SampledSubgraph((OF, FILM), (OF, FILM), (2,), 64, reward),),
        edge_marginals=(0.0, 0.25, 1.0, 0.0),
        masks=(),
    )
