"""Figures for texts and rankings, the weights behind them, and how sure one can be of a difference."""

from newsdesk.metrics.metric import MeanMetric, Metric, metric, score

__all__ = ["MeanMetric", "Metric", "metric", "score"]
