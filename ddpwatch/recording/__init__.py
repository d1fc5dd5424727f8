"""Recordings: written as a run goes on, read whole or from any moment, replayed."""
