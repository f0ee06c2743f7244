"""Machine-readable output: results.json, its tables as CSV and Parquet, and the manifest."""
