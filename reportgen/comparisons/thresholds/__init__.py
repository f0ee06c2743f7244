"""What another threshold would give."""
