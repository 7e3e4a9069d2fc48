"""Attacks on what Rankine promises. Each module is a command: python -m attacks.certificates --count 2000 --seed 1."""
