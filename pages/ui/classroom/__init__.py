"""A teacher's class on the pages: the strip that every student has, and the teacher's own page."""
