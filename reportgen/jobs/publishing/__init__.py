"""A static site of all reports."""
