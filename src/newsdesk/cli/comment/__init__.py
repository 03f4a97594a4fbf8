"""`newsdesk comment` and its verbs."""
