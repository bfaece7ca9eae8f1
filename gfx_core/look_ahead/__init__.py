"""A policy that looks ahead: it reads no nodes, only what the GNN gives to the sets that come next."""
