"""Files of weights whose header lies, or whose bytes are damaged: a safetensors file taken apart and put together."""

import json
import random
import struct
from collections.abc import Mapping
from typing import Any

NAN, INFINITE = float("nan"), float("inf")
JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, 10**7, 10**400, NAN, INFINITE, "", "x", "\ud800", "x" * 5000),
    *([], [1], [[[]]], {}, {"a": 1}, {"a": {"b": []}}),
)


def taken_apart(data: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """What safetensors says of the tensors, our header, and the bytes of the tensors."""
    length = struct.unpack("<Q", data[:8])[0]
    outer = json.loads(data[8 : 8 + length])
    return outer, json.loads(outer.pop("__metadata__")["gfx"]), data[8 + length :]


def put_together(outer: Mapping[str, Any], header: Mapping[str, Any] | str, body: bytes) -> bytes:
    """The reverse; a header that is a text goes as it is."""
    text = header if isinstance(header, str) else json.dumps(header)
    begin = json.dumps({"__metadata__": {"gfx": text}, **outer}).encode()
    begin += b" " * (-len(begin) % 8)
    return struct.pack("<Q", len(begin)) + begin + body


def with_header(data: bytes, **changes: Any) -> bytes:
    """The same file with other entries in our header."""
    outer, header, body = taken_apart(data)
    return put_together(outer, header | changes, body)


def with_weight(data: bytes, value: float) -> bytes:
    """The same file with one weight that is another number."""
    outer, header, body = taken_apart(data)
    return put_together(outer, header, struct.pack("<f", value) + body[4:])


def as_type(data: bytes, kind: str) -> bytes:
    """The same file, its 4-byte numbers said to be of another type."""
    outer, header, body = taken_apart(data)
    return put_together({name: about | {"dtype": kind} for name, about in outer.items()}, header, body)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A file with one to three things wrong: in our header, in safetensors' own, in its bytes, or cut off."""
    outer, header, body = taken_apart(data)
    for _ in range(rng.randint(1, 3)):
        way = rng.randrange(6)
        if way < 3:
            within = header
            while (inner := [value for value in within.values() if isinstance(value, dict) and value]) and (
                rng.random() < 0.4
            ):
                within = rng.choice(inner)
            if within and rng.random() < 0.2:
                del within[rng.choice(list(within))]
            else:
                within[rng.choice([*within, "more"])] = rng.choice(JUNK)
        elif way == 3 and outer:
            about = outer[rng.choice(list(outer))]
            about[rng.choice(list(about))] = rng.choice((*JUNK, "I32", "BOOL", [20, 20], [-1, 3], [2**40, 2**40]))
        elif way == 4:
            at = rng.randrange(len(body))
            body = body[:at] + rng.randbytes(4) + body[at + 4 :]
        elif outer:
            outer[rng.choice([*outer, "convs.9.lin.weight"])] = outer.pop(rng.choice(list(outer)))
    made = put_together(outer, header, body)
    return made[: rng.randrange(len(made))] if rng.random() < 0.1 else made
