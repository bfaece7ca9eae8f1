"""Traces: everything that is shown of one explanation, as plain data and as JSON."""
