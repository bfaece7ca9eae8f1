"""Figures that the GFlowExplainer paper reports (Li et al., ICLR 2023): other GNNs and ground truth, a Quadro RTX 6000.

They stand beside ours in tables, marked as the paper's, and nowhere else.
"""

from gfx_core.datasets.registry import DATASETS

Figures = dict[str, dict[str, float]]  # by method and data set


def _row(*figures: float) -> dict[str, float]:
    return dict(zip(DATASETS, figures, strict=False))


AUC: Figures = {
    "gnnexplainer": _row(0.742, 0.708, 0.540, 0.714, 0.499, 0.498),
    "pgexplainer": _row(0.974, 0.884, 0.574, 0.673, 0.133, 0.843),
    "degree": _row(0.993, 0.957, 0.902, 0.925, 0.755, 0.773),
    "rgexplainer_plain": _row(0.983, 0.684, 0.500, 0.500, 0.503, 0.623),
    "rgexplainer": _row(0.985, 0.858, 0.787, 0.927, 0.615, 0.832),
    "gflowexplainer": _row(0.999, 0.938, 0.964, 0.982, 0.854, 0.882),
}

TOP_K: Figures = {
    "subgraphx": _row(0.99, 0.93),
    "degree": _row(0.94, 0.95),
    "gflowexplainer": _row(0.99, 0.94),
}

EXPLAIN_MS: Figures = {
    "gnnexplainer": _row(53, 76, 49, 57, 34, 16),
    "pgexplainer": _row(12, 17, 3, 2, 1, 14),
    "rgexplainer": _row(8, 2, 7, 6, 5, 9),
    "gflowexplainer": _row(7, 3, 8, 11, 6, 7),
}

EPOCH_S: Figures = {
    "rgexplainer": _row(24, 22, 11, 5, 14, 28),
    "gflowexplainer": _row(8, 10, 9, 10, 7, 12),
}
"""RGExplainer's come after 103 to 2,918 s of pretraining."""
