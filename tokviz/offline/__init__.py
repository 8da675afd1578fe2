"""Pages that open without a server: a replay, lessons, the scripts and styles of the app put into one file."""
