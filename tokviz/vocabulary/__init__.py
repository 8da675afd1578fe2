"""Describes the tokens of one tokenizer: table, search, use, card and odd ones."""
