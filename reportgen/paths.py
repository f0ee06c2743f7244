"""File names in the output folder, and the environment variable of the history."""

HISTORY_FILE = "history.sqlite"
SCHEDULE_FILE = "schedule.json"
HISTORY_ENV_VAR = "REPORTGEN_HISTORY"
