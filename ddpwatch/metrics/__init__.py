"""States in, values out: pure arithmetic in NumPy, vectorised over the rank axis."""
