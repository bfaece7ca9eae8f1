"""The studies, one a file: what each asks, of what cells it is made, and what its records say. None loads torch."""
