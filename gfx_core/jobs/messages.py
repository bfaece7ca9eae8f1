"""What goes between this process and its workers: length-prefixed MessagePack, no pickle.

A request goes with the name of its class, and is read as that; its answer is read as what the request says of it.
Arrays come out as they went in. Where a type says no more than `Any`, tuples come out as lists.
"""

import hashlib
from importlib import import_module
from typing import IO, Any, Literal

import numpy as np
from msgspec import Raw, Struct, ValidationError, msgpack

from gfx_core.errors import UserError
from gfx_core.jobs.job import Request
from gfx_core.json_files import look_at

_ARRAY = 1  # MessagePack leaves the numbers of extensions to its users


class RunJob(Struct, tag=True):
    """Compute a request, which is read by the job itself: that may import much."""

    job: int
    short: bool
    request: bytes


class Command(Struct, tag=True):
    """For a live job."""

    job: int
    command: dict[str, Any]


class Cancel(Struct, tag=True):
    """Nobody wants the job any more."""

    job: int


class Started(Struct, tag=True):
    """All that the request needs is imported: its time runs."""


class Progress(Struct, tag=True):
    share: float
    words: str


class Event(Struct, tag=True):
    event: dict[str, Any]


class TakesLong(Struct, tag=True):
    """The job does not belong among the short ones."""


class Done(Struct, tag=True):
    """The answer, to be read as what the request says of it."""

    value: bytes


class Failed(Struct, tag=True):
    """There is no answer; ``retired``: the process should not be given another job."""

    kind: Literal["refused", "failed", "stopped"]
    sentence: str
    details: str
    retired: bool


ToWorker = RunJob | Command | Cancel
FromWorker = Started | Progress | Event | TakesLong | Done | Failed


def encode(value: Any, *, sort_keys: bool = False) -> bytes:
    """A value as bytes; ``TypeError`` for what cannot be sent."""
    return msgpack.encode(value, enc_hook=_plain, order="deterministic" if sort_keys else None)


def decode(data: bytes | Raw, kind: Any) -> Any:
    """What was encoded, as that type."""
    look_at(kind)
    return msgpack.decode(data, type=kind, ext_hook=_array)


def encode_request(request: Request[Any]) -> bytes:
    """A request with its class."""
    kind = type(request)
    return encode((f"{kind.__module__}:{kind.__qualname__}", request))


def decode_request(data: bytes | Raw) -> Request[Any]:
    """What :func:`encode_request` was given; ``UserError`` where there can be no such request any more."""
    name, fields = decode(data, tuple[str, Raw])
    module, _, kind = name.partition(":")
    try:
        request: Request[Any] = decode(fields, getattr(import_module(module), kind))
        return request
    except ValidationError as error:
        if isinstance(error.__cause__, UserError):
            raise error.__cause__ from None
        raise


def digest(value: Any) -> str:
    """A short name for a value; equal values have equal names."""
    return hashlib.sha256(encode(value, sort_keys=True)).hexdigest()[:32]


def write_message(stream: IO[bytes], message: Struct) -> None:
    """Write one message."""
    data = encode(message)
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def read_message(stream: IO[bytes], kind: Any) -> Any:
    """Read one message; ``EOFError`` if the other side is gone."""
    return decode(_exactly(stream, int.from_bytes(_exactly(stream, 8), "big")), kind)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if data is None or len(data) < count:
        raise EOFError
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return msgpack.Ext(_ARRAY, encode((value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes())))
    raise TypeError(f"a {type(value).__name__} cannot be sent to a worker")


def _array(kind: int, data: memoryview) -> Any:
    dtype, shape, content = decode(bytes(data), tuple[str, tuple[int, ...], bytes])
    return np.frombuffer(content, dtype).reshape(shape).copy()
