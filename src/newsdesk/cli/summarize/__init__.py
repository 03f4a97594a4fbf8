"""`newsdesk summarize`: summaries of clusters, and methods fitted to them."""
