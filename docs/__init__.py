"""The documentation: its pages, what writes parts of them from the code, and what builds the site."""
