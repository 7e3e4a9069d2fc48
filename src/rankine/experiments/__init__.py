"""What ``rankine demo`` and the experiment commands run."""
