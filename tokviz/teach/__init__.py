"""Lessons, questions, misconceptions and classrooms."""
