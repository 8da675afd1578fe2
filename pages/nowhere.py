"""An address that is no page leads here."""

from tokviz.ui.nowhere.page import page

page()
