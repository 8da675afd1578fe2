"""Runs the course: lessons as files, the views in them, and the tasks.

    data/lessons/*.md -> course.py: chapters and steps -> views/: what a step shows -> tasks/: what the learner does

A new lesson needs no Python. tokviz/data/lessons/README.md says how to write one.
"""
