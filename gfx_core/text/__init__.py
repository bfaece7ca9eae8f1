"""Sentences and names for people: the only place that makes them."""
