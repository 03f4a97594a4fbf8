"""Count what the server does, for Prometheus: `GET /metrics` with a key of the scope `metrics`.

The numbers are those of one server process: with several, each answers for itself.
"""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from newsdesk import __version__

_REGISTRY = CollectorRegistry()
ProcessCollector(registry=_REGISTRY)
_REQUESTS = Counter(
    "newsdesk_requests", "Requests answered.", ["route", "method", "status"], registry=_REGISTRY
)
_SECONDS = Histogram(
    "newsdesk_request_seconds",
    "Time from the first byte of a request to the last of its answer.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
    registry=_REGISTRY,
)
_JOBS = Gauge("newsdesk_jobs", "Long work on files that runs or waits.", registry=_REGISTRY)
_CAMPAIGNS = Gauge("newsdesk_campaigns", "Campaigns in the store.", registry=_REGISTRY)
Gauge(
    "newsdesk_info", "The version of newsdesk.", ["version"], registry=_REGISTRY
).labels(__version__).set(1)  # fmt: skip


def count_request(route: str | None, method: str, status: int, seconds: float) -> None:
    """Count one request; those without a route share one name, so that strangers cannot add names."""
    name = route or "none"
    _REQUESTS.labels(name, method if route else "any", status).inc()
    _SECONDS.labels(name).observe(seconds)


def exposition(jobs: int, campaigns: int) -> bytes:
    """Return all numbers in Prometheus' text form, with those of this moment."""
    _JOBS.set(jobs)
    _CAMPAIGNS.set(campaigns)
    return generate_latest(_REGISTRY)
