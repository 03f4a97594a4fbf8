"""`newsdesk study`: what the figures say together."""
