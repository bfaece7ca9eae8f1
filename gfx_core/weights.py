"""Weights on disk: the tensors of a network in a safetensors file, with one JSON header. No pickle.

A header is a dataclass or a `msgspec.Struct`. Its type hints are all the checks that it needs, and its defaults stand
for what older files do not have::

    class PolicyHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
        schema: Literal[2]
        dataset: Annotated[str, msgspec.Meta(max_length=100)]
        num_features: Annotated[int, msgspec.Meta(ge=1, le=100_000)]

    write_tensors(path, policy.state_dict(), PolicyHeader(2, "tree_cycles", 10))
    header = read_json_header(path, PolicyHeader, "Train the policy with: …")  # without torch
    policy = read_network(path, lambda: FlowPolicy(header.num_features))  # needs no memory for weights that do not fit

Where any header will do, its type is ``dict[str, Any]``.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from gfx_core import limits
from gfx_core.errors import UserError
from gfx_core.files import replacing
from gfx_core.json_files import JsonError, convert, parse

if TYPE_CHECKING:
    from torch import Tensor, nn

T = TypeVar("T")
Network = TypeVar("Network", bound="nn.Module")

_KEY = "gfx"
_FLOATS = {"F16", "BF16", "F32", "F64"}  # as safetensors names them


@contextmanager
def _opened(path: Path, framework: str = "numpy", advice: str = "", called: str = "") -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework=framework) as file:
            yield file
    except (SafetensorError, OSError) as error:
        sentence = f"{called or path.name} is not a whole safetensors file (cut off?). {advice}"
        raise UserError(sentence.strip()) from error


def read_json_header(path: Path, kind: type[T], advice: str = "", called: str = "") -> T:
    """The header of a file, without torch.

    Args:
        path: The file.
        kind: The type that the header must fit.
        advice: A sentence on what to do if the file is missing or broken.
        called: The file in sentences, by default its name.

    Raises:
        UserError: There is no such file, or it is none of ours; the sentence names the first field that is wrong.
    """
    called = called or path.name
    if not path.is_file():
        raise UserError(f"There is no file {called}. {advice}".strip())
    with _opened(path, "numpy", advice, called) as file:
        text = (file.metadata() or {}).get(_KEY, "")
    try:
        if len(text) > limits.HEADER_LETTERS:
            raise JsonError(f"longer than {limits.HEADER_LETTERS // 2**20} MB")
        return convert(parse(text), kind)
    except JsonError as error:
        sentence = f"{called} contains weights, but not in our format (no valid header: {str(error)[:120]}). {advice}"
        raise UserError(sentence.strip()) from error


def read_tensors(path: Path) -> "dict[str, Tensor]":
    """All tensors of a file, on the CPU."""
    with _opened(path, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)


def read_network(path: Path, make: Callable[[], Network], prefix: str = "") -> Network:
    """A network with the weights of a file, on the CPU. Other tensors of the file do not matter.

    Args:
        path: The file.
        make: Makes the network that the header describes, where tensors have shapes, take no memory and are not drawn.
        prefix: Begins the names of the network's tensors in the file.

    Raises:
        UserError: The file has not the tensors of this network, or numbers that are NaN, infinite or whole.
    """
    import torch

    with torch.device("meta"):
        network = make()
    expected = {prefix + name: tuple(value.shape) for name, value in network.state_dict().items()}
    with _opened(path) as file:
        slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        integers = sorted({tensor.get_dtype() for tensor in slices.values()} - _FLOATS)
        shapes = {name: tuple(tensor.get_shape()) for name, tensor in slices.items()}
    if integers:
        raise UserError(f"{path.name} contains numbers of the type {integers[0]}: weights are floating-point.")
    if not expected.items() <= shapes.items():
        raise UserError(f"The weights in {path.name} do not fit the architecture its header names.")
    tensors = read_tensors(path)
    network.load_state_dict({name.removeprefix(prefix): tensors[name].float() for name in expected}, assign=True)
    if not all(bool(tensor.isfinite().all()) for tensor in network.state_dict().values()):  # a wider type has more room
        raise UserError(f"{path.name} contains weights that are NaN or infinite: train it again.")
    return network


def write_tensors(path: Path, tensors: "dict[str, Tensor]", header: Any) -> None:
    """Write tensors and their header; an existing file is replaced only once the new one is whole."""
    with replacing(path) as part:
        part.write_bytes(tensor_bytes(tensors, header))


def tensor_bytes(tensors: "dict[str, Tensor]", header: Any) -> bytes:
    """The file that :func:`write_tensors` writes, as bytes."""
    from safetensors.torch import save

    contiguous = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    return save(contiguous, metadata={_KEY: json.dumps(header, default=msgspec.to_builtins, allow_nan=False)})
