"""Library: all tokenizers there are, and the files of others."""

from tokviz.ui.library.page import page

page()
