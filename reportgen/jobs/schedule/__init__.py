"""Schedules: cron expressions, the scheduler, and exporters for other schedulers."""
