"""What does every rank measure, what was logged, and what is true over all ranks? The viewer's package."""

__version__ = "0.1.0"
