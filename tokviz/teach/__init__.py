"""Teaches: lessons, questions, misconceptions and classrooms."""
