"""Counts the distinct chunks of texts of any size, and keeps these counts in files."""
