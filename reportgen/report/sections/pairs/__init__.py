"""What differs, and how surely."""
