"""Class: a teacher asks, and everyone in the room votes."""

from tokviz.ui.classroom.page import page

page()
