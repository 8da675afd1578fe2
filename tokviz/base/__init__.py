"""Holds what every package uses: errors, checks of arguments, words for numbers, limits, files and text."""
