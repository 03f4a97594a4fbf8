"""`newsdesk rank`: rankers of comments fitted, applied and measured."""
