"""What counts cases where they outgrow one machine."""
