"""Numbers as short texts."""

import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.training import codes


def test_probabilities_come_back() -> None:
    values = np.concatenate([[0.0, 1.0, 1e-9, 1e-6, 0.5], np.random.RandomState(0).rand(100)])
    back = codes.decode(codes.encode(values))
    assert np.abs(np.sqrt(back) - np.sqrt(values)).max() <= 0.5 / codes.TOP + 1e-12
    assert (back[0], back[1]) == (0.0, 1.0)
    assert back[3] > 0  # a small chance is not none
    assert codes.length(codes.encode(values)) == len(values)


def test_what_is_no_probability() -> None:
    assert codes.decode(codes.encode([-1.0, 2.0, np.nan])).tolist() == [0.0, 1.0, 0.0]


def test_residuals_come_back() -> None:
    values = np.array([0.0, -3.3, 7.99, -20.0, 20.0, np.nan, np.inf])
    back = codes.decode_residuals(codes.encode_residuals(values))
    assert np.abs(back[:3] - values[:3]).max() < 2e-4
    assert back[3:].round(3).tolist() == [-8.0, 8.0, 0.0, 8.0]


def test_the_bytes_that_a_browser_reads() -> None:
    assert codes.encode([0.0, 0.25, 1.0]) == "AAAAgP//"  # 0, 32768, 65535, each with its low byte first
    assert codes.encode_residuals([-8.0, 8.0]) == "AAD//w=="


@pytest.mark.parametrize("text", ["AAA=x", "AA==", "é"])
def test_a_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="cut off"):
        codes.decode(text)
