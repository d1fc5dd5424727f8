"""The screens, one per question, and the dialogs above them."""
