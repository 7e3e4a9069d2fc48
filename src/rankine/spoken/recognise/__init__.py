"""From recordings to lattices."""
