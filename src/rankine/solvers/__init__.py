"""Solvers. They see an oracle and know no ranking."""
