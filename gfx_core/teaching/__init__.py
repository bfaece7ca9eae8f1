"""What the lessons compute: small graphs, exact flows, trainings that can be watched."""
