"""Studies: what the figures say together, and the page that shows it."""
