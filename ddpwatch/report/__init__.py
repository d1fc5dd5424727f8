"""What came of a run, for people and for programs: a document, and its two renderings."""
