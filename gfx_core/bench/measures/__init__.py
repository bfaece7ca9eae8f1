"""What one cell of a study computes. Torch is imported here; the studies themselves are light."""
