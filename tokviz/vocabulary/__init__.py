"""One tokenizer's tokens: table, search, use, biography and odd ones."""
