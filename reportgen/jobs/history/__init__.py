"""Run history: records of earlier runs in an SQLite file or a PostgreSQL database."""
