"""`newsdesk study`: studies of summarizers."""
