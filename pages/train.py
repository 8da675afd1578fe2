"""Train: train a tokenizer on a corpus of your own."""

from tokviz.ui.train.page import page

page()
