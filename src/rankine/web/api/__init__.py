"""Version 1 of the API: thin functions over the archive, each from one state of it to plain data."""
