"""Class: join one, or lead one."""

from pages.ui.router import PAGES, through_app

through_app()

from pages.ui.classroom.page import Where, show
from pages.ui.lessons.frame import SHORT_TITLES

show(Where(SHORT_TITLES, [file for file, _, _ in PAGES]))
