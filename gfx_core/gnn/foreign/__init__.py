"""GNNs and graphs that somebody else wrote: checked once at the door, then asked like our own."""
