"""Counting the distinct chunks of texts of any size, and files of such counts."""
