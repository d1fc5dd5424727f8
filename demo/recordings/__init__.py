"""Recordings to try a replay with, and what made them."""
