"""The GFlowNet: growing subgraphs, rewards, flows, losses and training."""
