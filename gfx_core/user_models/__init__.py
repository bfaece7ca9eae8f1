"""Any model of PyTorch that takes a graph: its inputs and outputs, adapted to what the rest of the library expects."""
