"""One rule per file: each is a function from evidence to findings."""
