"""Cuts a text into chunks: patterns, special tokens, and the automaton that says what a pattern does."""
