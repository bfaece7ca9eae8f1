"""The way from a question to a Trace."""
