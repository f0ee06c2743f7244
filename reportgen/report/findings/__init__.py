"""What was found, in plain sentences that claim no more than the tests show."""
