"""What the values of a trace may be: limits that stand in type hints, where `gfx_core.trace.io` reads them."""

import math
import sys
from dataclasses import dataclass
from typing import Annotated

MAX_NODES = 2048  # as many as an instance holds
MAX_EDGES = 50_000
MAX_MEMBERS = 64  # of a subgraph, and so the steps of a trace
MAX_SAMPLES = 5000
MAX_MASKS = 50
MAX_TERMS = 50


@dataclass(frozen=True)
class Limits:
    """The least and the greatest value of a number, or length of a text or tuple; both are allowed themselves."""

    low: float = 0
    high: float = sys.float_info.max


@dataclass(frozen=True)
class IndexOf:
    """The number is a position in this field of the trace."""

    what: str


Label = Annotated[str, Limits(0, 60)]
Line = Annotated[str, Limits(0, 200)]
Sentence = Annotated[str, Limits(1, 600)]
Count = Annotated[int, Limits(0, 2**53)]  # JavaScript counts no further
NodeIndex = Annotated[int, IndexOf("nodes")]
EdgeIndex = Annotated[int, IndexOf("edges")]
ClassIndex = Annotated[int, IndexOf("classes")]
NodeSet = Annotated[tuple[NodeIndex, ...], Limits(0, MAX_MEMBERS)]
EdgeSet = Annotated[tuple[EdgeIndex, ...], Limits(0, MAX_MEMBERS * (MAX_MEMBERS - 1) // 2)]
MatrixRow = Annotated[tuple[Annotated[int, Limits(0, MAX_MEMBERS)], ...], Limits(1, MAX_MEMBERS)]
Coordinate = Annotated[float, Limits(-1e6, 1e6)]
Amount = Annotated[float, Limits()]
Probability = Annotated[float, Limits(0, 1)]
LogValue = Annotated[float, Limits(-math.inf)]
LogProbability = Annotated[float, Limits(-math.inf, 1e-3)]  # rounding may lift log 1 above 0
