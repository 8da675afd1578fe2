"""Measures what a text costs: figures and waste."""
