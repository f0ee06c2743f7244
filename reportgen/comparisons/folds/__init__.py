"""What folds say: means and variances, tests over them, and how they were made."""
