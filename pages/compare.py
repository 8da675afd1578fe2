"""Compare: one text under several tokenizers, side by side."""

from tokviz.ui.compare.page import page

page()
