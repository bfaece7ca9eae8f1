"""Where nodes are drawn. Traces and recordings contain positions, so this stands below explanation and drawing."""
