"""Unattended operation: runs, run history, schedules, notifications and site publishing."""
