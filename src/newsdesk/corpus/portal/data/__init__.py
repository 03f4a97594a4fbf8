"""Tables of the portal parser: headings with their variants, and names of outlets that label sources."""
