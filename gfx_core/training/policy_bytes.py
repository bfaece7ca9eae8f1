"""A trained policy as the bytes of its file, to be downloaded or kept. This module is imported in workers."""

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gfx_core.gfn.policy_file import TrainedPolicy, save_policy


def policy_bytes(trained: TrainedPolicy) -> NDArray[np.uint8]:
    """The safetensors file with its header."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.safetensors"
        save_policy(trained, path)
        return np.fromfile(path, dtype=np.uint8)
