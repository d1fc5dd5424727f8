"""What does every rank measure, what was logged, and what is true over all ranks?"""

__version__ = "0.1.0"
