"""Graphs that visitors bring: read, checked, made into data sets, and kept for as long as their visit lasts."""
