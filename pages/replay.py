"""Replay: watch the merges of a training, one by one."""

from tokviz.ui.replay.page import page

page()
