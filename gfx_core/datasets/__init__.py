"""Data sets with known answers, and the instances cut out of them."""
