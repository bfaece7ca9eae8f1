"""A trained policy as the bytes of its file, to be downloaded or kept. This module is imported in workers."""

import numpy as np
from numpy.typing import NDArray

from gfx_core.gfn.policy_file import TrainedPolicy, policy_data


def policy_bytes(trained: TrainedPolicy) -> NDArray[np.uint8]:
    """The safetensors file with its header; no disk is needed, so none can be full."""
    return np.frombuffer(policy_data(trained), dtype=np.uint8)
