"""From portal pages and web crawls to event clusters: events, articles, alignment and data sets."""
