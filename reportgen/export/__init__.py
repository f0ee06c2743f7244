"""What programs read: results.json, tables, the manifest."""
