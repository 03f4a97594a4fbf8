"""Small neural networks: trained with torch, inference in numpy, so that serving needs no torch."""
