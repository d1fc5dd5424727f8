"""The dashboard: it draws snapshots of the board. The only package that imports Textual."""
