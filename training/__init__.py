"""Fit the models that ship with the package: `python -m training.NAME`."""
