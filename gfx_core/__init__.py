"""GFlowExplainer: explain a GNN's prediction by learning to generate subgraphs (ICLR 2023).

Importing this package is cheap: names are loaded on first use, so showing a recorded trace needs no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gfx_core.baselines.pyg_algorithm import as_method
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.errors import UserError
    from gfx_core.explanation.explainer import GFlowExplainer, explain
    from gfx_core.explanation.many import explain_many
    from gfx_core.explanation.rules import rules
    from gfx_core.gfn.settings import GFNConfig
    from gfx_core.gnn.checkpoint import load_model

_LAZY = {
    "GFNConfig": "gfx_core.gfn.settings",
    "GFlowExplainer": "gfx_core.explanation.explainer",
    "UserError": "gfx_core.errors",
    "as_method": "gfx_core.baselines.pyg_algorithm",
    "explain": "gfx_core.explanation.explainer",
    "explain_many": "gfx_core.explanation.many",
    "load_dataset": "gfx_core.datasets.registry",
    "load_model": "gfx_core.gnn.checkpoint",
    "rules": "gfx_core.explanation.rules",
}

__all__ = list(_LAZY)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'gfx_core' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return __all__
