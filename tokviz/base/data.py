"""Where the data files of tokviz lie."""

from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
