"""Says where the data files of tokviz are, and the files of its app."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
DATA = _PACKAGE / "data"
INSTALLED = (_PACKAGE / "models").is_dir()  # the wheel puts `models/` of the checkout inside the package
MODELS = (_PACKAGE if INSTALLED else _PACKAGE.parent) / "models"
APP = _PACKAGE / "app" if INSTALLED else _PACKAGE.parent  # where app.py is, with pages/ and .streamlit/
