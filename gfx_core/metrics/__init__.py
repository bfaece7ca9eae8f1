"""How good an explanation is."""
