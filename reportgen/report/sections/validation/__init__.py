"""What the folds say."""
