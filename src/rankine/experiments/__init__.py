"""The experiments of ``rankine experiment``, one module for each command, and the steps of ``rankine demo``."""
