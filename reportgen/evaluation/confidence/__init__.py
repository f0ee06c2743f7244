"""How sure each score is: an interval for every measure, by the kind the measure declares."""
