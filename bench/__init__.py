"""Speed and size, measured side by side with peers in one run, as ratios: `make bench`, or `python -m bench NAME`."""
