"""A whole corpus from one file of settings: events, articles, duplicates, clusters, data sets, statistics."""
