"""Who may do what: people with signed sessions, invitation links, API keys with scopes, and rate limits."""
