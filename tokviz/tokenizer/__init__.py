"""Defines a tokenizer and what it makes of a text: merges, ids, seams, peers and live text."""
