"""Which flows a trace was made with, in words."""

from gfx_core.config import FlowSource
from gfx_core.trace.schema import Trace


def flow_words(trace: Trace) -> str:
    """Where the flows come from, and what is known of their error.

    There is one distance from R/Z, the total variation over all states. Where they are too many to be listed it is not
    known, and the residuals on the way are all that can be told.
    """
    facts = []
    if trace.largest_residual is not None:
        facts.append(f"largest residual on the way {abs(trace.largest_residual):.2g}")
    if trace.total_variation is not None:
        facts.append(f"total variation between what is drawn and R/Z {trace.total_variation:.2g}")
    elif trace.mean_residual is not None:
        facts.append(f"mean {trace.mean_residual:.2g}; the distance from R/Z is not known, too many subgraphs to list")
    told = ", ".join(facts)
    if trace.flows is FlowSource.EXACT:
        count = "" if trace.num_states_exact is None else f"{trace.num_states_exact:,} "
        source = f"Exact flows, computed from all {count}connected subgraphs"
    else:
        source = "Learned flows"
    return f"{source}: {told}." if told else f"{source}."


def only_fewer(most: int) -> str:
    """That the subgraphs of some more nodes were not looked at, and why."""
    return (
        f"Only subgraphs of at most {most} nodes were looked at: all of these could be listed, and with more nodes "
        "there are too many."
    )
