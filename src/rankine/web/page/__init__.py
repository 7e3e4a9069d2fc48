"""The page in the browser: HTML, one stylesheet and ES modules, served as they stand; no build step."""
