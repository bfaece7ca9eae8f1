"""Explainers by others, each one file, and GFlowExplainer as one method among them."""
