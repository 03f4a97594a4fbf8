"""Small neural networks: trained with torch, used with numpy, so that serving needs no torch."""
