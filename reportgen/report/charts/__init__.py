"""What figures draw: numbers and names, never colours or places on a page."""
