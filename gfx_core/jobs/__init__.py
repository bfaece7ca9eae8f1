"""Long computations in processes of their own, with progress, a queue and a cancel that stops them at once."""
