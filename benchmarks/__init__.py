"""Speed against peers, printed as ratios from one run: ``make bench`` or ``python -m benchmarks [name ...]``."""
