"""What was counted and measured."""
