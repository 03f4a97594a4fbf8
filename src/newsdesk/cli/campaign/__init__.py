"""`newsdesk campaign`: collect human judgments, audit them and export them."""
