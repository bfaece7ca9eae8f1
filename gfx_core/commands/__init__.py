"""The command line, one command in a file: its options and what it does."""
