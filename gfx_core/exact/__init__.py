"""All states of an instance with numbers on them."""
