"""Speed, size and the quality gate: `make bench`, or `python -m bench NAME…`."""
