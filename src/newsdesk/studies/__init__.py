"""Studies of scores: comparisons, tuning, curves, and the pages that show them."""
