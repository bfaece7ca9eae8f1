"""What goes wrong on a server, done on purpose."""
