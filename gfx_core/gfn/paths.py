"""Where trained policies are kept. Needs no torch."""

from pathlib import Path

from gfx_core.config import ASSETS
from gfx_core.datasets.registry import dataset_info
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.user_data.store import home_of

POLICIES = ASSETS / "policies"


def policy_path(dataset: str, gnn: str = DEFAULT_KIND, preset: str = "") -> Path:
    """Where the policy for a data set's GNN is kept; a preset other than the default has a name of its own."""
    name = dataset_info(dataset).name
    home = home_of(name)
    folder, begin = (POLICIES, name) if home is None else (home, "policy")
    return folder / f"{'-'.join(filter(None, (begin, gnn, preset)))}.safetensors"
