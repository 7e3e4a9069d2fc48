"""Attacks on Rankine: mutated files, bombs, hostile names, kills, signals, full disks and certificates.

``python -m attacks --minutes 30`` runs them all. Each prints counts, and for a failure the seed that makes it again.
"""
