"""Other prevalences, guessing, other papers, other data sets."""
