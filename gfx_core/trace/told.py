"""A trace in a few lines of text, as the command line prints it: the answer first."""

from gfx_core.trace.flow_words import flow_words
from gfx_core.trace.names import trace_title
from gfx_core.trace.schema import Trace


def told(trace: Trace) -> list[str]:
    """The answer, where the trajectory shown in full ends, how that compares with what is true, and the flows."""
    final, says = trace.final, trace.classes[trace.prediction.predicted]
    labels = ", ".join(trace.nodes[node].label for node in final.nodes)
    truth = "No true reason is known here, so that nothing is called found or missed."
    if trace.has_truth:
        truth = f"motif edges found {len(trace.hits)}, missed {len(trace.missed)}, extra {len(trace.extra)}"
    return [
        *([] if trace.answer is None else [trace.answer.sentence]),
        f"{trace_title(trace)}: {says}",
        f"subgraph: {labels}  log R {final.log_reward:.3f}",
        truth,
        flow_words(trace),
    ]
