"""`newsdesk study`: studies of metrics, systems, summarizers and annotation."""
