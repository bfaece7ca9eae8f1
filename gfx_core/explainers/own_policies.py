"""Policies that visitors trained or brought along, kept on disk under the digest of their bytes. Needs no torch.

Whoever has the name, from a link, can use one; nobody can replace one, since its name is what it holds.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

from gfx_core.config import data_root
from gfx_core.datasets.registry import dataset_info
from gfx_core.errors import UserError
from gfx_core.files import read_json_header
from gfx_core.gfn.paths import policy_path
from gfx_core.gnn.kinds import kind_info
from gfx_core.question import Question, checked_own

KEPT = 100
"""So many are kept; those that were not used for longest go first."""
MAX_MB = 20
"""The largest file that is taken."""
_ADVICE = "Bring a policy that was saved on the page Train or by: python -m gfx_core train policy."


def keep(data: bytes) -> str:
    """Keep a policy; returns its name.

    Args:
        data: The bytes of its file.

    Raises:
        UserError: It is no policy of ours, or for no data set or GNN that there is.
    """
    if len(data) > MAX_MB * 2**20:
        raise UserError(f"A policy of more than {MAX_MB} MB is not taken.")
    name = hashlib.sha256(data).hexdigest()[:16]
    path = _path(name)
    part = path.with_name(f"{name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        _checked(part)
        part.replace(path)
        _forget_old(path.parent)
    except OSError as error:
        raise UserError(f"The policy cannot be kept in {path.parent}: the folder cannot be written to.") from error
    finally:
        part.unlink(missing_ok=True)
    return name


def path_of(question: Question) -> Path:
    """Where the policy that a question asks for is kept: the visitor's own, or the shipped one. It may not be there."""
    return _path(question.own) if question.own else policy_path(question.dataset, question.gnn)


def present(question: Question) -> Path:
    """The same for a policy of the visitor's own that must be there and fit.

    Raises:
        UserError: It is not there any more, or belongs to another data set or GNN.
    """
    header = own_header(question.own)
    if (header["dataset"], header["gnn"]) != (question.dataset, question.gnn):
        title = dataset_info(header["dataset"]).title
        raise UserError(
            f"This policy of your own explains the {header['gnn']} GNN of {title}, not the {question.gnn} GNN of "
            f"{question.info.title}."
        )
    return _path(question.own)


def settings(question: Question) -> dict[str, Any]:
    """How the policy of the visitor's own was trained; see :func:`present`."""
    present(question)
    found: dict[str, Any] = own_header(question.own)["config"]
    return found


def own_header(name: str) -> dict[str, Any]:
    """What a policy says of itself: ``dataset``, ``gnn``, ``config``, ``made``, ``curve``.

    Raises:
        UserError: It is not there any more.
    """
    path = _path(checked_own(name))
    if not path.is_file():
        raise UserError("This policy of your own is not kept here any more: open its file again, or train another.")
    return _checked(path)


def _checked(path: Path) -> dict[str, Any]:
    try:
        header = read_json_header(path, _ADVICE)
    except UserError as error:
        raise UserError(f"This file is not a whole policy of ours. {_ADVICE}") from error
    wanted = {"dataset": str, "gnn": str, "config": dict, "made": dict, "curve": list, "num_features": int}
    if header.get("training") or not all(isinstance(header.get(name), kind) for name, kind in wanted.items()):
        raise UserError(f"This file holds weights, but no finished policy of ours. {_ADVICE}")
    dataset_info(header["dataset"])
    kind_info(header["gnn"])
    return header


def _path(name: str) -> Path:
    return data_root() / "own-policies" / f"{name}.safetensors"


def _forget_old(folder: Path) -> None:
    files = sorted(folder.glob("*.safetensors"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[KEPT:]:
        path.unlink(missing_ok=True)
