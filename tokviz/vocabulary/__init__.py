"""Describes the tokens of one tokenizer: table, search, use, biography and odd ones."""
