"""Get the trace that the Explain page shows: shipped, computed by a worker, or built by hand."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gfx_core.config import TRACES
from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.datasets.registry import DATASETS
from gfx_core.datasets.smiles import COMPOUNDS
from gfx_core.jobs.by_hand import trace_by_hand
from gfx_core.trace import io
from gfx_core.trace.schema import Trace
from pages.ui import jobs, loaders
from pages.ui.sampling import Sampling
from pages.ui.selection import MUTAGENICITY, Selection, Source, choose, choose_index, choose_molecule


@dataclass(frozen=True)
class Asked:
    """What is to be explained.

    Attributes:
        dataset: Registry name.
        kind: The GNN.
        index: The node or graph, or
        smiles: a molecule.
        name: Unique within the data set, for file names and keys.
    """

    dataset: str
    kind: str
    index: int | None
    smiles: str | None
    name: str

    def arguments(self) -> dict[str, Any]:
        """What the worker is told."""
        return {"dataset": self.dataset, "kind": str(self.kind), "index": self.index, "smiles": self.smiles}

    def key(self, *more: object) -> str:
        """Names a result; a replaced model or policy gives another."""
        from gfx_core.gfn.paths import policy_path
        from gfx_core.gnn.checkpoint import model_path

        stamps = (
            loaders.changed(model_path(self.dataset, self.kind)),
            loaders.changed(policy_path(self.dataset, self.kind)),
        )
        return "|".join(map(str, (*self.arguments().values(), *stamps, *more)))


def asked_for(selection: Selection, kind: str, index: int, from_dataset: bool) -> Asked:
    """What the selection asks for; molecules that are from no data set come as SMILES."""
    if selection.dataset == MUTAGENICITY and not from_dataset:
        if selection.source is Source.SMILES and selection.smiles:
            return Asked(selection.dataset, kind, None, selection.smiles, "molecule")
        from pages.ui.pickers import FIRST_COMPOUND

        compound = selection.compound or FIRST_COMPOUND
        return Asked(selection.dataset, kind, None, COMPOUNDS[compound], compound.lower())
    return Asked(selection.dataset, kind, index, None, str(index))


def shipped_trace(asked: Asked, sampling: Sampling) -> Trace | None:
    """The shipped trace of an instance, if there is one and nothing else is asked for. Needs no torch."""
    if asked.kind != "sum" or sampling != Sampling():
        return None
    if loaders.hops(asked.dataset, asked.kind) != DEFAULT_HOPS:  # it is of another GNN, which saw another graph
        return None
    return loaders.trace(asked.dataset, asked.name)


def computed_trace(asked: Asked, sampling: Sampling) -> Trace | None:
    """Have a worker explain; None while it is at it."""
    doing = "Training on and explaining" if sampling.tuned else "Explaining"
    text = jobs.run_job(
        f"{doing} {DATASETS[asked.dataset].title} {asked.name}",
        jobs.EXPLAIN_TRACE,
        asked.arguments() | sampling.arguments(),
        key=_trace_key(asked, sampling),
        slot="explain",
        short=not sampling.tuned,
    )
    return None if text is None else _parsed(text)


def known_trace(asked: Asked, sampling: Sampling) -> Trace | None:
    """A trace that can be shown at once, shipped or computed before; None if it would have to be computed."""
    text = jobs.finished(_trace_key(asked, sampling))
    return shipped_trace(asked, sampling) or (None if text is None else _parsed(text))


def _trace_key(asked: Asked, sampling: Sampling) -> str:
    return asked.key("trace", *sampling.arguments().values())


@st.cache_data(show_spinner=False, max_entries=64)
def _parsed(text: str) -> Trace:
    return io.from_json(text, "trace")


def trace_along(base: Trace, asked: Asked, sampling: Sampling, order: Sequence[int]) -> Trace | None:
    """The trajectory that adds nodes in a given order; None while it is computed or if the order is impossible."""
    steps = jobs.run_job(
        "Following the trajectory",
        jobs.STEPS_BY_HAND,
        asked.arguments() | {"order": list(order)} | sampling.policy_arguments(),
        key=asked.key("steps", *order, *sampling.policy_arguments().values()),
        slot="steps",
        short=True,
    )
    if steps is None:
        return None
    return _by_hand(io.to_json(base), json.dumps(steps))


@st.cache_data(show_spinner=False, max_entries=64)
def _by_hand(base: str, steps: str) -> Trace:
    return trace_by_hand(io.from_json(base, "trace"), json.loads(steps))


def read_order(trace: Trace) -> list[int] | None:
    """The order of nodes that the URL asks for, as far as it can be one."""
    text = st.query_params.get("order")
    if text is None:
        return None
    parts = text.split(".")[:64]
    nodes = [int(part) for part in parts if part.isdecimal() and len(part) < 6]
    if not nodes or any(node >= len(trace.nodes) for node in nodes) or len(set(nodes)) < len(nodes):
        return None
    return nodes


def write_order(nodes: Sequence[int] | None, **more: str | int | None) -> None:
    """Put an order into the URL, or take it out."""
    choose(order=None if nodes is None else ".".join(map(str, nodes)), step=None, **more)


def pick_interesting(dataset: str) -> None:
    """A button that goes through the instances with a shipped trace: they open at once."""
    names = sorted(path.stem.removeprefix(f"{dataset}-") for path in TRACES.glob(f"{dataset}-*.json"))
    if not names:
        return

    def go() -> None:
        at = st.session_state.get("interesting", -1) + 1
        st.session_state["interesting"] = at
        name = names[at % len(names)]
        choose(order=None, step=None)
        if dataset == MUTAGENICITY:
            compound = next((c for c in COMPOUNDS if c.lower() == name), None)
            choose_molecule(Source.COMPOUND, compound=compound)
        else:
            choose_index(dataset, int(name))

    st.button(
        "An interesting one",
        key="interesting-button",
        icon=":material/auto_awesome:",
        help="Go to the next of a few telling instances; they open at once.",
        on_click=go,
    )
