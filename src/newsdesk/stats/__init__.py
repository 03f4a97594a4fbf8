"""Hold everything behind a printed ±: resampling, intervals, tests, correlations, agreement, rankings and power."""

import lazy_loader

# Modules load when they are first used, so that `import newsdesk` costs next to nothing.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
