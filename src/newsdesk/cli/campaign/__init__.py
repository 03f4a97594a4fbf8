"""`newsdesk campaign`: judgments asked for, collected, audited and put to use."""
