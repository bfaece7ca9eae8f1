"""``explain(model, data, index)``: any PyG model on any PyG data, in one call."""

from dataclasses import fields
from numbers import Integral
from typing import TYPE_CHECKING, Any

import torch
from tqdm.auto import tqdm

from gfx_core.errors import UserError
from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.explainers.on_the_spot import SECONDS
from gfx_core.gfn.settings import GFNConfig
from gfx_core.user_models.inputs import ModelOptions

if TYPE_CHECKING:
    from torch import nn

    from gfx_core.explainers.explained import Explained
    from gfx_core.user_models.instances import AnyData

_BAR = "{desc}: {percentage:3.0f} % |{bar}|"


def explain(
    model: "nn.Module",
    data: "AnyData",
    index: Any = None,
    *,
    config: GFNConfig | None = None,
    control: bool = False,
    seed: int = 0,
    seconds: float | None = SECONDS,
    progress: bool | None = None,
    device: str | torch.device = "cpu",
    **about: Any,
) -> "Explained":
    """Why does a GNN say what it says of a node or a graph?

    Flows are exact where all connected subgraphs around the start node can be listed. Else those of fewer nodes are, or
    those among the nodes that matter most; or a policy is trained on this prediction. The model is left as it is.

    Args:
        model: Any module of PyTorch that takes a graph: ``model(x, edge_index, …)`` or ``model(data)``.
        data: One PyG graph, a batch, a list or a data set of them, or one of our data sets.
        index: The node or graph, as a number or a mask; the only graph by default.
        config: K_M and the reward, by default those of the shipped policies.
        control: Whether to say how much of it would be the same for a GNN that always says the same.
        seed: Of all that is drawn.
        seconds: How long listing and learning may take; what had to be left out is said. ``None`` for no limit.
        progress: Whether to show a bar; by default in terminals and notebooks.
        device: Where to compute.
        about: What cannot be seen from model and data: task, output, tolerance, hops, args, classes, atoms, labels,
            title. See `gfx_core.user_models.inputs.ModelOptions`.

    Returns:
        An explanation: it plays in a notebook, ``show()`` opens it, ``save("x.html")`` keeps it (also ``.json``,
        ``.gif``), ``edge_mask``, ``sentence``, ``trace``, ``to_networkx()``, ``to_pyvis()``, ``to_pyg()``.
    """
    _check(control, seed, progress, about)
    explainer = GFlowExplainer(config, seed=int(seed), device=_place(device), seconds=seconds)
    disabled = None if progress is None else not progress  # None: shown where somebody looks on
    with tqdm(total=100, disable=disabled, leave=False, bar_format=_BAR) as bar:

        def tell(share: float, words: str) -> None:
            bar.set_description(words, refresh=False)
            bar.update(round(100 * share) - bar.n)

        return explainer.explain(model, data, index, control=control, tell=tell, **about)


def _check(control: Any, seed: Any, progress: Any, about: dict[str, Any]) -> None:
    """Refuse what cannot be meant."""
    if not isinstance(seed, Integral) or not 0 <= int(seed) < 2**32:
        raise UserError(f"seed must be a whole number from 0 to 2³² − 1 (got {seed!r}).")
    if not isinstance(control, bool):
        raise UserError(f"control must be True or False (got a {type(control).__name__}).")
    if progress is not None and not isinstance(progress, bool):
        raise UserError(f"progress must be True, False or None (got a {type(progress).__name__}).")
    known = [field.name for field in fields(ModelOptions)]
    for name in about:
        if name not in known:
            raise UserError(f"explain has no option “{name}”: choose from {', '.join(known)}.")


def _place(device: Any) -> str:
    """A device on which numbers can be computed, as torch calls it."""
    try:
        place = torch.device(device)
        torch.zeros(1, device=place).sum().item()
    except Exception as error:  # each kind of device has errors of its own
        raise UserError(f"This machine cannot compute on the device “{device}”: choose device=“cpu”.") from error
    return str(place)
