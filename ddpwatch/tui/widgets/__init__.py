"""What screens are made of: pure functions that choose the text, and widgets that draw it."""
