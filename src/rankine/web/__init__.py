"""The page over a spoken archive: a server for browsers, with an API that answers JSON. Only ``cli`` imports it."""
