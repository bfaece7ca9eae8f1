"""The documents in assets/docs: people wrote the sentences, the code and the records fill in the numbers.

A number stands between two marks that no reader sees, ``<!--=policy.teleport-->0.15<!--=-->``: `filled` writes it
again. So a document is whole wherever it is read, and a test tells when the code or the records have moved on.
"""

import re
from collections.abc import Callable

from gfx_core.config import ASSETS, Task
from gfx_core.gfn.settings import ON_GPU, REWARD_PRESETS, PolicyConfig, preset_config, preset_reward
from gfx_core.text.theorem import EQUATIONS

DOCUMENTS = ASSETS / "docs"
"""Where they are; their pictures are beside them."""

_NUMBER = re.compile(r"<!--=(.+?)-->.*?<!--=-->")
_MARKS = re.compile(r"<!--=.*?-->")


def text_of(name: str) -> str:
    """A document as people read it, without the marks of its numbers."""
    return _MARKS.sub("", (DOCUMENTS / f"{name}.md").read_text(encoding="utf-8"))


def filled(text: str, number: Callable[[str], str]) -> str:
    """A document with all its numbers written again.

    Args:
        text: The document.
        number: What to write for a name.
    """
    return _NUMBER.sub(lambda found: f"<!--={found[1]}-->{number(found[1])}<!--=-->", text)


def facts() -> dict[str, str]:
    """What documents say of the code's own choices, by the name in their marks. It loads torch and data sets."""
    from gfx_core.baselines.generators import Generator
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.gnn.training import default_config

    node, graph = preset_config(Task.NODE), preset_config(Task.GRAPH)
    occam, policy = REWARD_PRESETS["occam"], PolicyConfig()
    names = ("ba_shapes", "ba_community", "tree_cycles", "tree_grid", "ba_2motifs")
    *first, last = (f"{2 * load_dataset(name).num_edges:,}" for name in names)
    found: dict[str, float] = {
        "occam.beta": occam.beta,
        "occam.similarity": occam.price("similarity"),
        "price.node": preset_reward(Task.NODE).price("nodes"),
        "price.graph": preset_reward(Task.GRAPH).price("nodes"),
        "policy.teleport": policy.teleport,
        "policy.steps": policy.steps,
        "occam.hidden": node.policy.hidden,
        "occam.max_nodes": node.max_nodes,
        "node.delta": node.delta or 0,
        "node.lr": node.lr,
        "node.batch_size": node.batch_size,
        "graph.batch_size": graph.batch_size,
        "node.epochs": node.epochs,
        "graph.epochs": graph.epochs,
        "gpu.steps_per_batch": ON_GPU.steps_per_batch,
        "gpu.exact_cap": ON_GPU.exact_cap,
        "samples": Generator.samples,
        "gnn.fragments": default_config("tree_grid").fragments,
        "gnn.fragments_graph": default_config("ba_2motifs").fragments,
        **{f"eq.{name}": number for name, number in EQUATIONS.items()},
    }
    words = {name: f"{value:,.6g}" for name, value in found.items()}
    return words | {"edges": f"{', '.join(first)} and {last}"}
