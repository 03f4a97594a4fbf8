"""The JSON shapes of requests and answers, as pydantic models: one module per kind of resource."""
