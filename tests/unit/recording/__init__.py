"""Recordings: files, reading, replay."""
