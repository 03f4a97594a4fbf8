"""Metrics against people: correlations with intervals, tests between metrics, controls for confounded gains, and the pages that show them."""
