"""What other thresholds would give."""
