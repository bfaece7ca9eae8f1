"""What goes between this process and its workers: length-prefixed JSON, no pickle.

JSON values go as they are; numpy arrays, tuples, enums and this package's own dataclasses come out as they went in.
Dataclasses and enums of other modules go only where the beginning of the module's name is given.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from typing import IO, Any

import numpy as np

_KIND = "__kind__"  # marks an object that stands for something JSON has not
_OURS = "gfx_core."


def serialize(value: Any, modules: Sequence[str] = (), sort_keys: bool = False) -> bytes:
    """A value as bytes."""
    plain = _plain(value, modules)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys).encode()


def deserialize(data: bytes, modules: Sequence[str] = ()) -> Any:
    """What :func:`serialize` was given."""
    return json.loads(data, object_hook=partial(_revived, modules=modules))


def digest(value: Any, modules: Sequence[str] = ()) -> str:
    """A short name for a value; equal values have equal names."""
    return hashlib.sha256(serialize(value, modules, sort_keys=True)).hexdigest()[:32]


def write_message(stream: IO[bytes], data: bytes) -> None:
    """Write one serialized message."""
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes:
    """Read one serialized message; ``EOFError`` if the other side is gone."""
    return _exactly(stream, int.from_bytes(_exactly(stream, 8), "big"))


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if data is None or len(data) < count:
        raise EOFError
    return data


def _plain(value: Any, modules: Sequence[str]) -> Any:
    if isinstance(value, Enum):
        return {_KIND: "enum", "type": _name(type(value), modules), "value": value.value}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list):
        return [_plain(item, modules) for item in value]
    if isinstance(value, tuple):
        return {_KIND: "tuple", "items": [_plain(item, modules) for item in value]}
    if isinstance(value, dict) and _KIND not in value and all(isinstance(key, str) for key in value):
        return {key: _plain(item, modules) for key, item in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {_KIND: "array", "dtype": value.dtype.str, "shape": list(value.shape), "data": data}
    if is_dataclass(value) and not isinstance(value, type):
        content = {field.name: _plain(getattr(value, field.name), modules) for field in fields(value) if field.init}
        return {_KIND: "dataclass", "type": _name(type(value), modules), "fields": content}
    raise TypeError(f"a {type(value).__name__} cannot be sent to a worker")


def _revived(values: dict[str, Any], modules: Sequence[str]) -> Any:
    kind = values.get(_KIND)
    if kind == "tuple":
        return tuple(values["items"])
    if kind == "array":
        data = np.frombuffer(base64.b64decode(values["data"]), dtype=values["dtype"])
        return data.reshape(values["shape"]).copy()
    if kind == "enum":
        return _type(values["type"], modules)(values["value"])
    if kind == "dataclass":
        return _type(values["type"], modules)(**values["fields"])
    return values


def _name(kind: type, modules: Sequence[str]) -> str:
    if not kind.__module__.startswith((_OURS, *modules)):
        raise TypeError(f"a {kind.__name__} cannot be sent to a worker: it is no type of this package")
    return f"{kind.__module__}:{kind.__qualname__}"


def _type(name: str, modules: Sequence[str]) -> Any:
    module, _, kind = name.partition(":")
    if not module.startswith((_OURS, *modules)):
        raise TypeError(f"{name} is no type of this package")
    return getattr(import_module(module), kind)
