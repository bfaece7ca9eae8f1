"""Long lists of numbers as short texts, two bytes each, in base64. Needs no torch and no msgspec.

A frame holds thousands of numbers and eight frames may come in a second. So each number is rounded to 16 bits; of a
probability the square root is, which keeps 1e-6 apart from 0. `assets/train/scene.js` reads the same.
"""

import base64

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Doubles
from gfx_core.errors import UserError

TOP = 65535
FARTHEST = 8.0
"""Residuals beyond ±this are written as this."""


def encode_probabilities(probabilities: ArrayLike) -> str:
    """Numbers from 0 to 1 as text; what lies outside is put to the nearer end. [n]"""
    values = np.clip(np.nan_to_num(np.asarray(probabilities, dtype=np.float64)), 0.0, 1.0)
    return base64.b64encode(np.rint(np.sqrt(values) * TOP).astype("<u2").tobytes()).decode()


def decode_probabilities(text: str) -> Doubles:
    """Back from :func:`encode_probabilities`. [n]"""
    try:
        return (np.frombuffer(base64.b64decode(text, validate=True), dtype="<u2") / TOP) ** 2
    except ValueError as error:
        raise UserError("A list of numbers is cut off or not written as two bytes each in base64.") from error


def encode_residuals(residuals: ArrayLike) -> str:
    """Residuals from −8 to 8 as text, with equal steps between them. [n]"""
    values = np.clip(np.nan_to_num(np.asarray(residuals, dtype=np.float64)), -FARTHEST, FARTHEST)
    return encode_probabilities(((values + FARTHEST) / (2 * FARTHEST)) ** 2)
