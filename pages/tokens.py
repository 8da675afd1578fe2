"""Tokens, the home page: type or paste text, and see its tokens."""

from tokviz.ui.tokens.page import page

page()
