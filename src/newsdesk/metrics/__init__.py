"""Metrics for texts and rankings, reference weights, and significance tests."""

from newsdesk.metrics.metric import MeanMetric, Metric, metric, score

__all__ = ["MeanMetric", "Metric", "metric", "score"]
