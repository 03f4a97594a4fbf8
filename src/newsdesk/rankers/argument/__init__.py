"""The ranker `argument`: argumentative wording scored on top of a fixed length effect, with padding removed first."""
