"""What bytes are."""
