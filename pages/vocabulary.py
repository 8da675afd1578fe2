"""Vocabulary: every token of a tokenizer, two vocabularies laid over each other, and split patterns on one corpus."""

from tokviz.ui.vocabulary.page import page

page()
