"""The gate before the score: comments that are held back, each with the kind and the words that caused it."""
