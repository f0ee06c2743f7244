"""What earlier runs found: kept in a file of SQLite or in a PostgreSQL database."""
