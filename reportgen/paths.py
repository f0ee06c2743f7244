"""Names of what stands beside the reports in an output folder, and of what names it instead."""

HISTORY_FILE = "history.sqlite"
SCHEDULE_FILE = "schedule.json"
HISTORY_ENV_VAR = "REPORTGEN_HISTORY"
