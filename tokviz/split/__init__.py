"""How a text is cut into chunks: patterns, special tokens, and the automaton that says what a pattern does."""
