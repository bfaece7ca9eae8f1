"""What was measured: the studies, what their cells compute (``measures/``), and how cells are run and kept."""
