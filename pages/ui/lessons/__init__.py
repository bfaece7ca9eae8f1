"""The lessons of the Learn page, one module each."""
