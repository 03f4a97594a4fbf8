"""The ranker `newsdesk`: what a comment argues with, counted on top of its length, and deaf to padding."""
