"""Files that are written whole or not at all; tensors in safetensors with one JSON header, read without pickle."""

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, wraps
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from gfx_core import limits
from gfx_core.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")

_KEY = "gfx"
DIGITS = 24
"""Of the name of a file that is named by what is in it."""
PART = ".part"
"""How the names of files end that are not whole yet."""
WEIGHTS = ("F16", "BF16", "F32", "F64")
"""What weights are made of, as safetensors names it."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file, which change when it is replaced; zeros if it is not there."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def read_once(most: int) -> Callable[[Callable[Concatenate[Path, P], R]], Callable[Concatenate[Path, P], R]]:
    """Keep what a function makes of a file, its first argument, for as long as that is not replaced.

    Args:
        most: So many answers are kept.
    """

    def decorated(read: Callable[Concatenate[Path, P], R]) -> Callable[Concatenate[Path, P], R]:
        @lru_cache(maxsize=most)
        def kept(_version: tuple[int, int], path: Path, *args: P.args, **kwargs: P.kwargs) -> R:
            return read(path, *args, **kwargs)

        @wraps(read)
        def reading(path: Path, *args: P.args, **kwargs: P.kwargs) -> R:
            return kept(stamp(path), path, *args, **kwargs)  # type: ignore[arg-type]

        return reading

    return decorated


class UnwrittenError(UserError):
    """A file could not be written, for a reason that has nothing to do with what is in it."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write a file that takes the place of another once it is whole.

    It has a name of its own, so two processes may write the same file: one of them is kept, and it is whole. What could
    not be finished is removed: on a full disk it would be in the way.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}-{token_hex(4)}{PART}")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())  # else a new name may outlive a power cut that the content does not
        part.chmod(0o644)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def why_unwritten(error: BaseException) -> str:
    """Why a file could not be written, as the end of a sentence."""
    return "the disk is full" if disk_is_full(error) else "the folder cannot be written"


def disk_is_full(error: BaseException) -> bool:
    """Whether an error says so."""
    return getattr(error, "errno", None) in _FULL


@read_once(64)
def fingerprint(path: Path) -> str:
    """Tells the tensors of a file from any others, whatever its header says; without torch. Empty if it is not there.

    The same tensors are always written in the same order, so the bytes after the header are what counts.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return ""
    header = int.from_bytes(content[:8], "little")
    return hashlib.sha256(content[8 + header :]).hexdigest()[:32]


def digest_of(data: bytes) -> str:
    """The name of a file by what is in it."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def checked_digest(name: str) -> str:
    """Such a name as it is written; ``UserError`` if it can be none."""
    text = name.strip().lower()
    if len(text) != DIGITS or not set(text) <= set("0123456789abcdef"):
        raise UserError(f"“{name[:60]}” is not the name of a stored file: such a name has {DIGITS} digits from 0 to f.")
    return text


def read_json_header(path: Path, advice: str, called: str = "") -> dict[str, Any]:
    """The JSON header of a file, without torch.

    Args:
        path: The file.
        advice: A sentence on what to do if it is missing or broken.
        called: What sentences call it, if not by its name.
    """
    from safetensors import SafetensorError, safe_open

    called = called or path.name
    if not path.is_file():
        raise UserError(f"There is no file {called}. {advice}")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise UserError(f"{called} is not a whole safetensors file (cut off?). {advice}") from error
    text = metadata.get(_KEY, "")
    if len(text) > limits.HEADER_LETTERS:
        raise UserError(
            f"{called} has a header of more than {limits.HEADER_LETTERS // 2**20} MB, too long for ours. {advice}"
        )
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:  # digits without end are a ValueError that is no JSONDecodeError
        raise UserError(f"{called} contains weights, but not in our format (no valid header). {advice}") from error
    if not isinstance(header, dict) or _deeper_than(limits.HEADER_DEPTH, header):
        raise UserError(f"{called} contains weights, but not in our format (no valid header). {advice}")
    return header


def _deeper_than(depth: int, values: Any) -> bool:
    """Whether lists and objects are more than so deep within each other; whoever copies them goes down into them."""
    level = [values]
    for _ in range(depth):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return bool(level)


def tensor_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor of a file whose header was read before, without torch and without reading them.

    Raises:
        UserError: The file is not whole, or holds something else than weights (see `WEIGHTS`).
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            tensors = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
            kinds = {tensor.get_dtype() for tensor in tensors.values()}
            shapes = {name: tuple(tensor.get_shape()) for name, tensor in tensors.items()}
    except (SafetensorError, OSError) as error:
        raise UserError(f"{path.name} is not a whole safetensors file (cut off?).") from error
    if odd := sorted(kinds - set(WEIGHTS)):
        raise UserError(f"{path.name} contains numbers of the type {odd[0]}: weights are floating-point numbers.")
    return shapes


def write_tensors(path: Path, tensors: "dict[str, Tensor]", header: dict[str, Any]) -> None:
    """Write tensors and their header; an existing file is replaced only once the new one is whole.

    Raises:
        UnwrittenError: The disk is full, or the folder may not be written.
    """
    try:
        with replacing(path) as part:
            part.write_bytes(tensor_bytes(tensors, header))
    except OSError as error:
        raise UnwrittenError(f"{path.name} cannot be written: {why_unwritten(error)}.") from error


def tensor_bytes(tensors: "dict[str, Tensor]", header: dict[str, Any]) -> bytes:
    """What :func:`write_tensors` writes, without a disk."""
    from safetensors.torch import save

    plain = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    return save(plain, metadata={_KEY: json.dumps(header)})


def write_text(path: Path, text: str) -> None:
    """Write a text; an existing file is replaced only once the new one is whole."""
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:  # no name of a file contains a null byte
        raise UserError(f"The file cannot be written to {path.parent}: choose another folder.") from error


def check_finite(tensors: "dict[str, Tensor]", called: str) -> None:
    """Refuse weights that are no numbers or infinite: every answer of such a network would be no number either."""
    if not all(bool(tensor.isfinite().all()) for tensor in tensors.values()):
        raise UserError(f"{called} contains weights that are NaN or infinite: train it again.")


def read_tensors(path: Path) -> "dict[str, Tensor]":
    """The tensors of a file whose header was read before."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise UserError(f"{path.name} is not a whole safetensors file (cut off?).") from error
