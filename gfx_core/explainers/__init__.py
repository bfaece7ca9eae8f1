"""Explainers: everything that turns a model and an instance into edge scores or a Trace."""
