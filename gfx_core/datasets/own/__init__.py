"""Data sets that somebody brings along: readers, what was understood of a file, and where they live. Needs no torch."""
