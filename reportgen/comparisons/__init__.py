"""What differs: capabilities, likelihood relations, folds, published against computed."""
