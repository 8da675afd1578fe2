"""Runs a class in one room: the teacher asks, the students vote, talk, vote again, and see the answer."""
