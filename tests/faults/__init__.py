"""What goes wrong on a server, done on purpose: ``python -m tests.faults`` prints what people read then."""
