"""Policies that were trained here or uploaded, kept in the data folder by what is in them. Needs no torch.

Those for a user's data set live with it, and go with it.

A policy is named by a digest of its file, so a link that names one means exactly that policy, and the same file is kept
once however often it is uploaded.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from gfx_core import limits, storage
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import dataset_info, folder_of, same_dataset
from gfx_core.errors import UserError
from gfx_core.files import checked_digest, content_digest, replacing
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gnn.kinds import checked_gnn
from gfx_core.weights import read_json_header

LOOK_AHEAD = ASSETS / "policies" / "look_ahead.safetensors"
"""The shipped policy for all data sets and GNNs."""
KEPT = 100
"""Policies on disk; the oldest go first."""
_ADVICE = "Choose a policy that was saved here, or by: python -m gfx_core train policy."


class OwnPolicy(msgspec.Struct, frozen=True):
    """A policy that is kept: what its header has without torch (`PolicyHeader` has all of it), and its name.

    Attributes:
        dataset: The data set that it was trained on, as it is called where the policy is kept.
        gnn: Which of the data set's GNNs it explains.
        config: How it was trained, as JSON.
        made: Device, versions and date, how many instances it learnt from, and which if it was one.
        name: Of its file; a question names the policy by it.
    """

    dataset: str
    gnn: str
    config: dict[str, Any]
    made: dict[str, Any]
    name: str = ""


def policy_file(dataset: str, own: str) -> Path:
    """Where a policy of a name is kept; ``UserError`` if none can have it."""
    return folder_of(dataset, "policies") / f"{checked_digest(own)}.safetensors"


def keep_policy(data: bytes, dataset: str = "") -> OwnPolicy:
    """Keep the bytes of a policy's file; all but the weights themselves is checked.

    Args:
        data: The bytes.
        dataset: The user's data set that it is kept with, if it is for one.

    Raises:
        UserError: It is no policy of ours, or the disk is full.
    """
    if len(data) > limits.POLICY_BYTES:
        raise UserError(f"The file is larger than {limits.POLICY_BYTES // 2**20} MiB, too large for a policy.")
    name = content_digest(data)

    def write(path: Path) -> None:
        with replacing(path) as part:
            part.write_bytes(data)
            _read(part, name, dataset)  # before it takes its place: what is no policy of ours is refused

    path = folder_of(dataset, "policies") / f"{name}.safetensors"
    if not storage.keep(path, write, KEPT):
        raise UserError("The policy cannot be stored: the server’s disk is full or read-only.")
    return _read(path, name, dataset)


def dataset_of(data: bytes) -> str:
    """The data set that the bytes of a policy's file name; empty where they name none."""
    length = int.from_bytes(data[:8], "little")
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        header = json.loads(data[8 : 8 + length])
        return str(json.loads(header["__metadata__"]["gfx"])["dataset"])
    return ""


def own_policy(name: str, dataset: str = "", gnn: str = "") -> OwnPolicy:
    """A policy that was kept; ``UserError`` if it explains another GNN than the one that is named."""
    path = policy_file(dataset, name)
    if not path.is_file():
        raise UserError("This policy has been deleted: train it again, or open its file.")
    policy = _read(path, path.stem, dataset)
    if dataset not in ("", policy.dataset) or gnn not in ("", policy.gnn):
        title = dataset_info(policy.dataset).title
        raise UserError(f"This policy explains the {policy.gnn} GNN of {title}: choose a prediction of that one.")
    return policy


def _read(path: Path, name: str, dataset: str) -> OwnPolicy:
    policy = read_json_header(path, OwnPolicy, _ADVICE, called="This file")
    GFNConfig.from_dict(policy.config)
    checked_gnn(policy.gnn)
    if not same_dataset(policy.dataset, dataset):
        dataset = dataset_info(policy.dataset).name
    return msgspec.structs.replace(policy, name=name, dataset=dataset)
