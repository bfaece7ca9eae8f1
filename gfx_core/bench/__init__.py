"""Measurements behind the tables and figures, each one a `run` that returns a plain record."""
