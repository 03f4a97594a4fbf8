"""Events from articles alone: each article joins an open cluster or opens one, in one pass over the days."""
