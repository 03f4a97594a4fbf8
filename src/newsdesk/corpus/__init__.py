"""From portal pages and web crawls to event clusters: events, articles, near-duplicates, alignment and data sets."""
