"""Counting the distinct chunks of texts of any size, and files that keep these counts."""
