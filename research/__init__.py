"""Run the experiments behind the pages of results: `python -m research.NAME`, or `python -m research` for all."""
