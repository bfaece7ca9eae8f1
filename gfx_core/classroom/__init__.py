"""A teacher's class: who is where, what they answered, and where all are sent. Nothing personal is kept."""
