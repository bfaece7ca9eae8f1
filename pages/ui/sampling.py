"""How subgraphs are drawn: the widgets, and their place in the URL."""

import math
import random
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.files import read_json_header
from gfx_core.gfn.paths import policy_path
from gfx_core.teaching.glossary import term, tooltip
from pages.ui import loaders
from pages.ui.selection import choose

CHOICES = {"best": "Best of N", "sample": "One sample", "greedy": "Greedy"}
COUNTS = (16, 64, 256)
TUNE = "tune"  # in the URL
_HELP = (
    "**Best of N** shows the drawn subgraph with the highest reward, **One sample** the first one drawn, **Greedy** "
    "always takes the action with the largest flow."
)


@dataclass(frozen=True)
class Sampling:
    """What is drawn, and which of it is shown.

    Attributes:
        choice: Which trajectory is shown in full.
        seed: Of everything drawn.
        samples: How many subgraphs are drawn.
        beta: Another β than the policy's, or None.
        max_nodes: A smaller K_M than the policy's, or None.
        tuned: Whether the policy is trained further on this prediction alone.
    """

    choice: str = "best"
    seed: int = 0
    samples: int = 64
    beta: float | None = None
    max_nodes: int | None = None
    tuned: bool = False

    def arguments(self) -> dict[str, Any]:
        """What the worker is told."""
        return {"choice": self.choice, "seed": self.seed, "samples": self.samples, **self.policy_arguments()}

    def policy_arguments(self) -> dict[str, Any]:
        """The part of it that changes the policy, not what is drawn from it."""
        return {"beta": self.beta, "max_nodes": self.max_nodes, "tuned": self.tuned}


def read_sampling() -> Sampling:
    """What the URL says; what makes no sense is left at its default."""
    url = st.query_params
    choice = url.get("choice", "best")
    return Sampling(
        choice=choice if choice in CHOICES else "best",
        seed=int(_number("seed", 0, 2**32 - 1) or 0),
        samples=int(_number("samples", 1, 1000) or 64),
        beta=_number("beta", 0.01, 1000),
        max_nodes=None if (k := _number("k", 2, 64)) is None else int(k),
        tuned=url.get(TUNE) == "1",
    )


def _number(name: str, low: float, high: float) -> float | None:
    try:
        value = float(st.query_params[name])
    except (KeyError, ValueError):
        return None
    return value if math.isfinite(value) and low <= value <= high else None


@st.cache_data(show_spinner=False, max_entries=32)
def _config(path: str, version: tuple[int, int]) -> dict[str, Any]:
    from pathlib import Path

    return read_json_header(Path(path), "Train one with: python -m gfx_core train policy --dataset NAME.")["config"]


def policy_settings(dataset: str, kind: str) -> dict[str, Any] | None:
    """How the shipped policy was trained; None where there is none. Needs no torch."""
    path = policy_path(dataset, kind)
    try:
        return _config(str(path), loaders.changed(path)) if path.is_file() else None
    except (UserError, KeyError):
        return None


def say_untrained(dataset: str, kind: str) -> None:
    """Where there is no policy: what to do."""
    st.info(
        f"There is no trained policy for this GNN of {DATASETS[dataset].title} yet: choose the other GNN, or "
        f"train one with `python -m gfx_core train policy --dataset {dataset} --gnn {kind}`.",
        icon=":material/model_training:",
    )


def pick_sampling(sampling: Sampling, settings: dict[str, Any]) -> None:
    """The widgets."""
    words = {"best": f"best of {sampling.samples}", "sample": "one sample", "greedy": "greedy"}[sampling.choice]
    with st.popover(f"Sampling: {words}", icon=":material/tune:"):
        _choice(sampling)
        _more(sampling, settings)
    st.button(
        "Draw again",
        key="again",
        icon=":material/casino:",
        help="Draw with another seed.",
        on_click=lambda: choose(seed=random.randrange(1, 10_000), order=None, step=None),
    )
    st.session_state[TUNE] = sampling.tuned
    st.toggle(
        "Train on this one",
        key=TUNE,
        help="The policy was trained on the whole data set at once. Train it further on this prediction alone, for "
        "some twenty seconds on a CPU, and what it draws comes nearer to P ∝ R here. It is kept, so this is needed "
        f"only once. {term('tuning', 'Glossary')}",
        on_change=lambda: choose(**{TUNE: "1" if st.session_state[TUNE] else None}, order=None, step=None),
    )


def _choice(sampling: Sampling) -> None:
    st.session_state["choice"] = sampling.choice
    st.segmented_control(
        "Shown in full",
        list(CHOICES),
        key="choice",
        format_func=CHOICES.__getitem__,
        required=True,
        help=f"{_HELP} {term('policy', 'Policy')} and {term('trajectory')} in the glossary.",
        on_change=lambda: choose(choice=st.session_state["choice"], order=None, step=None),
    )
    st.session_state["seed"] = sampling.seed
    st.number_input(
        "Seed",
        min_value=0,
        max_value=2**32 - 1,
        step=1,
        key="seed",
        help="The same seed always draws the same subgraphs.",
        on_change=lambda: choose(seed=st.session_state["seed"], order=None, step=None),
    )


def _more(sampling: Sampling, settings: dict[str, Any]) -> None:
    st.session_state["samples"] = sampling.samples if sampling.samples in COUNTS else 64
    st.select_slider(
        "Subgraphs drawn (N)",
        COUNTS,
        key="samples",
        on_change=lambda: choose(samples=st.session_state["samples"], order=None, step=None),
    )
    own_k, own_beta = int(settings["max_nodes"]), float(settings["reward"]["beta"])
    st.session_state["k"] = min(sampling.max_nodes or own_k, own_k)
    st.slider(
        "Most nodes (K_M)",
        2,
        own_k,
        key="k",
        help=f"{tooltip('k-m')} The policy was trained with {own_k}; fewer can be asked for.",
        on_change=lambda: choose(k=_unless(st.session_state["k"], own_k), order=None, step=None),
    )
    if settings["stop"] == "reward":
        betas = sorted({1.0, 3.0, 10.0, 30.0, 100.0, own_beta})
        st.session_state["beta"] = sampling.beta if sampling.beta in betas else own_beta
        st.select_slider(
            "β, how sharp the reward is",
            betas,
            key="beta",
            format_func=lambda value: f"{value:g}",
            help=f"{tooltip('beta')} The policy was trained with β = {own_beta:g}. Another β changes the flow to STOP, "
            "the reward, but not the flows that were learnt: the samples no longer follow P ∝ R.",
            on_change=lambda: choose(beta=_unless(st.session_state["beta"], own_beta), order=None, step=None),
        )


def _unless(value: float, own: float) -> str | None:
    """A value for the URL, unless it is the policy's own."""
    return None if value == own else f"{value:g}"
