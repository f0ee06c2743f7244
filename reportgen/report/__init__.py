"""What is said: sections and plain sentences built from the evidence."""
