"""Learn: the course, one live view and one task at a time."""

from tokviz.ui.learn.page import page

page()
