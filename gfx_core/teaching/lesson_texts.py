"""The lessons, by number: their texts, and what they are made of; see ``assets/content/lessons.toml``."""

from gfx_core.config import read_content

LESSONS = {int(number): lesson for number, lesson in read_content("lessons").items()}
