"""``explain(model, data, index)``: any PyG model on any PyG data, in one call."""

from typing import TYPE_CHECKING, Any

from tqdm.auto import tqdm

from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.gfn.settings import GFNConfig

if TYPE_CHECKING:
    from torch import nn

    from gfx_core.explainers.explained import Explained
    from gfx_core.gnn.foreign.door import AnyData

_BAR = "{desc}: {percentage:3.0f} % |{bar}|"


def explain(
    model: "nn.Module",
    data: "AnyData",
    index: Any = None,
    *,
    config: GFNConfig | None = None,
    control: bool = False,
    seed: int = 0,
    progress: bool | None = None,
    **about: Any,
) -> "Explained":
    """Why does a GNN say what it says of a node or a graph?

    Flows are exact where all connected subgraphs around the start node can be listed; else a policy is trained on this
    prediction, which takes some seconds to a minute. The model is left as it is.

    Args:
        model: Any module of PyTorch that takes a graph: ``model(x, edge_index, …)`` or ``model(data)``.
        data: One PyG graph, a batch, a list or a data set of them, or one of our data sets.
        index: The node or graph, as a number or a mask; the only graph by default.
        config: K_M and the reward, by default those of the shipped policies.
        control: Whether to say how much of it would be the same for a GNN that always says the same.
        seed: Of all that is drawn.
        progress: Whether to show a bar; by default in terminals and notebooks.
        about: What cannot be seen from model and data: task, output, tolerance, hops, args, classes, atoms, labels,
            title; ``device``, ``cpu`` by default. See `gfx_core.gnn.foreign.about.About`.

    Returns:
        An explanation: it plays in a notebook, ``show()`` opens it, ``save("x.html")`` keeps it (also ``.json``,
        ``.gif``), ``edge_mask``, ``sentence``, ``trace``, ``to_networkx()``, ``to_pyvis()``, ``to_pyg()``.
    """
    explainer = GFlowExplainer(config, seed=seed, device=str(about.pop("device", "cpu")))
    disabled = None if progress is None else not progress  # None: shown where somebody looks on
    with tqdm(total=100, disable=disabled, leave=False, bar_format=_BAR) as bar:

        def tell(share: float, words: str) -> None:
            bar.set_description(words, refresh=False)
            bar.update(round(100 * share) - bar.n)

        return explainer.explain(model, data, index, control=control, tell=tell, **about)
