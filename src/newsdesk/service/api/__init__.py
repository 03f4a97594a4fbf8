"""The HTTP API under `/api/v1`: JSON in and out, one router per kind of resource."""
