"""`newsdesk rank`: fit, apply and evaluate rankers of comments."""
